// Steps on integers, which wrap.
#include "kernels/apply_impl.h"

namespace strew {

RowKernel integer_step(Reduction reduction, Compare compare, Dtype dtype, Dtype accumulator) {
  return find_step_in(Integers{}, reduction, compare, dtype, accumulator);
}

}  // namespace strew
