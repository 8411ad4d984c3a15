// Reverse mode: cotangents of the inputs from that of the output.
#include "gradient/vjp.h"

#include "base/before_writing.h"
#include "base/text.h"
#include "core/memory_errors.h"
#include "core/overlap.h"
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

void require_differentiable(const GatherOp& op, const char* argument, const ConstTensorRef& given, const ConstTensorRef& like) {
  check_form(op, false);
  const DtypeKind kind = dtype_info(op.from.dtype).kind;
  if (kind != DtypeKind::floating && kind != DtypeKind::complex) {
    throw Error(ErrorCode::dtype, cat(op.name, ": ", op.name.input, " of ", to_string(op.from.dtype),
                                      " has no gradient; only floating-point and complex numbers have one"));
  }
  check_view(op.name, argument, given);
  if (given.dtype != like.dtype)
    throw Error(ErrorCode::dtype, cat(op.name, ": ", argument, " must be ", to_string(like.dtype), ", got ", to_string(given.dtype)));
  if (!(given.shape == like.shape)) {
    throw Error(ErrorCode::shape,
                cat(op.name, ": ", argument, " must have shape ", bracketed(like.shape), ", got ", bracketed(given.shape)));
  }
}

ScatterGradient vjp_of(Problem& problem, const ConstTensorRef& cotangent, const GradientOf& of, const Dims& out_shape) {
  const ScatterOp& op = problem.op();
  problem.require_like("the cotangent", cotangent, op.out.dtype, out_shape);
  if (of.result) problem.require_like("the result", *of.result, op.out.dtype, out_shape);
  ScatterGradient made;
  TensorRef base, updates;
  Cotangents into;
  if (of.base && !std::holds_alternative<Zeros>(op.base)) {
    base = made.base.emplace(op.out.dtype, out_shape);
    into.base = &base;
  }
  if (of.updates) {
    updates = made.updates.emplace(op.updates.dtype, problem.updates_shape());
    into.updates = &updates;
  }
  vjp_on_fresh(problem, cotangent, of.result, into);
  return made;
}

}  // namespace strew::internal

namespace strew::inline v0 {
using namespace internal;
namespace {

constexpr const char *lacking = "the gradient", *ending = "; nothing was written";

void reject_overlap(const char* op, const char* what) {
  throw Error(ErrorCode::overlap, cat(op, ": unsupported operation: ", what, " refer to a single memory location"));
}

// Checks memory that cotangents are to be written to.
Extent check_target(const Problem& problem, const char* argument, const TensorRef& into, Dtype dtype, const Dims& shape) {
  problem.require_like(argument, into, dtype, shape);
  if (overlaps_itself(without_repeats(into))) reject_overlap(problem.op().name, cat("some elements of ", argument).c_str());
  return check_view(problem.op().name, argument, into);
}

// Copies that allocate nothing once they are made.
struct Copies {
  struct One {
    Strips strips;
    RowKernel kernel;
  };
  std::vector<One> all;
  const RunOptions& options;

  void add(const TensorRef& to, const Tensor& from) {
    const ConstTensorRef part = without_repeats(to);
    all.push_back({Strips({to.data, to.dtype, part.shape, part.strides}, {from}),
                   step_kernel(Reduction::assign, FoldCompare::keep_out, to.dtype, to.dtype)});
  }
  void write() const {
    ask_before_writing();
    static constexpr std::int64_t zero = 0;
    for (const One& one : all) {
      each_strip(one.strips, options, [kernel = one.kernel](const Strip& strip) {
        kernel({strip.at[0], &zero, strip.at[1], 0, 1, strip.count, strip.step[0], strip.step[1]});
      });
    }
  }
};

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

void vjp_into(const CotangentsInto& into, const ScatterOp& op, const ConstTensorRef& cotangent, const std::optional<ConstTensorRef>& result,
              const RunOptions& options) {
  naming_memory_errors(op.name, lacking, ending, [&] {
    Problem problem(op, options);
    problem.require_like("the cotangent", cotangent, op.out.dtype, op.out.shape);
    if (result) problem.require_like("the result", *result, op.out.dtype, op.out.shape);
    Copies copies{{}, options};
    std::optional<Tensor> base, updates;
    TensorRef base_view, updates_view;
    Cotangents made;
    Extent of_base, of_updates;
    if (into.base) {
      if (std::holds_alternative<Zeros>(op.base))
        throw Error(ErrorCode::argument,
                    cat(op.name, ": the output starts from zeros, so there is no ", op.name.input, " with a gradient"));
      of_base = check_target(problem, "the cotangent of the base", *into.base, op.out.dtype, op.out.shape);
      base_view = base.emplace(op.out.dtype, op.out.shape);
      made.base = &base_view;
      copies.add(*into.base, *base);
    }
    if (into.updates) {
      of_updates =
          check_target(problem, "the cotangent of the updates", *into.updates, problem.op().updates.dtype, problem.updates_shape());
      updates.emplace(problem.op().updates.dtype, without_repeats(*into.updates).shape);
      const ConstTensorRef view = with_repeats(*updates, *into.updates);
      updates_view = {updates->data(), view.dtype, view.shape, view.strides};
      made.updates = &updates_view;
      copies.add(*into.updates, *updates);
    }
    if (into.base && into.updates && meet(of_base, of_updates)) reject_overlap(op.name, "the cotangents of base and updates");
    vjp_on_fresh(problem, cotangent, result, made);
    copies.write();
  });
}

void vjp_into(const TensorRef& into, const GatherOp& op, const ConstTensorRef& cotangent, const RunOptions& options) {
  require_differentiable(op, "the cotangent", cotangent, op.out);
  require_differentiable(op, "the cotangent of the source", into, op.from);
  ScatterOp sum{.name = op.name, .where = op.where, .out = into, .base = Zeros{}, .updates = cotangent};
  sum.fold = {.step = Reduction::add, .round = FoldRound::at_finish};
  run(std::move(sum), options);
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
    ScatterGradient made;
    TensorRef base, updates;
    Cotangents into;
    if (of.base && !std::holds_alternative<Zeros>(op.base)) {
      base = made.base.emplace(op.out.dtype, op.out.shape);
      into.base = &base;
    }
    if (of.updates) {
      updates = made.updates.emplace(problem.op().updates.dtype, problem.updates_shape());
      into.updates = &updates;
    }
    const std::optional<ConstTensorRef> own = plain_tangent(problem, tangents.updates);
    second_on_fresh(problem, cotangent, &further, {tangents.base ? &*tangents.base : nullptr, own ? &*own : nullptr}, into);
    return made;
  });
}

bool passes_cotangent(const ScatterOp& op) {
  const Fold& fold = op.fold;
  return (fold.step == Reduction::add || fold.step == Reduction::sub) && fold.begin == FoldBegin::current &&
         fold.finish == FoldFinish::keep;
}

}  // namespace strew::inline v0
