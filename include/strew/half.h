// The two 16-bit floats as bit patterns, and their conversions, which round to nearest, ties to even.
#pragma once

#include <cstdint>
#include <cstring>

namespace strew::inline v0 {

// IEEE 754 binary16.
struct Half {
  std::uint16_t bits = 0;
};
// bfloat16: the upper half of a float.
struct Bfloat16 {
  std::uint16_t bits = 0;
};

namespace detail {
inline std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
}  // namespace detail

// The value as a float, which is exact.
inline float to_float(Bfloat16 x) { return detail::float_of(static_cast<std::uint32_t>(x.bits) << 16); }

// The value as a float, which is exact. Subnormals are converted as integers, so that a flush-to-zero mode does not affect them.
inline float to_float(Half x) {
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = x.bits & 0x7fffu;
  const std::uint32_t subnormal = detail::bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
  const std::uint32_t bits = magnitude < 0x0400u ? subnormal : magnitude < 0x7c00u ? normal : special;
  return detail::float_of(bits | sign);
}

// The nearest bfloat16, ties to even. A NaN stays one and becomes quiet.
inline Bfloat16 to_bfloat16(float x) {
  const std::uint32_t bits = detail::bits_of(x);
  // Masks instead of a conditional: compilers would narrow vectors of both alternatives before they select.
  const std::uint32_t is_nan = 0u - static_cast<std::uint32_t>(static_cast<std::int32_t>(bits & 0x7fffffffu) > 0x7f800000);
  const std::uint32_t half = 0x7fffu + ((bits >> 16) & 1u);
  return {static_cast<std::uint16_t>(((bits + (half & ~is_nan)) | (is_nan & 0x00400000u)) >> 16)};
}

// The nearest float16, ties to even, in every rounding mode. Larger values become infinite; a NaN stays one and becomes quiet.
inline Half to_half(float x) {
  const std::uint32_t bits = detail::bits_of(x);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // In units of the smallest subnormal, by exact operations only: the caller's rounding mode has no effect.
  const float units = detail::float_of(magnitude < 0x38800000u ? magnitude : 0u) * 0x1p24f;
  const auto whole = static_cast<std::int32_t>(units);
  const float rest = units - static_cast<float>(whole);
  const bool up = rest > 0.5f || (rest == 0.5f && (whole & 1) != 0);
  const std::uint32_t subnormal = static_cast<std::uint32_t>(whole) + (up ? 1u : 0u);
  const std::uint32_t rebased = magnitude - (112u << 23);
  const std::uint32_t normal = (rebased + 0x0fffu + ((rebased >> 13) & 1u)) >> 13;
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  const std::uint32_t result = magnitude > 0x7f800000u    ? nan
                               : magnitude >= 0x47800000u ? 0x7c00u
                               : magnitude < 0x38800000u  ? subnormal
                                                          : normal;
  return {static_cast<std::uint16_t>(result | sign)};
}

}  // namespace strew::inline v0
