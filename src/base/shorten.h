// Text of the caller's, of any length, cut to one that a message allows.
#pragma once

#include "base/text.h"

namespace strew::internal {

// The parts of a text that stay: all of it, or its beginning, a mark and its end.
struct Shortened {
  std::string_view begin, mark, end;
};

// At most `head` bytes of the beginning and `tail` of the end, unless the text is hardly longer. Characters of UTF-8 stay whole.
[[nodiscard]] inline Shortened shortened(std::string_view text, std::size_t head, std::size_t tail) {
  constexpr std::string_view cut = " [...] ";
  const auto begins_character = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80; };
  if (text.size() <= head + cut.size() + tail) return {text, {}, {}};
  std::size_t to = head, from = text.size() - tail;
  for (int i = 0; i < 3 && !begins_character(to); ++i) --to;
  for (int i = 0; i < 3 && !begins_character(from); ++i) ++from;
  return {text.substr(0, to), cut, text.substr(from)};
}

// A name, which may be null, for a text of a few lines.
[[nodiscard]] inline std::string short_name(const char* name) {
  const std::string whole = cat(name);
  const Shortened parts = shortened(whole, 150, 50);
  return cat(parts.begin, parts.mark, parts.end);
}

}  // namespace strew::internal
