// Building messages from pieces. Messages are for errors: what builds them is kept out of the way of the code that checks.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace strew {

inline void append(std::string& text, std::string_view piece) { text += piece; }
inline void append(std::string& text, const char* piece) { text += piece; }
inline void append(std::string& text, char piece) { text += piece; }
inline void append(std::string& text, bool piece) { text += piece ? "true" : "false"; }
template <class N>
  requires(std::integral<N> || std::floating_point<N>)
void append(std::string& text, N number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, end.ptr);
}

// "[3, 4]" from anything one can loop over.
template <class Range>
[[gnu::cold, gnu::noinline]] std::string bracketed(const Range& range, std::string_view separator = ", ") {
  std::string text = "[";
  for (const auto& item : range) {
    if (text.size() > 1) text += separator;
    append(text, item);
  }
  return text + "]";
}

template <class... Pieces>
[[gnu::cold, gnu::noinline]] std::string cat(const Pieces&... pieces) {
  std::string text;
  (append(text, pieces), ...);
  return text;
}

}  // namespace strew
