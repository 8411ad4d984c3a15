// One element as another type.
#pragma once

#include <limits>

#include "kernels/types.h"

namespace strew::internal {

// Toward zero. C leaves open what a NaN, or a number that the type does not hold, becomes; here it is what x86-64 makes of it:
// small types are the low bits of an int32, uint32 those of an int64, and what does not fit those is the smallest of them.
template <Integer To, std::floating_point From>
To whole(From x) {
  using Via = std::conditional_t<sizeof(To) < 4 || std::same_as<To, std::int32_t>, std::int32_t, std::int64_t>;
  constexpr From end = static_cast<From>(sizeof(Via) == 4 ? 0x1p31 : 0x1p63);
  if constexpr (std::same_as<To, std::uint64_t>) {
    if (x >= end) return x < 2 * end ? static_cast<To>(x) : 0;
  }
  return static_cast<To>(x >= -end && x < end ? static_cast<Via>(x) : std::numeric_limits<Via>::min());
}

// Rounds once: a float whose last bit remembers what was cut off rounds like the double itself.
inline Half nearest_half(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  if (back == x || x != x) return to_half(nearest);
  const bool is_above = x < 0 ? back < x : back > x;
  return to_half(detail::float_of((detail::bits_of(nearest) - (is_above ? 1u : 0u)) | 1u));
}

// Integers keep their low bits, floats are rounded to nearest, nonzero is true, and a real number drops the imaginary part.
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
