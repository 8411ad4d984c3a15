// The two 16-bit floats as values, and their conversions, which round to nearest, ties to even.
#pragma once

#include <cstdint>
#include <cstring>

namespace strew {

struct Half {
  std::uint16_t bits = 0;
};
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

inline float to_float(Bfloat16 x) { return detail::float_of(static_cast<std::uint32_t>(x.bits) << 16); }

// Subnormals are built from an integer, so that a caller's flush-to-zero mode cannot lose them.
inline float to_float(Half x) {
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = x.bits & 0x7fffu;
  const std::uint32_t subnormal = detail::bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
  const std::uint32_t bits = magnitude < 0x0400u ? subnormal : magnitude < 0x7c00u ? normal : special;
  return detail::float_of(bits | sign);
}

inline Bfloat16 to_bfloat16(float x) {
  const std::uint32_t bits = detail::bits_of(x);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t nan = (bits >> 16) | 0x40u;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded)};
}

inline Half to_half(float x) {
  const std::uint32_t bits = detail::bits_of(x);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // One unit in the last place of 0.5f is the smallest half, so the addition does the rounding.
  const std::uint32_t subnormal = detail::bits_of(detail::float_of(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t rebased = magnitude - (112u << 23);
  const std::uint32_t normal = (rebased + 0x0fffu + ((rebased >> 13) & 1u)) >> 13;
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  const std::uint32_t result = magnitude > 0x7f800000u    ? nan
                               : magnitude >= 0x47800000u ? 0x7c00u
                               : magnitude < 0x38800000u  ? subnormal
                                                          : normal;
  return {static_cast<std::uint16_t>(result | sign)};
}

}  // namespace strew
