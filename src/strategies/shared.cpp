// Detects innermost runs that share one index (an index that was broadcast, or repeated in memory), turns them into rows, and delegates
// those.
#include <algorithm>
#include <atomic>

#include "base/checked.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/strategy.h"

namespace strew::internal {

extern const Strategy shared;

namespace {

constexpr std::int64_t min_row = 64;  // bytes: shorter rows gain nothing
constexpr std::int64_t min_elements = 1 << 12;
constexpr std::int64_t samples = 16, max_sampled = 64;  // runs, and indices of each

// The indices of the innermost run at one position of the outer dimensions.
IndexRun inner_run(const Walk& walk, std::int64_t offset) {
  const Column& column = walk.columns[0];
  return {column.index + offset, column.index_strides.back(), walk.points.back(), column.extent, column.stride};
}

// Samples some runs before all are read.
bool seems_shared(const Walk& walk) {
  const Column& column = walk.columns[0];
  if (column.index_strides.back() == 0) return true;
  const UniformKernel is_uniform = uniform_kernel(column.dtype);
  for (std::int64_t i = 0; i < samples; ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d + 1 < walk.points.size(); ++d) offset += portion(walk.points[d] - 1, i, samples) * column.index_strides[d];
    IndexRun some = inner_run(walk, offset);
    some.count = std::min(some.count, max_sampled);
    if (!is_uniform(some)) return false;
  }
  return true;
}

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (walk.points.size() < 2 || walk.columns.size() != 1 || !walk.row.empty()) {
    why = "the indices must address single elements in at least two dimensions";
  } else if (job.counts || job.stream_bytes == 0) {
    why = "the fold counts updates, or they are strings";
  } else if (walk.addressed_strides.back() == 0 || walk.point_count == 0) {
    why = "the innermost run addresses one element";
  } else if (!job.forced && saturating_mul(walk.points.back(), job.stream_bytes) < min_row) {
    why = "runs are too short";
  } else if (!seems_shared(walk)) {
    why = "indices differ within a run";
  }
  return why.empty();
}

bool is_shared(const Job& job) {
  const Walk& walk = job.walk;
  const Column& column = walk.columns[0];
  if (column.index_strides.back() == 0) return true;
  const UniformKernel is_uniform = uniform_kernel(column.dtype);
  // Runs repeated by a stride of 0 are read once; the outermost remaining dimension is divided into tasks.
  Dims runs = walk.points;
  std::size_t cut = 0;
  for (std::size_t d = runs.size() - 1; d-- > 0;) {
    if (column.index_strides[d] == 0) runs[d] = 1;
    else cut = d;
  }
  const std::int64_t tasks = std::min(runs[cut], 8 * threads_of(job));
  std::atomic<bool> uniform{true};
  parallel(job, tasks, [&](std::int64_t task) {
    const std::int64_t begin = portion(runs[cut], task, tasks);
    Dims extents = runs;
    extents[cut] = portion(runs[cut], task + 1, tasks) - begin;
    const bool all = each_run(extents, [&](const Coordinates& at) {
      return is_uniform(inner_run(walk, begin * column.index_strides[cut] + dot(at, column.index_strides)));
    });
    if (!all) uniform.store(false, std::memory_order_relaxed);
  });
  return uniform.load(std::memory_order_relaxed);
}

// The same job with the innermost run as a row.
Job with_rows(const Job& job) {
  Job rows = job;
  make_innermost_row(rows.walk);
  rows.element = nullptr;
  return rows;
}

Job delegated(const Job& job) { return is_shared(job) ? with_rows(job) : job; }

Outcome run(const Job& job) { return delegate(shared, delegated(job)); }

Delegate delegates_to(const Job& job) { return delegate_of(shared, delegated(job)); }

}  // namespace

const Strategy shared{
    .name = "shared",
    .summary = "treats runs that share an index as rows, then delegates",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .validates_before_writing = &always,
    .delegates_to = &delegates_to,
};

}  // namespace strew::internal
