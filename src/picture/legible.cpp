// Decodes UTF-8 strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#include "picture/legible.h"

#include "base/text.h"

namespace strew::internal {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD", ellipsis = "\xE2\x80\xA6";

struct Decoded {
  std::uint32_t code;
  std::size_t length;  // in bytes; 0 if they are not UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {0, 0};
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= smallest[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return valid ? Decoded{code, length} : Decoded{0, 0};
}

// C1 controls, characters that change the direction of text around them, and those that XML forbids.
bool is_hidden(std::uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || (code & 0xFFFE) == 0xFFFE;
}

// U+2400 and following are pictures of the control characters.
void append_control(std::string& text, std::uint32_t code) {
  const char picture[] = {'\xE2', '\x90', static_cast<char>(0x80 + (code == 0x7F ? 0x21 : code))};
  append(text, std::string_view(picture, sizeof picture));
}

}  // namespace

std::string legible(std::string_view text, std::size_t most) {
  std::string result;
  std::size_t before_last = 0, count = 0;
  for (; !text.empty(); ++count) {
    if (count == most) {
      result.resize(before_last);
      append(result, ellipsis);
      break;
    }
    before_last = result.size();
    const auto [code, length] = decode(text);
    if (length == 0 || is_hidden(code)) {
      append(result, replacement);
    } else if (code < 0x20 || code == 0x7F) {
      append_control(result, code);
    } else {
      append(result, text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

std::string grouped(std::int64_t number) {
  std::string digits = cat(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace strew::internal
