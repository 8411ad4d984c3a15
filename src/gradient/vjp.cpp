// Reverse mode: cotangents of the inputs from that of the output.
#include "gradient/vjp.h"

#include "base/text.h"
#include "core/memory_errors.h"
#include "gradient/elementwise.h"

namespace strew::internal {
namespace {

bool has_repeats(const ConstTensorRef& view) {
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (view.strides[d] == 0 && view.shape[d] != 1) return true;
  }
  return false;
}

// into = sums of the elements of `from` along the dimensions in which `into` repeats
void sum_repeats(const Problem& problem, const TensorRef& into, const ConstTensorRef& from) {
  if (is_empty(into.shape)) return;
  ScatterOp op{.name = problem.op().name, .base = Zeros{}, .updates = from};
  op.fold = {.step = Reduction::add, .round = FoldRound::at_finish};
  op.where.points = from.shape;
  op.out.data = into.data;
  op.out.dtype = into.dtype;
  for (std::size_t d = 0; d < into.rank(); ++d) {
    if (into.strides[d] == 0 && into.shape[d] != 1) continue;
    op.where.axes.push_back({Axis::point, static_cast<std::uint8_t>(d)});
    op.out.shape.push_back(into.shape[d]);
    op.out.strides.push_back(into.strides[d]);
  }
  run_on_fresh(op, problem.options());
}

// Applies `rule` to a cotangent of the updates in the type of the output and without repeats.
template <class Rule>
void with_plain_updates(Problem& problem, const Cotangents& into, const Rule& rule) {
  const TensorRef* const updates = into.updates;
  if (updates == nullptr || (updates->dtype == problem.dtype() && !has_repeats(*updates))) {
    rule(into);
    return;
  }
  Tensor plain(problem.dtype(), problem.updates_shape());
  const TensorRef view = plain;
  rule(Cotangents{into.base, &view});
  if (!has_repeats(*updates)) {
    convert(*updates, plain, problem.options());
  } else if (updates->dtype == problem.dtype()) {
    sum_repeats(problem, *updates, plain);
  } else {
    sum_repeats(problem, *updates, converted(plain, updates->dtype, problem.options()));
  }
}

void apply_rule(Problem& problem, const ConstTensorRef& cotangent, const std::optional<ConstTensorRef>& result, const Cotangents& into) {
  switch (problem.rule()) {
    case Rule::assign: return assign_vjp(problem, cotangent, into);
    case Rule::linear: return linear_vjp(problem, cotangent, into);
    case Rule::product: return product_vjp(problem, cotangent, into);
    case Rule::extreme: return extreme_vjp(problem, cotangent, result, into);
  }
}

// A view of the base's cotangent as the op addresses it.
Cotangents addressed(const Problem& problem, const Cotangents& into, TensorRef& base) {
  if (into.base == nullptr) return into;
  base = problem.addressed(*into.base);
  return {&base, into.updates};
}

}  // namespace

void vjp_on_fresh(Problem& problem, const ConstTensorRef& given, const std::optional<ConstTensorRef>& result, const Cotangents& outputs) {
  TensorRef base;
  const Cotangents into = addressed(problem, outputs, base);
  ConstTensorRef cotangent = problem.addressed(given);
  if (problem.is_mean()) cotangent = problem.keep(problem.divided(cotangent));
  with_plain_updates(problem, into, [&](const Cotangents& plain) { apply_rule(problem, cotangent, result, plain); });
}

void second_on_fresh(Problem& problem, const ConstTensorRef& given, const ConstTensorRef* given_tangent, const Tangents& tangents,
                     const Cotangents& outputs) {
  TensorRef base;
  const Cotangents into = addressed(problem, outputs, base);
  const auto prepared = [&](const ConstTensorRef& cotangent) {
    const ConstTensorRef view = problem.addressed(cotangent);
    return problem.is_mean() ? problem.keep(problem.divided(view)) : view;
  };
  const ConstTensorRef cotangent = prepared(given);
  const ConstTensorRef tangent = given_tangent != nullptr ? prepared(*given_tangent) : repeated(zero_of(problem.dtype()), cotangent.shape);
  const auto own_base = tangents.base != nullptr ? std::optional(problem.addressed(*tangents.base)) : std::nullopt;
  const Tangents own{own_base ? &*own_base : nullptr, tangents.updates};
  with_plain_updates(problem, into, [&](const Cotangents& plain) { product_second(problem, cotangent, &tangent, own, plain); });
}

void vjp_on_fresh(const GatherOp& op, const ConstTensorRef& cotangent, const TensorRef& into, const RunOptions& options) {
  ScatterOp sum{.name = op.name, .where = op.where, .out = into, .base = Zeros{}, .updates = cotangent};
  sum.fold = {.step = Reduction::add, .round = FoldRound::at_finish};
  run_on_fresh(sum, options);
}

namespace {

// New tensors for the cotangents that are asked for.
struct NewCotangents {
  ScatterGradient made;
  TensorRef base, updates;
  Cotangents into;

  NewCotangents(const Problem& problem, const GradientOf& of, const Dims& out_shape) {
    const ScatterOp& op = problem.op();
    if (of.base && !std::holds_alternative<Zeros>(op.base)) {
      base = made.base.emplace(op.out.dtype, out_shape);
      into.base = &base;
    }
    if (of.updates) {
      updates = made.updates.emplace(op.updates.dtype, problem.updates_shape());
      into.updates = &updates;
    }
  }
  NewCotangents(const NewCotangents&) = delete;
  NewCotangents& operator=(const NewCotangents&) = delete;
};

}  // namespace

ScatterGradient vjp_of(Problem& problem, const ConstTensorRef& cotangent, const GradientOf& of, const Dims& out_shape) {
  const ScatterOp& op = problem.op();
  problem.require_like("the cotangent", cotangent, op.out.dtype, out_shape);
  if (of.result) problem.require_like("the result", *of.result, op.out.dtype, out_shape);
  NewCotangents outputs(problem, of, out_shape);
  vjp_on_fresh(problem, cotangent, of.result, outputs.into);
  return std::move(outputs.made);
}

}  // namespace strew::internal

namespace strew::inline v0 {
using namespace internal;
namespace {

constexpr const char* lacking = "the gradient";

}  // namespace

ScatterGradient vjp(const ScatterOp& op, const ConstTensorRef& cotangent, const GradientOf& of, const RunOptions& options) {
  return naming_memory_errors(op.name, lacking, "", [&] {
    Problem problem(op, options);
    return vjp_of(problem, cotangent, of, op.out.shape);
  });
}

Tensor vjp(const GatherOp& op, const ConstTensorRef& cotangent, const RunOptions& options) {
  return naming_memory_errors(op.name, lacking, "", [&] {
    require_differentiable(op, "the cotangent", cotangent, op.out);
    Tensor into(op.from.dtype, op.from.shape);
    vjp_on_fresh(op, cotangent, into, options);
    return into;
  });
}

ScatterGradient vjp_jvp(const ScatterOp& op, const ConstTensorRef& cotangent, const std::optional<ConstTensorRef>& cotangent_tangent,
                        const ScatterTangents& tangents, const GradientOf& of, const RunOptions& options) {
  return naming_memory_errors(op.name, lacking, "", [&] {
    Problem problem(op, options);
    problem.require_like("the cotangent", cotangent, op.out.dtype, op.out.shape);
    if (cotangent_tangent) problem.require_like("the tangent of the cotangent", *cotangent_tangent, op.out.dtype, op.out.shape);
    require_tangents(problem, op, tangents);
    const ConstTensorRef further = cotangent_tangent.value_or(repeated(zero_of(op.out.dtype), op.out.shape));
    if (problem.rule() != Rule::product) return vjp_of(problem, further, of, op.out.shape);
    NewCotangents outputs(problem, of, op.out.shape);
    const std::optional<ConstTensorRef> own = plain_tangent(problem, tangents.updates);
    second_on_fresh(problem, cotangent, &further, {tangents.base ? &*tangents.base : nullptr, own ? &*own : nullptr}, outputs.into);
    return std::move(outputs.made);
  });
}

bool passes_cotangent(const ScatterOp& op) {
  const Fold& fold = op.fold;
  return (fold.step == Reduction::add || fold.step == Reduction::sub) && fold.begin == FoldBegin::current &&
         fold.finish == FoldFinish::keep;
}

}  // namespace strew::inline v0
