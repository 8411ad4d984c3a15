// Forward mode: the tangent of the output from those of the inputs.
#include "base/text.h"
#include "core/memory_errors.h"
#include "gradient/elementwise.h"
#include "gradient/vjp.h"

namespace strew::internal {
namespace {

// Linear folds: the op itself, on tangents.
ScatterOp on_tangents(const Problem& problem, const Tangents& tangents, const TensorRef& into) {
  ScatterOp op = problem.op();
  op.out = into;
  op.scalar = {};
  op.updates = tangents.updates != nullptr ? *tangents.updates : repeated(zero_of(op.updates.dtype), op.updates.shape);
  if (std::holds_alternative<Zeros>(op.base)) return op;
  op.base = tangents.base != nullptr ? *tangents.base : repeated(zero_of(op.out.dtype), op.out.shape);
  return op;
}

}  // namespace

void jvp_on_fresh(Problem& problem, const Tangents& given, const std::optional<ConstTensorRef>& result, const TensorRef& output) {
  const TensorRef into = problem.addressed(output);
  const auto base = given.base != nullptr ? std::optional(problem.addressed(*given.base)) : std::nullopt;
  Tangents tangents{base ? &*base : nullptr, given.updates};
  if (problem.rule() == Rule::assign || problem.rule() == Rule::linear) {
    run_on_fresh(on_tangents(problem, tangents, into), problem.options());
    return;
  }
  const auto updates = plain_tangent(problem, given.updates != nullptr ? std::optional(*given.updates) : std::nullopt);
  tangents.updates = updates ? &*updates : nullptr;
  if (problem.rule() == Rule::product) product_jvp(problem, tangents, into);
  else extreme_jvp(problem, tangents, result, into);
  if (problem.is_mean()) convert(into, problem.divided(into), problem.options());
}

std::optional<ConstTensorRef> plain_tangent(Problem& problem, const std::optional<ConstTensorRef>& updates) {
  const ScatterOp& op = problem.op();
  if (!updates || (updates->dtype == op.out.dtype && !op.scale)) return updates;
  Tensor plain = converted(*updates, op.out.dtype, problem.options());
  if (op.scale) multiply_by(plain, *op.scale, problem.options());
  return problem.keep(std::move(plain));
}

void require_tangents(const Problem& problem, const ScatterOp& op, const ScatterTangents& tangents) {
  if (tangents.base && std::holds_alternative<Zeros>(op.base))
    throw Error(ErrorCode::argument, cat(op.name, ": the output starts from zeros, so there is no ", op.name.input, " with a tangent"));
  if (tangents.base) problem.require_like("the tangent of the base", *tangents.base, op.out.dtype, op.out.shape);
  if (tangents.updates) {
    problem.require_like("the tangent of the updates", *tangents.updates, problem.op().updates.dtype, problem.updates_shape());
  }
}

}  // namespace strew::internal

namespace strew::inline v0 {
using namespace internal;

Tensor jvp(const ScatterOp& op, const ScatterTangents& tangents, const std::optional<ConstTensorRef>& result, const RunOptions& options) {
  return naming_memory_errors(op.name, "the gradient", "", [&] {
    Problem problem(op, options);
    require_tangents(problem, op, tangents);
    if (result) problem.require_like("the result", *result, op.out.dtype, op.out.shape);
    Tensor into(op.out.dtype, op.out.shape);
    jvp_on_fresh(problem, {tangents.base ? &*tangents.base : nullptr, tangents.updates ? &*tangents.updates : nullptr}, result, into);
    return into;
  });
}

Tensor jvp(const GatherOp& op, const ConstTensorRef& tangent, const RunOptions& options) {
  require_differentiable(op, "the tangent", tangent, op.from);
  GatherOp on_tangent = op;
  on_tangent.from = tangent;
  return compute(std::move(on_tangent), options);
}

void jvp_into(const TensorRef& into, const ScatterOp& op, const ScatterTangents& tangents, const std::optional<ConstTensorRef>& result,
              const RunOptions& options) {
  const Tensor made = jvp(op, tangents, result, options);
  // An assignment of all elements: checked, and all or nothing.
  ScatterOp store{.name = op.name, .out = into, .updates = made};
  store.where.points = made.shape();
  for (std::size_t d = 0; d < made.shape().size(); ++d) store.where.axes.push_back({Axis::point, static_cast<std::uint8_t>(d)});
  run(std::move(store), options);
}

void jvp_into(const TensorRef& into, const GatherOp& op, const ConstTensorRef& tangent, const RunOptions& options) {
  require_differentiable(op, "the tangent", tangent, op.from);
  GatherOp on_tangent = op;
  on_tangent.from = tangent;
  on_tangent.out = into;
  run(std::move(on_tangent), options);
}

}  // namespace strew::inline v0
