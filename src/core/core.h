// Declarations shared by the files of the core.
#pragma once

#include "core/view.h"
#include "kernels/finish.h"
#include "kernels/types.h"
#include "strategies/replay.h"
#include "strategies/strategy.h"
#include "strew/run.h"

namespace strew::internal {

// The results of checking an op: the memory extent of each tensor, and the step kernel.
struct Extents {
  Extent out;
  Extent input;  // of the base, or of the source of a gather
  Extent updates;
  SmallVector<Extent, 8> columns;
  RowKernel step = nullptr;
};

// validate(); without `needs_memory` the output may have null data.
Extents check_form(const ScatterOp& op, bool needs_memory);
Extents check_form(const GatherOp& op, bool needs_memory);

// Checks that sizes, their product and the reach of the strides in bytes fit, and that data is not null unless there are no elements.
Extent check_view(const char* op, const char* argument, const View& view, bool needs_memory = true);

// Checks that the dtype exists and is not string.
void check_scalar(const char* op, const char* argument, const Scalar& scalar);

// The type in which elements are stepped: float32 for 16-bit floats that are rounded once, unless the step only selects.
inline Dtype accumulator_of(const Fold& fold, Dtype dtype) {
  const bool is_wide = fold.round == FoldRound::at_finish && is_one_of(Halves{}, dtype);
  return is_wide && !properties_of(fold.step, fold.compare, dtype).selects ? Dtype::float32 : dtype;
}
// Whether a fold needs an accumulator for each element.
inline bool needs_accumulators(const Fold& fold, Dtype dtype) {
  return fold.begin != FoldBegin::current || fold.finish != FoldFinish::keep || accumulator_of(fold, dtype) != dtype;
}

// Whether two ops take coordinates from the same sources, and fold alike.
[[nodiscard]] inline bool same_axes(const Addressing& a, const Addressing& b) {
  const auto same_axis = [](const Axis& one, const Axis& other) { return one.from == other.from && one.at == other.at; };
  return std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(), same_axis);
}
[[nodiscard]] inline bool same_fold(const Fold& a, const Fold& b) {
  return a.step == b.step && a.begin == b.begin && a.finish == b.finish && a.round == b.round && a.compare == b.compare;
}

// Turns a scalar source into a broadcast tensor of updates.
void repeat_scalar(ScatterOp& op);

// Views a rank-0 tensor that is addressed by one axis as a vector of one element.
template <class View>
void promote_rank_zero(View& view, const Addressing& where) {
  if (view.shape.empty() && where.axes.size() == 1) view.shape = view.strides = Dims{1};
}

inline void promote_rank_zero(ScatterOp& op) {
  promote_rank_zero(op.out, op.where);
  if (auto* base = std::get_if<ConstTensorRef>(&op.base)) promote_rank_zero(*base, op.where);
}

// How an op is run. With a plan, the op has no columns.
struct RunContext {
  const RunOptions& options;
  const Replay* replay = nullptr;
  RowKernel kernel = nullptr;  // the step kernel, if the check has looked it up
  bool numbers_places = false;  // the job has a numbering, as with a plan
};

// run() that may modify the op.
void run_consuming(ScatterOp& op, const RunOptions& options);
void run_consuming(GatherOp& op, const RunOptions& options);

// run() on an output that nobody sees if an error is thrown: indices are validated as they are used. A strategy that declines is replaced
// by the library's choice.
void run_on_fresh(const ScatterOp& op, const RunOptions& options);
void run_on_fresh(const GatherOp& op, const RunOptions& options);

// run() and compute() of an op made by a plan: it was validated, including its indices.
void run_planned(ScatterOp op, const Extents& extents, const RunContext& context);
Tensor compute_planned(ScatterOp op, const Extents& extents, const RunContext& context);

// updates * scale, without broadcast repeats and rounded to their type.
[[nodiscard]] Tensor scaled(const ConstTensorRef& updates, const Scalar& scale);

// Swaps the strings of a dense result into the output; nothing can fail.
void swap_strings(const TensorRef& out, Tensor& result);

// The axes that are addressed by points, in order, and their shape.
struct AddressedAxes {
  SmallVector<std::size_t, 8> axes;
  Dims shape;
};
AddressedAxes addressed_axes(const ScatterOp& op);

// Threads, block size and executor of a job.
void set_options(Job& job, const RunOptions& options);

// The job of an op whose updates are a tensor, stepping into `target`: the output, or a temporary in its place.
Job make_job(const ScatterOp& op, const TensorRef& target, const RunContext& context);
Job make_job(const GatherOp& op, const RunOptions& options);
// The job of an op that steps accumulators, of which `stepped` says how. `target` is their memory as int8, with strides in bytes.
Job make_job(const ScatterOp& op, const TensorRef& target, const Job& stepped, const RunOptions& options);

// For explain(), which may read all indices: why strategies declined a job.
struct Declined {
  std::string reasons;
  // If a run starts with another strategy than the chosen one: one that accepts by a sample of the indices, validates all of them and then
  // leaves the job to the chosen one.
  const Strategy* first = nullptr;
};

// The strategy for a job: the requested one, or the first that accepts. For a job with a fold, strategies that do not fold are asked about
// `stepped`, the job on accumulators.
const Strategy& choose(const char* op, const Job& job, std::string_view requested, Declined* declined = nullptr,
                       const Job* stepped = nullptr);

// Whether the output is the caller's, or newly allocated and invisible if an error is thrown.
enum class Output : std::uint8_t { callers, fresh };

// How the indices of a call are validated before the first write to the caller's memory.
enum class Validation : std::uint8_t {
  by_pass,  // in a separate pass
  by_strategy,  // by the strategy, before it writes
  in_draft,  // as they are read, while stepping a draft of the output
  as_used,  // as they are read, while writing to memory that an error discards: a new output, accumulators, a copy of strings
};
// The decision for every call. `accumulates`: the strategy steps accumulators for the whole output.
Validation validation_of(const ScatterOp& op, const Extent& out, Output output, bool accumulates, const Strategy& strategy, const Job& job);
Validation validation_of(const GatherOp& op, Output output, const Job& job);
// For steps onto memory that later calls continue to use.
Validation validation_of(const Strategy& strategy, const Job& job, const Dims& addressed);
// Whether anything is read and written for the points: there are points, and rows and an addressed tensor with elements.
bool has_steps(const Job& job, const Dims& addressed);
std::int64_t bytes_of(const TensorRef& out);

// Throws the error that names the first bad index of an addressing over a tensor of `shape`. If there is none any more, or with
// throw_changed, reports that the indices changed after validation; the output may then hold part of the updates.
[[noreturn]] void throw_changed(const char* op, const Addressing& where);
[[noreturn]] void throw_bad_index(const char* op, const Addressing& where, const Dims& shape);

// The first bad point: the indices of all its columns, and the first of them that is bad. Of the columns of `where` only dtypes are used.
struct BadPoint {
  Dims point, tuple;
  std::size_t column;
  std::int64_t count;  // of all bad indices
};
[[nodiscard]] Error bad_index_error(const char* op, const Addressing& where, const Dims& shape, const BadPoint& found);

}  // namespace strew::internal
