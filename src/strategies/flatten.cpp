// Flattens tuples of indices to one column, in scratch memory. A single column is faster to read, more strategies accept it, and the caller
// cannot change it.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/checked.h"
#include "base/scratch.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/strategy.h"
#include "strategies/targets.h"

namespace strew::internal {

extern const Strategy flatten;

namespace {

constexpr std::int64_t min_elements = 1 << 12;
constexpr std::int64_t task_points = 1 << 14;

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (walk.columns.size() < 2) {
    why = "the indices are not tuples";
  } else if (job.gathers) {
    why = "a gather reads indices once";
  } else if (walk.points.size() != 1 || walk.addressed_strides[0] != 0) {
    why = "the points must have one dimension";
  } else if (job.counts && !walk.row.empty()) {
    why = "rows can be folded without accumulators";
  } else if (!job.forced && is_one_block(job)) {
    why = "there are too few tuples";
  }
  return why.empty();
}

Dtype number_dtype(const Targets& targets) { return targets.count <= INT32_MAX ? Dtype::int32 : Dtype::int64; }

std::int64_t scratch_bytes(const Job& job) { return saturating_mul(job.walk.point_count, size_of(number_dtype(targets_of(job.walk)))); }

// Writes numbers a block at a time, for any columns. Skipped points become -1, which is out of range.
template <class Number>
bool write_numbers(const Job& job, const Targets& targets, std::int64_t begin, std::int64_t end, Number* numbers) {
  std::array<std::int64_t, largest_block> some;
  for (; begin < end; begin += job.block_points) {
    const std::int64_t count = std::min(job.block_points, end - begin);
    if (!number_points(job.walk, targets, begin, count, some.data())) return false;
    std::transform(some.begin(), some.begin() + count, numbers + begin,
                   [](std::int64_t number) { return static_cast<Number>(std::max<std::int64_t>(number, -1)); });
  }
  return true;
}

// The kernel for tuples that are contiguous in memory; null for others.
TupleKernel<std::int32_t> kernel_of(const Walk& walk, const Targets& targets) {
  return number_dtype(targets) == Dtype::int32 ? tuple_kernels_of(walk).numbers : nullptr;
}

TupleRun<std::int32_t> run_of(const Walk& walk, const Targets& targets, std::int64_t begin, std::int64_t end, std::int32_t* numbers) {
  const std::byte* const tuples = walk.columns[0].index + begin * walk.columns[0].index_strides[0];
  return tuple_run<std::int32_t>(walk, tuples, end - begin, targets.unit, -targets.low / targets.unit, numbers + begin);
}

bool write_all_numbers(const Job& job, const Targets& targets, const Scratch& memory) {
  const Walk& walk = job.walk;
  const TupleKernel<std::int32_t> kernel = kernel_of(walk, targets);
  std::atomic<bool> fine{true};
  parallel(job, (walk.point_count + task_points - 1) / task_points, [&](std::int64_t task) {
    const std::int64_t begin = task * task_points, end = std::min(begin + task_points, walk.point_count);
    const bool is_fine = kernel != nullptr                       ? !kernel(run_of(walk, targets, begin, end, memory.as<std::int32_t>()))
                         : number_dtype(targets) == Dtype::int32 ? write_numbers(job, targets, begin, end, memory.as<std::int32_t>())
                                                                 : write_numbers(job, targets, begin, end, memory.as<std::int64_t>());
    if (!is_fine) fine.store(false, std::memory_order_relaxed);
  });
  return fine.load(std::memory_order_relaxed);
}

// The same job with the numbers as its only column.
Job with_numbers(const Job& job, const Targets& targets, const std::byte* numbers) {
  Job flat = job;
  Walk& walk = flat.walk;
  const Dtype dtype = number_dtype(targets);
  flat.addressed += targets.low;
  if (walk.out_of_range == OutOfRange::clamp) walk.out_of_range = OutOfRange::error;
  walk.negative = Negative::reject;
  walk.has_gaps = places_of(walk) != targets.count;
  walk.columns.resize(1);
  walk.columns[0] = {numbers, {size_of(dtype)}, targets.count, targets.unit, dtype, index_kernels(dtype, walk.negative, walk.out_of_range)};
  const Step& step = job.step;
  const bool is_common = !job.counts || job.counts.is_common(size_of(step.addressed));
  if (walk.row.empty() && is_common && (step.addressed == step.stream || job.counts.widen != nullptr))
    flat.element = element_kernel(step.reduction, step.compare, step.addressed, static_cast<bool>(job.counts), dtype, walk.negative);
  return flat;
}

Outcome run(const Job& job) {
  if (job.walk.point_count == 0) return Outcome::done;
  const Targets targets = targets_of(job.walk);
  const Scratch numbers(scratch_bytes(job));
  if (!numbers) return delegate(flatten, job);
  if (!write_all_numbers(job, targets, numbers)) return Outcome::bad_index;
  return delegate_validated(flatten, with_numbers(job, targets, numbers.as<std::byte>()));
}

Delegate delegates_to(const Job& job) {
  const Targets targets = targets_of(job.walk);
  const Scratch numbers(scratch_bytes(job));
  if (!numbers || job.walk.point_count == 0 || !write_all_numbers(job, targets, numbers)) return {};
  return delegate_of(flatten, with_numbers(job, targets, numbers.as<std::byte>()));
}

}  // namespace

const Strategy flatten{
    .name = "flatten",
    .summary = "flattens index tuples to one column, then delegates",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
    .delegates_to = &delegates_to,
};

}  // namespace strew::internal
