// What one index means: where it is read and wrapped, and where out of range is decided. kernels/lists.cpp does the same for vectors.
#pragma once

#include "base/checked.h"
#include "kernels/types.h"

namespace strew::internal {

// The coordinate an index names. Out of range shows as unsigned >= extent, which catches both ends; an unsigned index
// above 2^63 - 1 turns negative and is never wrapped.
template <class I, bool wrap>
std::int64_t coordinate(I index, std::int64_t extent) {
  const auto value = static_cast<std::int64_t>(index);
  if constexpr (wrap && std::is_signed_v<I>) {
    return value < 0 ? value + extent : value;
  } else {
    return value;
  }
}

// Another thread may change indices at any time, so what is checked and what is used must come of one read. Compilers read again what is in
// memory where that suits them, but not what this returns.
template <class I>
[[gnu::always_inline]] inline I read_once(const std::byte* at) {
  I value = load<I>(at);
  asm("" : "+r"(value));
  return value;
}
// The same for indices that were copied: between the copy and its use.
template <class Copy>
[[gnu::always_inline]] inline void was_read_once(Copy& copy) {
  asm("" : "+m"(copy));
}

template <class I, bool wrap>
[[gnu::always_inline]] inline std::int64_t coordinate_at(const std::byte* at, std::int64_t extent) {
  return coordinate<I, wrap>(read_once<I>(at), extent);
}

inline bool outside(std::int64_t at, std::int64_t extent) { return static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(extent); }

// The same as a number, which is negative then: numbers are joined by `|`, and signs make better vectors than comparisons.
inline std::int64_t outside_sign(std::int64_t at, std::int64_t extent) { return at | wrapping_add(extent, ~at); }

}  // namespace strew::internal
