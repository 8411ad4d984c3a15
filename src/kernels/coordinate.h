// What one index means: the only place where an index is read and wrapped, and where out of range is decided.
#pragma once

#include "base/checked.h"
#include "kernels/types.h"

namespace strew {

// The coordinate an index names. Out of range shows as unsigned >= extent, which catches both ends; an unsigned index
// above 2^63 - 1 turns negative and is never wrapped.
template <class I, bool wrap>
std::int64_t coordinate(const std::byte* at, std::int64_t extent) {
  const std::int64_t value = static_cast<std::int64_t>(load<I>(at));
  if constexpr (wrap && std::is_signed_v<I>) {
    return value < 0 ? value + extent : value;
  } else {
    return value;
  }
}

// Another thread may change indices at any time, so what is checked and what is used must come of one read. Compilers read again what is in
// memory where that suits them: of what these give they cannot.
template <class I>
[[gnu::always_inline]] inline I read_once(const std::byte* at) {
  I value = load<I>(at);
  asm("" : "+r"(value));
  return value;
}
template <class Copy>
[[gnu::always_inline]] inline void was_read_once(Copy& copy) {
  asm("" : "+m"(copy));
}

inline bool outside(std::int64_t at, std::int64_t extent) { return static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(extent); }

// The same as a number, which is negative then: numbers are joined by `|`, and signs make better vectors than comparisons.
inline std::int64_t outside_sign(std::int64_t at, std::int64_t extent) { return at | wrapping_add(extent, ~at); }

}  // namespace strew
