// Makes the job of an op: removes rank, so that dimensions that every tensor walks alike become one, and picks kernels.
#include <algorithm>

#include "base/checked.h"
#include "base/threads.h"
#include "core/copy.h"
#include "core/core.h"
#include "core/view.h"
#include "strategies/blocks.h"

namespace strew {
namespace {

std::int64_t product(const Dims& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

// Appends `count` strides from `begin` on, in bytes.
void append_steps(Dims& steps, const View& view, std::size_t begin, std::size_t count) {
  for (std::size_t d = begin; d < begin + count; ++d) steps.push_back(wrapping_mul(view.strides[d], size_of(view.dtype)));
}

// The loop nest of an addressing over `place`, with `stream` of shape points ++ row.
void make_walk(Walk& walk, const Addressing& where, const View& place, const View& stream) {
  const std::size_t rank = where.points.size(), row_rank = where.row.size();
  const std::int64_t place_size = size_of(place.dtype);
  walk.points = where.points;
  walk.row = where.row;
  walk.point_count = product(where.points);
  walk.row_count = product(where.row);
  walk.negative = where.negative;
  walk.out_of_range = where.out_of_range;
  walk.place_steps.assign(rank, 0);
  walk.place_row_steps.assign(row_rank, 0);
  append_steps(walk.stream_steps, stream, 0, rank);
  append_steps(walk.stream_row_steps, stream, rank, row_rank);
  for (const ConstTensorRef& indices : where.columns) {
    Column& column = walk.columns.emplace_back();
    column.index = static_cast<const std::byte*>(indices.data);
    column.dtype = indices.dtype;
    append_steps(column.steps, indices, 0, rank);
    column.address = address_kernel(indices.dtype, where.negative, where.out_of_range);
    column.check = check_kernel(indices.dtype, where.negative);
  }
  for (std::size_t d = 0; d < where.axes.size(); ++d) {
    const std::int64_t step = wrapping_mul(place.strides[d], place_size);
    const std::size_t at = where.axes[d].at;
    switch (where.axes[d].from) {
      case Axis::point: walk.place_steps[at] = wrapping_add(walk.place_steps[at], step); break;
      case Axis::row: walk.place_row_steps[at] = step; break;
      case Axis::column:
        walk.columns[at].extent = place.shape[d];
        walk.columns[at].stride = step;
        break;
    }
  }

  if (!is_collapsed(walk.points)) {
    SmallVector<Dims*, 10> steps{&walk.place_steps, &walk.stream_steps};
    for (Column& column : walk.columns) steps.push_back(&column.steps);
    collapse(walk.points, {steps.data(), steps.size()});
  }
  if (!is_collapsed(walk.row)) {
    Dims* const row_steps[] = {&walk.place_row_steps, &walk.stream_row_steps};
    collapse(walk.row, row_steps);
  }
}

void set_options(Job& job, const RunOptions& options) {
  job.block_points = std::clamp<std::int64_t>(options.block_points == 0 ? largest_block : options.block_points, 1, largest_block);
  job.threads = options.threads > 0 ? options.threads : get_threads();
  const Executor* const executor = options.executor != nullptr ? options.executor : job.threads > 1 ? own_executor() : nullptr;
  job.executor = executor != nullptr && executor->run != nullptr && job.threads > 1 ? executor : nullptr;
  if (job.stream_bytes == 0) job.executor = nullptr;  // copying a string may throw, which a task must not
  job.forced = !options.strategy.empty();
}

}  // namespace

Job make_job(const ScatterOp& op, const TensorRef& target, const RunOptions& options) {
  const ConstTensorRef& updates = op.updates;
  Job job;
  make_walk(job.walk, op.where, target, updates);
  job.place = static_cast<std::byte*>(target.data);
  job.stream = static_cast<std::byte*>(const_cast<void*>(updates.data));  // steps only read it
  job.stream_bytes = updates.dtype == Dtype::string ? 0 : size_of(updates.dtype);
  job.step = {op.fold.step, op.fold.compare, target.dtype, updates.dtype};
  job.kernel = step_kernel(op.fold.step, op.fold.compare, updates.dtype, target.dtype);
  if (op.where.columns.size() == 1 && updates.dtype == target.dtype) {
    const Dtype index = op.where.columns[0].dtype;
    job.element = element_kernel(op.fold.step, op.fold.compare, updates.dtype, index, op.where.negative);
  }
  set_options(job, options);
  return job;
}

// A GatherOp walks the output in order and addresses what it reads.
Job make_job(const GatherOp& op, const RunOptions& options) {
  Job job;
  make_walk(job.walk, op.where, op.from, op.out);
  job.place = static_cast<std::byte*>(const_cast<void*>(op.from.data));  // gathering only reads it
  job.stream = static_cast<std::byte*>(op.out.data);
  job.stream_bytes = op.out.dtype == Dtype::string ? 0 : size_of(op.out.dtype);
  job.kernel = gather_kernel(op.out.dtype);
  job.gathers = true;
  set_options(job, options);
  return job;
}

}  // namespace strew
