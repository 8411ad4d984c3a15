// Decodes UTF-8 strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#include "picture/legible.h"

#include <algorithm>
#include <span>

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

struct Range {
  std::uint32_t first, last;
};
bool is_in(std::span<const Range> ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) { return code >= range.first && code <= range.last; });
}
// The blocks of Unicode whose characters are wide, roughly: symbols among them that have a wide and a narrow form count as wide.
constexpr Range wide[] = {{0x1100, 0x115F},   {0x231A, 0x231B},   {0x2600, 0x27BF},   {0x2B50, 0x2B55},  {0x2E80, 0x303E}, {0x3041, 0xA4CF},
                          {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6},
                          {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF}, {0x1F000, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range combining[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x064B, 0x065F},
                               {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},   {0x20D0, 0x20FF},
                               {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};

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

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [code, length] = decode(text);
    width += is_in(combining, code) ? 0 : is_in(wide, code) ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return width;
}

std::string grouped(std::int64_t number) {
  std::string digits = cat(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace strew::internal
