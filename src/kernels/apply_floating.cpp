// Steps on float32 and float64.
#include "kernels/apply_impl.h"

namespace strew {

RowKernel floating_step(Reduction reduction, Compare compare, Dtype dtype, Dtype accumulator) {
  return find_step_in(Floats{}, reduction, compare, dtype, accumulator);
}

}  // namespace strew
