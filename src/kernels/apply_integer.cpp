// Row kernels for integers, whose arithmetic wraps.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/apply_integer.cpp"
#define HWY_COMPILE_ONLY_STATIC  // too rare to pay for a copy per instruction set
#include "kernels/instruction_sets.h"
// The order matters: instruction_sets.h comes first.
#include "kernels/apply_families.h"
#include "kernels/apply_impl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {

RowKernel find_integer_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator) {
  return find_step_in(Integers{}, reduction, compare, dtype, accumulator);
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {

HWY_EXPORT(find_integer_step);

RowKernel integer_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator) {
  return HWY_DYNAMIC_DISPATCH(find_integer_step)(reduction, compare, dtype, accumulator);
}

}  // namespace strew::internal
#endif
