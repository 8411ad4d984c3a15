// Building messages from pieces. Messages are for errors: what builds them is kept out of the way of the code that checks.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <span>
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

// "[3, 4]" from numbers in a row.
[[gnu::cold, gnu::noinline]] inline std::string bracketed(std::span<const std::int64_t> numbers, std::string_view separator = ", ") {
  std::string text = "[";
  for (const std::int64_t number : numbers) {
    if (text.size() > 1) text += separator;
    append(text, number);
  }
  return text + "]";
}

template <class... Pieces>
[[gnu::cold, gnu::noinline]] std::string cat_values(Pieces... pieces) {
  std::string text;
  (append(text, pieces), ...);
  return text;
}

// Pieces go on by value: a number whose address is taken for a message would not be kept in a register by the code that checks it.
template <class N>
  requires(std::integral<N> || std::floating_point<N>)
N by_value(N number) {
  return number;
}
inline const char* by_value(const char* text) { return text; }
inline std::string_view by_value(std::string_view text) { return text; }
template <class... Pieces>
[[gnu::always_inline]] inline std::string cat(const Pieces&... pieces) {
  return cat_values(by_value(pieces)...);
}

}  // namespace strew
