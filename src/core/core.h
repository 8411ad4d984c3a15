// What the parts of the core share.
#pragma once

#include "core/view.h"
#include "kernels/finish.h"
#include "kernels/types.h"
#include "strategies/replay.h"
#include "strategies/strategy.h"
#include "strew/run.h"

namespace strew::internal {

// What the check of an op found: the memory of each tensor, and the kernel of its steps.
struct Extents {
  Extent out;
  Extent input;    // of the base, or of what is gathered from
  Extent updates;
  SmallVector<Extent, 8> columns;
  RowKernel step = nullptr;
};

// validate(), which may leave out that the output has memory.
Extents check_form(const ScatterOp& op, bool needs_memory);
Extents check_form(const GatherOp& op, bool needs_memory);

// Sizes, their product and the reach of the strides in bytes all fit; there is memory where there are elements.
Extent check_view(const char* op, const char* argument, const View& view, bool needs_memory = true);

// Its type exists and is not string, whose values are no bytes.
void check_scalar(const char* op, const char* argument, const Scalar& scalar);

// The type that elements are stepped in: 16-bit floats that are rounded once are float32 until then, where a step rounds at all.
inline Dtype accumulator_of(const Fold& fold, Dtype dtype) {
  const bool is_wide = fold.round == FoldRound::at_finish && is_one_of(Halves{}, dtype);
  return is_wide && !properties_of(fold.step, fold.compare, dtype).selects ? Dtype::float32 : dtype;
}
// Whether a fold needs memory of its own for each element while it runs.
inline bool needs_accumulators(const Fold& fold, Dtype dtype) {
  return fold.begin != FoldBegin::current || fold.finish != FoldFinish::keep || accumulator_of(fold, dtype) != dtype;
}

// A number as source, seen as a tensor of updates.
void repeat_scalar(ScatterOp& op);

// A rank-0 tensor that is addressed by one axis is seen as a vector of one element.
template <class View>
void see_as_addressed(View& view, const Addressing& where) {
  if (view.shape.empty() && where.axes.size() == 1) view.shape = view.strides = Dims{1};
}

inline void see_as_addressed(ScatterOp& op) {
  see_as_addressed(op.out, op.where);
  if (auto* base = std::get_if<ConstTensorRef>(&op.base)) see_as_addressed(*base, op.where);
}

// How an op is run: with these options, and from a plan if there is one. Then the op has no columns.
struct RunContext {
  const RunOptions& options;
  const Replay* replay = nullptr;
  RowKernel kernel = nullptr;  // of its steps, where the check has looked it up
};

// run() of an op that nobody needs afterwards.
void run_consuming(ScatterOp& op, const RunOptions& options);
void run_consuming(GatherOp& op, const RunOptions& options);

// run() and compute() of an op that comes from a plan: it was checked, and its indices too.
void run_planned(ScatterOp op, const Extents& extents, const RunContext& context);
Tensor compute_planned(ScatterOp op, const Extents& extents, const RunContext& context);

// The axes that a point chooses, in order, and the shape they span.
struct AddressedAxes {
  SmallVector<std::size_t, 8> axes;
  Dims shape;
};
AddressedAxes addressed_axes(const ScatterOp& op);

// The job of an op whose updates are a tensor, stepping into `target`: the output, or memory that stands for it.
Job make_job(const ScatterOp& op, const TensorRef& target, const RunContext& context);
Job make_job(const GatherOp& op, const RunOptions& options);

// The strategy for a job: the one asked for, or the first that accepts. `declined` collects why the others did not. A job with a
// fold is `stepped` on accumulators by the strategies that do not fold by themselves.
const Strategy& choose(const char* op, const Job& job, std::string_view asked_for, std::string* declined = nullptr,
                       const Job* stepped = nullptr);

// How the indices of a call that writes into the caller's memory are validated before the first write.
enum class Validation : std::uint8_t {
  by_strategy,  // the strategy validates all of them before it writes
  in_draft,     // as they are used, while a draft of the output is stepped
  by_pass,      // in a pass of its own
};
Validation validation_of(const ScatterOp& op, const Extent& out, const Strategy& strategy, const Job& job);
std::int64_t bytes_of(const TensorRef& out);

// Throws the error that names the first bad index of an addressing over a tensor of `shape`, or says that the indices
// changed: they were fine when all were checked, and the output may hold a part of the updates.
[[noreturn]] void throw_changed(const char* op, const Addressing& where);
[[noreturn]] void throw_bad_index(const char* op, const Addressing& where, const Dims& shape);

}  // namespace strew::internal
