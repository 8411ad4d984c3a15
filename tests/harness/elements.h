// One element of any dtype: reading it, writing it, printing it.
#pragma once

#include <cstring>
#include <string>

#include "harness/case.h"

namespace strew::harness {

// Real numbers in one element: 2 for complex.
[[nodiscard]] constexpr int parts_of(Dtype dtype) { return dtype_info(dtype).kind == DtypeKind::complex ? 2 : 1; }

// Whether a real part of an element is NaN; `part` points to its bytes.
[[nodiscard]] bool is_nan(Dtype dtype, const std::byte* part);

// A real part of an element as a double, which holds every floating value exactly.
[[nodiscard]] double load_real(Dtype dtype, const std::byte* part);
// Rounded to nearest, ties to even; the dtype is floating or complex.
void store_real(Dtype dtype, std::byte* part, double value);

// Integers keep their low bits; bool is 0 or 1.
void store_integer(Dtype dtype, std::byte* element, std::uint64_t value);
[[nodiscard]] std::int64_t load_integer(Dtype dtype, const std::byte* element);

// A real number as JSON: the shortest decimal that reads back to the same bits, or "NaN", "Infinity", "-Infinity".
[[nodiscard]] std::string real_text(Dtype dtype, const std::byte* part);
// An element as JSON, except that strings are not escaped.
[[nodiscard]] std::string element_text(const Buffer& buffer, std::int64_t i);

template <class T>
[[nodiscard]] T load_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store_as(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace strew::harness
