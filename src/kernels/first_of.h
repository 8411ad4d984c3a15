// Less()(a, b) ? a : b for floats in one instruction. Compilers often make it a branch, which nobody can foresee.
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
  // Where one is NaN the instructions give the second, as the formula does. The intrinsics for them also clear the rest of a register,
  // which takes longer than all the rest.
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
