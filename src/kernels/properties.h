// What a reduction says about itself in kernels/reductions.h, for those who only know its name.
#pragma once

#include "strew/op.h"

namespace strew::internal {

// Of steps whose operands both have one type. All are false where the reduction is not defined for that type.
struct Properties {
  bool has_identity = false;
  bool associative = false;
  bool commutative = false;
  bool replaces = false;        // the last three hold for every type, strings too
  bool selects = false;
  bool keeps_low_bits = false;

  // Whether updates may be stepped into several partial results that begin as the identity. Those are then stepped into the element in the
  // order of their updates; in any order, and with updates dealt out at will, if the reduction is commutative too.
  [[nodiscard]] constexpr bool combines() const { return associative && has_identity; }
};

Properties properties_of(Reduction reduction, FoldCompare compare, Dtype dtype);

}  // namespace strew::internal
