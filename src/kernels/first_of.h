// Less()(a, b) ? a : b for floats in one instruction. Compilers often emit a branch instead, which is unpredictable.
#pragma once

#include <concepts>

namespace strew::internal {

struct Below {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct Above {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};

template <class Less, std::floating_point T>
T first_of(T a, T b) {
#ifdef __SSE2__
  // If either operand is NaN the instructions return the second one, like the formula. Their intrinsics would also clear the upper lanes,
  // which costs more than everything else here.
  constexpr bool is_below = std::same_as<Less, Below>;
  if constexpr (std::same_as<T, float>) {
    if constexpr (is_below) {
      asm("minss %1, %0" : "+x"(a) : "x"(b));
    } else {
      asm("maxss %1, %0" : "+x"(a) : "x"(b));
    }
  } else {
    if constexpr (is_below) {
      asm("minsd %1, %0" : "+x"(a) : "x"(b));
    } else {
      asm("maxsd %1, %0" : "+x"(a) : "x"(b));
    }
  }
  return a;
#else
  return Less()(a, b) ? a : b;
#endif
}

}  // namespace strew::internal
