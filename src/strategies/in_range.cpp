// The pass that validates all indices before the first write.
#include <algorithm>
#include <atomic>

#include "base/checked.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/strategy.h"

namespace strew::internal {
namespace {

// One column without repeated dimensions, contiguous ones merged, divided into tasks along the outermost.
struct ColumnCheck {
  IndexRun inner;
  Dims extents;
  Dims strides;
  CheckKernel check;
  std::int64_t slice;  // outermost coordinates per task
  std::atomic<bool> bad{false};

  void run(std::int64_t task) {
    const std::int64_t begin = task * slice, end = std::min(begin + slice, extents[0]);
    if (extents.size() == 1) {
      IndexRun part = inner;
      part.index += begin * strides[0];
      part.count = end - begin;
      if (check(part)) bad.store(true, std::memory_order_relaxed);
      return;
    }
    Dims range = extents;
    range[0] = end - begin;
    each_run(range, [&](const Coordinates& at) {
      IndexRun part = inner;
      part.index += begin * strides[0] + dot(at, strides);
      if (check(part)) bad.store(true, std::memory_order_relaxed);
      return true;
    });
  }
};

constexpr std::int64_t indices_per_task = 1 << 18;

bool column_in_range(const Job& job, const Column& column) {
  const Dims& points = job.walk.points;
  // Fast path: most calls are small.
  if (points.size() == 1 && points[0] <= indices_per_task)
    return !column.kernels.check(
        {column.index, column.index_strides[0], column.index_strides[0] == 0 ? 1 : points[0], column.extent, column.stride});
  ColumnCheck work{{column.index, 0, 1, column.extent, column.stride}, {}, {}, column.kernels.check, 1};
  std::int64_t total = 1;
  for (std::size_t d = 0; d < points.size(); ++d) {
    if (column.index_strides[d] == 0) continue;
    total *= points[d];
    if (!work.extents.empty() && work.strides.back() == wrapping_mul(points[d], column.index_strides[d])) {  // contiguous
      work.extents.back() *= points[d];
      work.strides.back() = column.index_strides[d];
    } else {
      work.extents.push_back(points[d]);
      work.strides.push_back(column.index_strides[d]);
    }
  }
  if (work.extents.empty()) return !column.kernels.check(work.inner);
  work.inner.index_stride = work.strides.back();
  work.inner.count = work.extents.back();
  const std::int64_t outer = work.extents[0];
  work.slice = std::max<std::int64_t>(1, indices_per_task / std::max<std::int64_t>(1, total / outer));
  const std::int64_t tasks = (outer + work.slice - 1) / work.slice;
  // Tasks copy the extents: beyond their inline capacity that allocates, and may throw.
  if (total <= indices_per_task || work.extents.size() > 8) {
    for (std::int64_t i = 0; i < tasks; ++i) work.run(i);
  } else {
    parallel(job, tasks, [&](std::int64_t i) { work.run(i); });
  }
  return !work.bad.load(std::memory_order_relaxed);
}

// Several columns of one run of points: validated a block of points at a time, because they often share cache lines.
bool tuples_in_range(const Job& job) {
  constexpr std::int64_t stretch = 1 << 12;
  const Walk& walk = job.walk;
  const std::int64_t points = walk.point_count, tasks = (points + indices_per_task - 1) / indices_per_task;
  std::atomic<bool> bad{false};
  parallel(job, tasks, [&](std::int64_t task) {
    const std::int64_t end = std::min((task + 1) * indices_per_task, points);
    for (std::int64_t begin = task * indices_per_task; begin < end; begin += stretch) {
      for (const Column& column : walk.columns) {
        const std::int64_t stride = column.index_strides[0], count = std::min(stretch, end - begin);
        if (column.kernels.check({column.index + begin * stride, stride, count, column.extent, column.stride}))
          bad.store(true, std::memory_order_relaxed);
      }
    }
  });
  return !bad.load(std::memory_order_relaxed);
}

}  // namespace

bool indices_in_range(const Job& job) {
  const Walk& walk = job.walk;
  if (walk.point_count == 0) return true;
  // Repeated indices are read once, by column_in_range.
  const auto repeats = [](const Column& column) { return column.index_strides[0] == 0; };
  if (walk.columns.size() > 1 && walk.points.size() == 1 && walk.out_of_range == OutOfRange::error &&
      std::none_of(walk.columns.begin(), walk.columns.end(), repeats))
    return tuples_in_range(job);
  for (const Column& column : walk.columns) {
    const bool fine = walk.out_of_range == OutOfRange::skip    ? true
                      : walk.out_of_range == OutOfRange::clamp ? column.extent > 0
                                                               : column_in_range(job, column);
    if (!fine) return false;
  }
  return true;
}

}  // namespace strew::internal
