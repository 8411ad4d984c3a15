// Sums and differences: linear in base and updates, so forward mode runs the op itself on the tangents.
#include "gradient/elementwise.h"
#include "gradient/problem.h"

namespace strew::internal {
// updates[i] = cotangent[place of i], negated if the update is subtracted
void linear_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into) {
  if (into.base != nullptr && problem.keeps_base()) convert(*into.base, cotangent, problem.options());
  // An update replaces the base, or the fold begins without it.
  if (into.base != nullptr && !problem.keeps_base()) problem.fill_touched(*into.base, cotangent, zero_of(problem.dtype()));
  if (into.updates == nullptr) return;
  problem.gather(*into.updates, cotangent);
  if (is_empty(into.updates->shape)) return;
  if (const auto factor = problem.cotangent_factor()) multiply_by(*into.updates, *factor, problem.options());
  if (problem.fold().step != Reduction::sub) return;
  const StripKernel negate = negate_kernel(problem.dtype());
  static constexpr std::uint8_t yes = 1;
  const Dims& shape = into.updates->shape;
  apply_strips(negate, *into.updates, {ConstTensorRef(&yes, Dtype::uint8, shape, Dims(shape.size(), 0))}, problem.options());
  if (problem.fold().begin != FoldBegin::first) return;
  // The others are subtracted from the first update.
  const ConstTensorRef numbers = problem.point_numbers();
  const Tensor first = problem.first_numbers();
  Tensor is_first(Dtype::uint8, first.shape());
  apply_strips(equal_kernel(numbers.dtype), is_first, {numbers, first}, problem.options());
  apply_strips(negate, *into.updates, {problem.over_rows(is_first)}, problem.options());
}

}  // namespace strew::internal
