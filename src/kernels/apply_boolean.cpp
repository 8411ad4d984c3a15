// Steps on bool: add is or, mul is and.
#include "kernels/apply_impl.h"

namespace strew {

RowKernel boolean_step(Reduction reduction, Compare compare, Dtype dtype, Dtype accumulator) {
  return find_step_in(Types<bool>{}, reduction, compare, dtype, accumulator);
}

}  // namespace strew
