// The properties that reductions declare in kernels/reductions.h, looked up at run time.
#pragma once

#include "strew/op.h"

namespace strew::internal {

// For steps whose operands have the same type. All are false where the reduction is not defined for it.
struct Properties {
  bool has_identity = false;
  bool associative = false;
  bool commutative = false;
  bool replaces = false;        // the last three are the same for every type, strings included
  bool selects = false;
  bool keeps_low_bits = false;

  // Whether updates may be folded into partial results that start from the identity, which are then stepped into the element in the order
  // of their updates. If the reduction is commutative too, any order and any distribution of the updates will do.
  [[nodiscard]] constexpr bool combines() const { return associative && has_identity; }
};

// All false for combinations that do not exist.
Properties properties_of(Reduction reduction, FoldCompare compare, Dtype dtype);

}  // namespace strew::internal
