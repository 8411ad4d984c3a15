// Makes the job of an op: collapses dimensions that every tensor traverses alike, and looks up kernels.
#include <algorithm>
#include <array>

#include "base/checked.h"
#include "base/text.h"
#include "base/threads.h"
#include "core/copy.h"
#include "core/core.h"
#include "core/view.h"
#include "strategies/blocks.h"

namespace strew::internal {
namespace {

constexpr std::int64_t max_threads = 1024;  // more threads only cost memory, which strategies allocate per thread

// The loop nest of an addressing over `addressed`, with `stream` of shape points ++ row.
template <class Addressed, class Stream>
[[gnu::always_inline]] inline void make_walk(Walk& walk, const Addressing& where, const Addressed& addressed, const Stream& stream) {
  const std::size_t rank = where.points.size();
  const std::int64_t unit = size_of(addressed.dtype), stream_unit = size_of(stream.dtype);
  walk.negative = where.negative;
  walk.out_of_range = where.out_of_range;
  walk.columns.reserve(where.columns.size());  // `tracks` points into them
  std::array<Track, max_rank + 2> tracks;
  std::size_t count = 0;
  for (const ConstTensorRef& indices : where.columns) {
    Column& column = walk.columns.emplace_back();
    column.index = static_cast<const std::byte*>(indices.data);
    column.dtype = indices.dtype;
    column.kernels = index_kernels(indices.dtype, where.negative, where.out_of_range);
    tracks[count++] = {indices.strides.data(), size_of(indices.dtype), &column.index_strides};
  }
  // Strides of `addressed` along the points, where an axis follows one, and along the row.
  std::array<std::int64_t, max_rank> follows, along_row;
  std::fill_n(follows.begin(), rank, 0);
  for (std::size_t d = 0; d < where.axes.size(); ++d) {
    const std::size_t at = where.axes[d].at;
    switch (where.axes[d].from) {
      case Axis::point: follows[at] = wrapping_add(follows[at], addressed.strides[d]); break;
      case Axis::row: along_row[at] = addressed.strides[d]; break;
      case Axis::column:
        if (where.columns.empty()) break;  // the plan has the indices
        walk.columns[at].extent = addressed.shape[d];
        walk.columns[at].stride = wrapping_mul(addressed.strides[d], unit);
        break;
    }
  }

  tracks[count++] = {follows.data(), unit, &walk.addressed_strides};
  tracks[count++] = {stream.strides.data(), stream_unit, &walk.stream_strides};
  walk.point_count = join(where.points, {tracks.data(), count}, walk.points);
  walk.row_count = 1;
  if (where.row.empty()) return;
  const Track row_tracks[] = {{along_row.data(), unit, &walk.addressed_row_strides},
                              {stream.strides.data() + rank, stream_unit, &walk.stream_row_strides}};
  walk.row_count = join(where.row, row_tracks, walk.row);
}

// Neighbouring points that share their indices and follow an axis become the row of one point, whose updates are counted once.
void make_shared_points_row(Walk& walk) {
  const auto is_shared = [&] {
    return std::all_of(walk.columns.begin(), walk.columns.end(), [](const Column& column) { return column.index_strides.back() == 0; });
  };
  if (!walk.row.empty() || walk.points.empty() || walk.columns.empty() || walk.addressed_strides.back() == 0 || !is_shared()) return;
  make_innermost_row(walk);
}

Lattice make_lattice(Sizes shape, const std::int64_t* strides, Dtype dtype) {
  Lattice lattice;
  const Track tracks[] = {{strides, size_of(dtype), &lattice.strides}};
  join(shape, tracks, lattice.extents);
  return lattice;
}

std::shared_ptr<const Numbering> make_numbering(const ScatterOp& op, const TensorRef& target) {
  const AddressedAxes addressed = addressed_axes(op);
  Dims strides;
  for (const std::size_t axis : addressed.axes) strides.push_back(target.strides[axis]);
  return std::make_shared<const Numbering>(Numbering{make_lattice(op.where.points, op.updates.strides.data(), op.updates.dtype),
                                                     make_lattice(addressed.shape, strides.data(), target.dtype),
                                                     gather_kernel(op.updates.dtype)});
}

Folding make_folding(const Fold& fold, Dtype dtype) {
  const Dtype accumulator = accumulator_of(fold, dtype);
  Folding folding;
  folding.finish = finish_kernel(fold.finish, dtype, accumulator);
  folding.first = step_kernel(Reduction::assign, FoldCompare::keep_out, dtype, accumulator);
  folding.from_output = fold.begin == FoldBegin::current;
  if (fold.begin == FoldBegin::current) folding.begin = folding.first;
  if (fold.begin == FoldBegin::identity) {
    folding.begin = step_kernel(Reduction::assign, FoldCompare::keep_out, accumulator, accumulator);
    identity_kernel(fold.step, fold.compare, accumulator)(folding.neutral, 1);
  }
  return folding;
}

}  // namespace

void set_options(Job& job, const RunOptions& options) {
  if (options.threads < 0)
    throw Error(ErrorCode::argument, cat("RunOptions: threads must be >= 0 (0: what the machine allows), got ", options.threads));
  if (options.block_points < 0)
    throw Error(ErrorCode::argument, cat("RunOptions: block_points must be >= 0 (0: the default), got ", options.block_points));
  job.block_points = std::clamp<std::int64_t>(options.block_points == 0 ? largest_block : options.block_points, 1, largest_block);
  job.threads = std::min(options.threads > 0 ? options.threads : get_threads(), max_threads);
  const Executor* const executor = options.executor != nullptr ? options.executor : job.threads > 1 ? own_executor() : nullptr;
  job.executor = executor != nullptr && executor->run != nullptr && job.threads > 1 ? executor : nullptr;
  if (job.stream_bytes == 0) job.executor = nullptr;  // copying a string may throw; tasks must not
  job.forced = !options.strategy.empty();
}

AddressedAxes addressed_axes(const ScatterOp& op) {
  AddressedAxes addressed;
  for (std::size_t d = 0; d < op.where.axes.size(); ++d) {
    if (op.where.axes[d].from == Axis::row) continue;
    addressed.axes.push_back(d);
    addressed.shape.push_back(op.out.shape[d]);
  }
  return addressed;
}

Job make_job(const ScatterOp& op, const TensorRef& target, const RunContext& context) {
  const ConstTensorRef& updates = op.updates;
  const Dtype stepped = accumulator_of(op.fold, target.dtype);
  Job job;
  make_walk(job.walk, op.where, target, updates);
  job.addressed = static_cast<std::byte*>(target.data);
  job.stream = static_cast<std::byte*>(const_cast<void*>(updates.data));  // steps only read the updates
  job.stream_bytes = updates.dtype == Dtype::string ? 0 : size_of(updates.dtype);
  job.step = {op.fold.step, op.fold.compare, stepped, updates.dtype};
  job.kernel = context.kernel != nullptr ? context.kernel : step_kernel(op.fold.step, op.fold.compare, updates.dtype, stepped);
  if (needs_accumulators(op.fold, target.dtype)) {
    job.fold = make_folding(op.fold, target.dtype);
    make_shared_points_row(job.walk);
  }
  if (op.where.columns.size() == 1 && updates.dtype == target.dtype) {
    const Dtype index = op.where.columns[0].dtype;
    job.element = element_kernel(op.fold.step, op.fold.compare, stepped, static_cast<bool>(job.fold), index, op.where.negative);
  }
  set_options(job, context.options);
  job.replay = context.replay;
  if (context.replay != nullptr || context.numbers_places) job.numbering = make_numbering(op, target);
  return job;
}

Job make_job(const ScatterOp& op, const TensorRef& target, const Job& stepped, const RunOptions& options) {
  Job job;
  make_walk(job.walk, op.where, target, op.updates);
  job.addressed = static_cast<std::byte*>(target.data);
  job.stream = static_cast<std::byte*>(const_cast<void*>(op.updates.data));  // steps only read the updates
  job.stream_bytes = stepped.stream_bytes;
  job.step = stepped.step;
  job.kernel = stepped.kernel;
  job.counts = stepped.counts;
  if (op.where.columns.size() == 1 && job.counts.is_common(size_of(job.step.addressed))) {
    job.element =
        element_kernel(job.step.reduction, job.step.compare, job.step.addressed, true, op.where.columns[0].dtype, op.where.negative);
  }
  set_options(job, options);
  return job;
}

// A gather iterates over the output in order and addresses the source.
Job make_job(const GatherOp& op, const RunOptions& options) {
  Job job;
  make_walk(job.walk, op.where, op.from, op.out);
  job.addressed = static_cast<std::byte*>(const_cast<void*>(op.from.data));  // a gather only reads the source
  job.stream = static_cast<std::byte*>(op.out.data);
  job.stream_bytes = op.out.dtype == Dtype::string ? 0 : size_of(op.out.dtype);
  job.kernel = gather_kernel(op.out.dtype);
  job.gathers = true;
  if (op.where.columns.size() == 1) job.element = gather_element_kernel(job.stream_bytes, op.where.columns[0].dtype, op.where.negative);
  set_options(job, options);
  return job;
}

}  // namespace strew::internal
