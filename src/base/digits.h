// Decimal digits of floating-point numbers, also with standard libraries that lack std::to_chars for them (libc++ before 14).
#pragma once

#include <charconv>
#include <concepts>

#ifndef __cpp_lib_to_chars
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#endif

namespace strew::internal {

#ifdef __cpp_lib_to_chars

// Writes the shortest decimal that reads back to the same number, and returns its end. 32 characters are enough.
template <std::floating_point N>
char* write_shortest(char* first, char* last, N number) {
  return std::to_chars(first, last, number).ptr;
}

// Writes the number with at most `digits` significant digits, without trailing zeros, and returns the end.
inline char* write_rounded(char* first, char* last, double number, int digits) {
  return std::to_chars(first, last, number, std::chars_format::general, digits).ptr;
}

// Reads a decimal from the beginning of a text, as std::from_chars does.
inline std::from_chars_result read_digits(const char* first, const char* last, double& number) {
  return std::from_chars(first, last, number);
}

#else

inline std::from_chars_result read_digits(const char* first, const char* last, double& number) {
  const std::string text(first, last);
  char* end = nullptr;
  errno = 0;
  const double read = std::strtod(text.c_str(), &end);
  const char* const stop = first + (end - text.c_str());
  if (stop == first) return {first, std::errc::invalid_argument};
  if (errno == ERANGE && (read == 0 || read > 1 || read < -1)) return {stop, std::errc::result_out_of_range};
  number = read;
  return {stop, std::errc()};
}

inline float read_back(const char* text, float) { return std::strtof(text, nullptr); }
inline double read_back(const char* text, double) { return std::strtod(text, nullptr); }

template <std::floating_point N>
char* write_shortest(char* first, char* last, N number) {
  const auto room = static_cast<std::size_t>(last - first);
  char scientific[48], fixed[400];
  int digits = 0;
  do {
    std::snprintf(scientific, sizeof scientific, "%.*e", digits, static_cast<double>(number));
  } while (read_back(scientific, number) != number && ++digits < 20 && number == number);
  const char* const exponent = std::strchr(scientific, 'e');
  if (exponent == nullptr) return first + std::snprintf(first, room, "%s", scientific);  // infinite, or not a number
  const int after_point = digits - std::atoi(exponent + 1);
  std::snprintf(fixed, sizeof fixed, "%.*f", after_point < 0 ? 0 : after_point, static_cast<double>(number));
  return first + std::snprintf(first, room, "%s", std::strlen(fixed) <= std::strlen(scientific) ? fixed : scientific);
}

inline char* write_rounded(char* first, char* last, double number, int digits) {
  return first + std::snprintf(first, static_cast<std::size_t>(last - first), "%.*g", digits, number);
}

#endif

}  // namespace strew::internal
