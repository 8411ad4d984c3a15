// Arithmetic on sizes and offsets that reports overflow, saturates or wraps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace strew::internal {

// No value on overflow.
inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// For operands >= 0: the largest int64 on overflow.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  return checked_add(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}
inline std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  return checked_mul(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

// count * i / parts for 0 <= i <= parts, without overflow of the product.
inline std::int64_t portion(std::int64_t count, std::int64_t i, std::int64_t parts) {
  return count / parts * i + count % parts * i / parts;
}

// The only conversion from counts to sizes of memory; no value if `count` is negative or too large.
inline std::optional<std::size_t> to_size(std::int64_t count) {
  if (count < 0 || static_cast<std::uint64_t>(count) > std::numeric_limits<std::size_t>::max() / 2) return std::nullopt;
  return static_cast<std::size_t>(count);
}

// Two's complement arithmetic without undefined behaviour: the result wraps.
inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace strew::internal
