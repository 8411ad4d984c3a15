// Assignments, sums and differences: linear in base and updates, so forward mode runs the op itself on the tangents.
#include "gradient/elementwise.h"
#include "gradient/problem.h"

namespace strew::internal {
namespace {

// The base passes the cotangent on, but not where an update replaces or ignores it.
void base_vjp(Problem& problem, const ConstTensorRef& cotangent, const TensorRef& into) {
  if (problem.keeps_base()) {
    convert(into, cotangent, problem.options());
  } else {
    problem.fill_touched(into, cotangent, zero_of(problem.dtype()));
  }
}

void scale_back(const Problem& problem, const TensorRef& into) {
  if (const auto factor = problem.cotangent_factor()) multiply_by(into, *factor, problem.options());
}

}  // namespace

// updates[i] = cotangent[place of i] if i is the last update of its place, else 0
void assign_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into) {
  if (into.base != nullptr) base_vjp(problem, cotangent, *into.base);
  if (into.updates == nullptr) return;
  problem.gather(*into.updates, cotangent);
  const ConstTensorRef last = problem.last_numbers();
  apply_strips(drop_kernel(size_of(problem.dtype()), last.dtype), *into.updates,
               {problem.over_rows(problem.point_numbers()), problem.over_rows(last)}, problem.options());
  scale_back(problem, *into.updates);
}

// updates[i] = cotangent[place of i], negated if the update is subtracted
void linear_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into) {
  if (into.base != nullptr) base_vjp(problem, cotangent, *into.base);
  if (into.updates == nullptr) return;
  problem.gather(*into.updates, cotangent);
  scale_back(problem, *into.updates);
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
