// Steps on the 16-bit floats.
#include "kernels/apply_impl.h"

namespace strew {

RowKernel half_step(Reduction reduction, Compare compare, Dtype dtype, Dtype accumulator) {
  return find_step_in(Halves{}, reduction, compare, dtype, accumulator);
}

}  // namespace strew
