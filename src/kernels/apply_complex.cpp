// Row kernels for complex numbers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/apply_complex.cpp"
#define HWY_COMPILE_ONLY_STATIC  // too rare to pay for a copy per instruction set
#include "kernels/instruction_sets.h"
// The order matters: instruction_sets.h comes first.
#include "kernels/apply_families.h"
#include "kernels/apply_impl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {

RowKernel find_complex_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator) {
  return find_step_in(Complexes{}, reduction, compare, dtype, accumulator);
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {

HWY_EXPORT(find_complex_step);

RowKernel complex_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator) {
  return HWY_DYNAMIC_DISPATCH(find_complex_step)(reduction, compare, dtype, accumulator);
}

}  // namespace strew::internal
#endif
