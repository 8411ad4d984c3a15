// UTF-32 to UTF-8 and back.
#include "text.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "error.h"

namespace strew::files {
using internal::cat;
namespace {

constexpr bool is_character(std::uint32_t code) { return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff); }

}  // namespace

void append_character(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes after the first
  constexpr unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(first[more] | (code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
}

std::optional<std::uint32_t> take_character(std::string_view& text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  const std::size_t more = lead < 0x80 ? 0 : lead < 0xc2 ? 9 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 9;
  if (more > 3 || more >= text.size()) return std::nullopt;  // not a lead byte, or cut off
  constexpr unsigned bits[] = {0x7f, 0x1f, 0x0f, 0x07};
  constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  std::uint32_t code = lead & bits[more];
  for (std::size_t i = 1; i <= more; ++i) {
    if ((at(i) & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (at(i) & 0x3f);
  }
  if (code < least[more] || !is_character(code)) return std::nullopt;
  text.remove_prefix(more + 1);
  return code;
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string hexadecimal(std::uint32_t code) {
  std::string digits;
  for (int shift = code > 0xffff ? 20 : 12; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(code >> shift) & 15];
  return digits;
}

namespace {

// The number of characters; no value if it is not UTF-8.
std::optional<std::int64_t> characters_in(std::string_view text) {
  std::int64_t count = 0;
  for (; !text.empty(); ++count) {
    if (!take_character(text)) return std::nullopt;
  }
  return count;
}

std::uint32_t code_at(const std::byte* from, bool swapped) {
  std::uint32_t code = 0;
  std::memcpy(&code, from, sizeof code);
  return swapped ? __builtin_bswap32(code) : code;
}

}  // namespace

Tensor decoded_text(const NpyHeader& header, std::span<const std::byte> elements, std::string_view file) {
  Tensor tensor(Dtype::string, Dims{header.count});
  const auto strings = tensor.values<std::string>();
  const auto item = static_cast<std::size_t>(header.item);
  const std::size_t unit = header.encoding == Encoding::bytes ? 1 : 4;
  try {
    for (std::size_t i = 0; i < strings.size(); ++i) {
      const std::byte* const from = elements.data() + i * item;
      std::size_t size = item;
      const auto is_padding = [&](const std::byte* at) { return std::all_of(at, at + unit, [](std::byte b) { return b == std::byte{}; }); };
      while (size > 0 && is_padding(from + size - unit)) size -= unit;
      if (unit == 1) {
        strings[i].assign(reinterpret_cast<const char*>(from), size);
        continue;
      }
      for (std::size_t at = 0; at < size; at += unit) {
        const std::uint32_t code = code_at(from + at, header.encoding == Encoding::utf32_swapped);
        if (!is_character(code)) fail(file, cat("element ", i, " holds ", code, ", which is no Unicode character"));
        append_character(strings[i], code);
      }
    }
  } catch (const std::bad_alloc&) {
    detail::throw_no_memory();
  }
  return tensor;
}

TextFormat text_format(std::span<const std::string> strings, std::string_view file) {
  std::int64_t bytes = 1, characters = 1;
  bool is_utf8 = true;
  for (const std::string& text : strings) {
    if (text.ends_with('\0')) fail(file, "a string that ends with a zero cannot be stored: text in .npy files is padded with zeros");
    bytes = std::max(bytes, static_cast<std::int64_t>(text.size()));
    const auto count = characters_in(text);
    is_utf8 = is_utf8 && count;
    if (count) characters = std::max(characters, *count);
  }
  return is_utf8 ? TextFormat{Encoding::utf32, characters} : TextFormat{Encoding::bytes, bytes};
}

void encode_text(std::span<const std::string> strings, const TextFormat& format, std::span<std::byte> elements) {
  const auto item = static_cast<std::size_t>(format.item());
  std::fill(elements.begin(), elements.end(), std::byte{});
  for (std::size_t i = 0; i < strings.size(); ++i) {
    std::byte* to = elements.data() + i * item;
    std::string_view text = strings[i];
    if (format.encoding == Encoding::bytes) {
      std::memcpy(to, text.data(), text.size());
      continue;
    }
    while (!text.empty()) {
      const std::uint32_t code = take_character(text).value_or(0);
      std::memcpy(to, &code, sizeof code);
      to += sizeof code;
    }
  }
}

}  // namespace strew::files
