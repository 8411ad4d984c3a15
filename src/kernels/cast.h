// Casts of one element to another type.
#pragma once

#include <limits>

#include "kernels/types.h"

namespace strew::internal {

// Truncates toward zero. NaN and values out of range, undefined in C++, give the result of x86-64: types below 32 bits take the low bits of
// an int32, uint32 those of an int64, and a value that does not fit the int32 or int64 becomes its minimum.
template <Integer To, std::floating_point From>
To whole(From x) {
  using Via = std::conditional_t<sizeof(To) < 4 || std::same_as<To, std::int32_t>, std::int32_t, std::int64_t>;
  constexpr From end = static_cast<From>(sizeof(Via) == 4 ? 0x1p31 : 0x1p63);
  if constexpr (std::same_as<To, std::uint64_t>) {
    if (x >= end) return x < 2 * end ? static_cast<To>(x) : 0;
  }
  return static_cast<To>(x >= -end && x < end ? static_cast<Via>(x) : std::numeric_limits<Via>::min());
}

// Rounds a double to float16 once: rounding to odd in float first avoids double rounding.
inline Half nearest_half(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  if (back == x || x != x) return to_half(nearest);
  const bool is_above = x < 0 ? back < x : back > x;
  return to_half(detail::float_of((detail::bits_of(nearest) - (is_above ? 1u : 0u)) | 1u));
}

// Integers keep their low bits, floats round to nearest, nonzero is true, and a cast from complex to real drops the imaginary part.
template <class To, class From>
To cast(From x) {
  if constexpr (std::same_as<To, From>) {
    return x;
  } else if constexpr (HalfLike<From>) {
    return cast<To>(to_float(x));
  } else if constexpr (std::same_as<To, bool>) {
    return x != From(0);
  } else if constexpr (ComplexLike<From> && ComplexLike<To>) {
    using Real = typename To::value_type;
    return {static_cast<Real>(x.real()), static_cast<Real>(x.imag())};
  } else if constexpr (ComplexLike<From>) {
    return cast<To>(x.real());
  } else if constexpr (ComplexLike<To>) {
    return {cast<typename To::value_type>(x), 0};
  } else if constexpr (std::same_as<To, Half> && std::same_as<From, double>) {
    return nearest_half(x);
  } else if constexpr (HalfLike<To>) {
    return Computing<To>::narrow(static_cast<float>(x));
  } else if constexpr (Integer<To> && std::floating_point<From>) {
    return whole<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace strew::internal
