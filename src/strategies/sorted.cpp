// Sorted indices: the points are divided where the index changes, and each thread owns a range of the output. Sortedness with the first and
// the last index in range validates all of them.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/checked.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/part.h"
#include "strategies/sample.h"
#include "strategies/strategy.h"
#include "strategies/targets.h"

namespace strew::internal {

extern const Strategy sorted;

namespace {

constexpr std::int64_t min_elements = 1 << 16;
constexpr std::int64_t parts_per_thread = 4;
constexpr std::int64_t points_together = 1 << 15;  // between two checks for failure
constexpr std::int64_t min_folded = 256;  // bytes of a row: `rows` folds longer ones without accumulators

// The kernel that steps several runs of points side by side, for uncounted single elements of dense vectors. Null for others; assignments
// do not wait for earlier values, so they gain nothing.
ElementRunsKernel stretches_kernel(const Job& job) {
  const Walk& walk = job.walk;
  const Column& column = walk.columns[0];
  const std::int64_t element = size_of(job.step.addressed);
  const bool is_dense = column.index_strides[0] == size_of(column.dtype) && column.stride == element && walk.stream_strides[0] == element;
  if (!walk.row.empty() || job.counts || !is_dense || job.step.addressed != job.step.stream || job.step.properties().replaces)
    return nullptr;
  return element_runs_kernel(job.step.reduction, job.step.compare, job.step.stream, column.dtype);
}

OneIndex index_at(const Job& job, std::int64_t point) {
  const Column& column = job.walk.columns[0];
  return read_index(column.dtype, Negative::reject, column.index + point * column.index_strides[0], column.extent);
}

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.gathers || job.stream_bytes == 0 || walk.points.size() != 1 || walk.columns.size() != 1 || walk.addressed_strides[0] != 0 ||
      walk.out_of_range != OutOfRange::error) {
    why = "the indices must have one dimension, none skipped or clamped";
  } else if (!job.forced && job.executor == nullptr && stretches_kernel(job) == nullptr) {
    why = "there is one thread";
  } else if (!job.forced && job.counts && row_bytes(job) >= min_folded) {
    why = "rows of a fold are better grouped";
  } else if (!job.forced) {
    if (!sample(job).is_sorted()) {
      why = "the indices are not sorted";
    } else if (walk.row.empty() && job.element != nullptr && index_at(job, 0).value == index_at(job, walk.point_count - 1).value) {
      why = "all updates go to one element";
    }
  }
  return why.empty();
}

bool rises(const Job& job) {
  if (job.walk.columns[0].index_strides[0] == 0) return !index_at(job, 0).bad;  // one repeated index
  const RisingKernel is_rising = rising_kernel(job.walk.columns[0].dtype);
  const std::int64_t points = job.walk.point_count;
  std::atomic<bool> all{true};
  const std::int64_t parts = std::min(points, std::max(parts_per_thread * threads_of(job), points / points_together));
  parallel(job, parts, [&](std::int64_t i) {
    if (!all.load(std::memory_order_relaxed)) return;
    const std::int64_t begin = portion(points, i, parts),
                       end = std::min(portion(points, i + 1, parts) + 1, points);  // plus the first of the next part
    if (!is_rising(index_run(job.walk, begin, end))) all.store(false, std::memory_order_relaxed);
  });
  return all.load(std::memory_order_relaxed) && !index_at(job, 0).bad && !index_at(job, points - 1).bad;
}

// Steps the points [begin, end), which share no place with other parts.
bool run_part(const Job& job, std::int64_t begin, std::int64_t end) {
  return begin >= end || run_on_one_thread(part_of_points(job, 0, begin, end));
}

// Steps parts that share no place side by side, up to the length of the shortest.
bool run_parts(const Job& job, ElementRunsKernel kernel, const std::array<std::int64_t, runs_together + 1>& borders) {
  const Column& column = job.walk.columns[0];
  const std::int64_t element = job.walk.stream_strides[0];
  std::int64_t together = INT64_MAX;
  for (std::size_t i = 0; i < runs_together; ++i) together = std::min(together, borders[i + 1] - borders[i]);
  together = std::max<std::int64_t>(together, 0);  // negative only if another thread changed the indices
  ElementRuns runs;
  for (std::size_t i = 0; i < runs_together; ++i) {
    runs[i] = {.addressed = job.addressed,
               .addressed_stride = 0,
               .index = column.index + borders[i] * column.index_strides[0],
               .index_stride = column.index_strides[0],
               .extent = column.extent,
               .stride = column.stride,
               .stream = job.stream + borders[i] * element,
               .stream_stride = element,
               .count = together,
               .is_far = false,
               .has_runs = false};
  }
  if (!kernel(runs)) return false;
  for (std::size_t i = 0; i < runs_together; ++i) {
    if (!run_part(job, borders[i] + together, borders[i + 1])) return false;
  }
  return true;
}

Outcome run(const Job& job) {
  constexpr auto per_task = static_cast<std::int64_t>(runs_together);
  const ElementRunsKernel kernel = stretches_kernel(job);
  const std::int64_t points = job.walk.point_count, tasks = parts_per_thread * threads_of(job), parts = tasks * per_task;
  if (points == 0) return Outcome::done;
  if (!rises(job)) return delegate(sorted, job);
  cancellation_point(job);
  // The first point of a part whose place differs from that of the point before the part.
  const auto begin_of = [&](std::int64_t part) {
    const std::int64_t begin = portion(points, part, parts);
    if (begin == 0 || begin == points) return begin;
    const std::int64_t before = index_at(job, begin - 1).value;
    std::int64_t low = begin, high = points;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const bool is_later = index_at(job, middle).value > before;
      (is_later ? high : low) = is_later ? middle : middle + 1;
    }
    return low;
  };
  std::atomic<bool> fine{true};
  parallel(job, tasks, [&](std::int64_t task) {
    std::array<std::int64_t, runs_together + 1> borders;
    for (std::size_t i = 0; i < borders.size(); ++i) borders[i] = begin_of(task * per_task + static_cast<std::int64_t>(i));
    const bool is_fine = kernel == nullptr ? run_part(job, borders.front(), borders.back()) : run_parts(job, kernel, borders);
    if (!is_fine) fine.store(false, std::memory_order_relaxed);
  });
  return outcome_of_writing(fine.load(std::memory_order_relaxed));
}

bool confirms(const Job& job, std::string_view& why) {
  if (job.walk.point_count > 0 && !rises(job)) why = "the indices are not sorted";
  return why.empty();
}

}  // namespace

const Strategy sorted{
    .name = "sorted",
    .summary = "indices are sorted, so each thread has a range of the output",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .validates_before_writing = &always,
    .confirms = &confirms,
};

}  // namespace strew::internal
