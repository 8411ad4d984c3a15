// Reverse mode into the caller's memory: cotangents are computed in new memory, and copied when nothing can fail any more.
#include "base/cancellation.h"
#include "base/text.h"
#include "core/memory_errors.h"
#include "core/overlap.h"
#include "gradient/elementwise.h"
#include "gradient/vjp.h"

namespace strew::inline v0 {
using namespace internal;
namespace {

constexpr const char *lacking = "the gradient", *ending = "; nothing was written";

void reject_overlap(const char* op, const char* what) { throw Error(ErrorCode::overlap, cat(op, ": ", what, " share memory")); }

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
    cancellation_point();
    static constexpr std::int64_t zero = 0;
    for (const One& one : all) {
      each_strip(one.strips, options, [kernel = one.kernel](const Strip& strip) {
        kernel({strip.at[0], &zero, strip.at[1], 0, 1, strip.count, strip.stride[0], strip.stride[1]});
      });
    }
  }
};

}  // namespace

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

}  // namespace strew::inline v0
