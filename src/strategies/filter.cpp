// Each thread scans all indices and updates, and applies those whose places it owns: no data is exchanged between threads.
#include <array>
#include <cstring>

#include "kernels/lists.h"
#include "kernels/prefetch.h"
#include "strategies/blocks.h"
#include "strategies/readers.h"
#include "strategies/sample.h"
#include "strategies/step.h"
#include "strategies/strategy.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_elements = 1 << 16;
constexpr std::int64_t min_span = 1 << 19;                              // bytes of output: smaller ones stay in one thread's cache
constexpr std::int64_t max_pending = prefetch_distance + 2 * prefetch_group;  // selected updates whose places are being prefetched, at most

ListKernel step_of(const Job& job) {
  const Step& step = job.step;
  return steps_cells(job) ? list_kernel(step.reduction, step.compare, step.stream, static_cast<bool>(job.counts)) : nullptr;
}

bool is_dense(const Job& job) {
  return job.walk.columns[0].index_strides[0] == size_of(job.walk.columns[0].dtype) && job.walk.stream_strides[0] == job.stream_bytes;
}

bool accepts(const Job& job, std::string_view& why) {
  if (job.gathers) {
    why = "a gather has no owners";
  } else if (job.walk.out_of_range != OutOfRange::error) {
    why = "indices out of range are not errors";
  } else if (pick_of(job, job.stream_bytes) == nullptr || step_of(job) == nullptr) {
    why = "one column of int32 or int64 indices must address single elements of a common type, within 4 GiB";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr) {
    why = "there is one thread";
  } else if (job.threads > max_readers) {
    why = "with this many threads, scanning all indices costs more than applying the owned ones";
  } else if (reach_of(job.walk).span < min_span) {
    why = "the output is small";
  } else if (!is_dense(job)) {
    why = "indices or updates are not contiguous";
  } else if (sample(job).stays_near()) {
    why = "updates stay near those before them";
  }
  return why.empty();
}

// Each index is read once, validated and kept, so that no later change of it matters.
bool step_own(const Job& job, std::int64_t owner, std::int64_t owners) {
  const Walk& walk = job.walk;
  const Column& column = walk.columns[0];
  const PickKernel pick = pick_of(job, job.stream_bytes);
  const ListKernel step = step_of(job);
  const std::int64_t low = reach_of(walk).low, row = job.stream_bytes;
  const bool prefetches = prefetching_pays(job);
  std::array<std::uint32_t, max_pending + largest_block + list_slack> offsets;
  alignas(64) std::array<std::byte, sizeof(offsets) * 2> rows;
  std::int64_t pending = 0;  // selected, but not applied yet
  for (std::int64_t begin = 0; begin < walk.point_count; begin += job.block_points) {
    const std::int64_t count = std::min(job.block_points, walk.point_count - begin);
    PickRun run{.index = column.index + begin * column.index_strides[0],
                .index_stride = column.index_strides[0],
                .extent = column.extent,
                .stride = column.stride,
                .origin = -low,
                .stream = job.stream + begin * walk.stream_strides[0],
                .stream_stride = walk.stream_strides[0],
                .count = count,
                .owner = owner,
                .owners = owners,
                .offsets = offsets.data() + pending,
                .rows = rows.data() + pending * row};
    if (!pick(run)) return false;
    const std::int64_t known = pending + run.listed;
    const bool is_last = begin + count == walk.point_count;
    const std::int64_t stepped =
        is_last ? known : std::max<std::int64_t>(0, known - prefetch_distance - prefetch_group) / prefetch_group * prefetch_group;
    step({job.addressed + low, offsets.data(), rows.data(), stepped, known, prefetches});
    pending = known - stepped;
    std::memmove(offsets.data(), offsets.data() + stepped, static_cast<std::size_t>(pending) * sizeof offsets[0]);
    std::memmove(rows.data(), rows.data() + stepped * row, static_cast<std::size_t>(pending * row));
  }
  return true;
}

Outcome run(const Job& job) {
  return outcome_of_writing(step_by_readers(job, [&](std::int64_t owner, std::int64_t owners) { return step_own(job, owner, owners); }));
}

}  // namespace

extern const Strategy filter;
const Strategy filter{
    .name = "filter",
    .summary = "each thread scans all updates and applies those to places it owns",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
};

}  // namespace strew::internal
