// Reads one index, wraps it and decides whether it is out of range. kernels/lists.cpp has the vector versions.
#pragma once

#include "base/checked.h"
#include "kernels/types.h"

namespace strew::internal {

// The coordinate of an index, not yet checked. An unsigned index above 2^63 - 1 becomes negative, is never wrapped and so is out of range.
template <class I, bool wrap>
std::int64_t coordinate(I index, std::int64_t extent) {
  const auto value = static_cast<std::int64_t>(index);
  if constexpr (wrap && std::is_signed_v<I>) {
    return value < 0 ? value + extent : value;
  } else {
    return value;
  }
}

// Loads an index exactly once. Another thread may change it at any time, so the checked and the used value must come from one load; the
// compiler may otherwise load it again.
template <class I>
[[gnu::always_inline]] inline I read_once(const std::byte* at) {
  I value = load<I>(at);
  asm("" : "+r"(value));
  return value;
}
// The same for copied indices: after this the compiler may not read the original again instead of the copy.
template <class Copy>
[[gnu::always_inline]] inline void hide_from_optimizer(Copy& copy) {
  asm("" : "+m"(copy));
}

template <class I, bool wrap>
[[gnu::always_inline]] inline std::int64_t coordinate_at(const std::byte* at, std::int64_t extent) {
  return coordinate<I, wrap>(read_once<I>(at), extent);
}

// One unsigned comparison checks both ends.
inline bool outside(std::int64_t at, std::int64_t extent) { return static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(extent); }

// Negative if `at` is outside. Loops combine results with `|` and test the sign once, which vectorizes better than comparisons.
inline std::int64_t outside_sign(std::int64_t at, std::int64_t extent) { return at | wrapping_add(extent, ~at); }

}  // namespace strew::internal
