// Steps on complex numbers.
#include "kernels/apply_impl.h"

namespace strew {

RowKernel complex_step(Reduction reduction, Compare compare, Dtype dtype, Dtype accumulator) {
  return find_step_in(Complexes{}, reduction, compare, dtype, accumulator);
}

}  // namespace strew
