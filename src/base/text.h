// Builds messages from parts. The functions are cold and not inlined, so that the checks which call them stay small and fast.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/digits.h"
#include "strew/small_vector.h"

namespace strew::internal {

// Appends a part: text, a character, a bool or a number. Throws an Error of code `memory` if the allocation fails.
inline void append(std::string& text, std::string_view part) {
  try {
    text += part;
  } catch (const std::bad_alloc&) {
    detail::throw_no_memory();
  } catch (const std::length_error&) {
    detail::throw_no_memory();
  }
}
// Names come from the caller, so a null pointer is allowed.
inline void append(std::string& text, const char* part) { append(text, std::string_view(part == nullptr ? "(null)" : part)); }
inline void append(std::string& text, char part) { append(text, std::string_view(&part, 1)); }
inline void append(std::string& text, bool part) { append(text, std::string_view(part ? "true" : "false")); }
template <std::integral N>
void append(std::string& text, N number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  append(text, std::string_view(digits, static_cast<std::size_t>(end.ptr - digits)));
}
template <std::floating_point N>
void append(std::string& text, N number) {
  char digits[32];
  append(text, std::string_view(digits, static_cast<std::size_t>(write_shortest(digits, digits + sizeof digits, number) - digits)));
}

// Formats numbers as "[3, 4]".
[[gnu::cold, gnu::noinline]] inline std::string bracketed(std::span<const std::int64_t> numbers, std::string_view separator = ", ") {
  std::string text = "[";
  for (const std::int64_t number : numbers) {
    if (text.size() > 1) append(text, separator);
    append(text, number);
  }
  append(text, ']');
  return text;
}

// The out-of-line part of cat().
template <class... Parts>
[[gnu::cold, gnu::noinline]] std::string cat_values(Parts... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

// Passes parts on by value: a number whose address is taken could not stay in a register of the code that checks it.
template <class N>
  requires(std::integral<N> || std::floating_point<N>)
N by_value(N number) {
  return number;
}
inline const char* by_value(const char* text) { return text; }
inline std::string_view by_value(std::string_view text) { return text; }
// Concatenates parts into a string. Throws an Error of code `memory` if the allocation fails.
template <class... Parts>
[[gnu::always_inline]] inline std::string cat(const Parts&... parts) {
  return cat_values(by_value(parts)...);
}

}  // namespace strew::internal
