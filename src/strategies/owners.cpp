// Each thread scans all indices and applies the updates of the rows it owns: for rows that are too short, or have too few updates each, to
// be sorted, and too long to be copied.
#include <array>

#include "kernels/lists.h"
#include "strategies/blocks.h"
#include "strategies/readers.h"
#include "strategies/row_queue.h"
#include "strategies/sample.h"
#include "strategies/strategy.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_elements = 1 << 16;
constexpr std::int64_t min_points = 64;     // long rows per thread: fewer are not balanced
constexpr std::int64_t min_row = 9;         // bytes: shorter rows are faster to copy
constexpr std::int64_t long_row = 256;      // bytes: longer rows may be worth sorting
constexpr std::int64_t many_updates = 4;    // per row of the output, on average
constexpr std::int64_t min_span = 8 << 20;  // bytes of output: smaller ones stay in one thread's cache

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (!RowQueue::serves(job)) {
    why = "only plain steps on dense rows can have owners";
  } else if (walk.points.size() != 1 || walk.columns.empty()) {
    why = "the points must have one dimension";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr) {
    why = "there is one thread";
  } else if (!rows_have_owners(job)) {
    why = "with this many threads, scanning all indices costs more than applying the owned ones";
  } else if (row_bytes(job) < min_row) {
    why = "rows are so short that copying them is faster";
  } else if (row_bytes(job) > long_row && walk.point_count / many_updates >= targets_of(walk).count) {
    why = "rows are long and have enough updates to be sorted";
  } else if (row_bytes(job) > long_row && walk.point_count < min_points * job.threads) {
    why = "there are too few updates for the threads";
  } else if (reach_of(walk).span < min_span) {
    why = "the output is small";
  } else if (const Sample seen = sample(job); seen.is_local()) {
    why = "neighbouring updates go to neighbouring places";
  } else if (row_bytes(job) > long_row && seen.has_hot_place()) {
    why = "one row has too many of the updates for one owner";
  }
  return why.empty();
}

// The numbers of the points in a block, to be selected by owner.
constexpr auto numbers = [] {
  std::array<std::uint32_t, largest_block> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}();

// Reads each index once for both its offset and its owner. Returns false if one is bad.
bool queue_picked(const Job& job, PickKernel pick, std::int64_t owner, std::int64_t owners, RowQueue& queue) {
  const Walk& walk = job.walk;
  const Column& column = walk.columns[0];
  const std::int64_t low = reach_of(walk).low, stride = walk.stream_strides[0];
  std::array<std::uint32_t, largest_block + list_slack> offsets, points;
  for (std::int64_t begin = 0; begin < walk.point_count; begin += job.block_points) {
    PickRun run{.index = column.index + begin * column.index_strides[0],
                .index_stride = column.index_strides[0],
                .extent = column.extent,
                .stride = column.stride,
                .origin = -low,
                .stream = reinterpret_cast<const std::byte*>(numbers.data()),
                .stream_stride = sizeof numbers[0],
                .count = std::min(job.block_points, walk.point_count - begin),
                .owner = owner,
                .owners = owners,
                .offsets = offsets.data(),
                .rows = reinterpret_cast<std::byte*>(points.data())};
    if (!pick(run)) return false;
    queue.append([&](std::int64_t* own_offsets, std::int64_t* own_streams) {
      for (std::int64_t i = 0; i < run.listed; ++i) {
        own_offsets[i] = low + offsets[static_cast<std::size_t>(i)];
        own_streams[i] = (begin + points[static_cast<std::size_t>(i)]) * stride;
      }
      return run.listed;
    });
  }
  return true;
}

bool queue_listed(const Job& job, std::int64_t owner, std::int64_t owners, RowQueue& queue) {
  const OwnKernel list_own = own_kernel();
  return each_block(job, [&](const std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
    queue.append([&](std::int64_t* own_offsets, std::int64_t* own_streams) {
      return list_own({.offsets = offsets,
                       .count = count,
                       .stream = stream,
                       .stream_stride = job.walk.stream_strides[0],
                       .owner = owner,
                       .owners = owners,
                       .own_offsets = own_offsets,
                       .own_streams = own_streams});
    });
  });
}

// Applies the updates in the order of the points.
bool step_own(const Job& job, std::int64_t owner, std::int64_t owners) {
  RowQueue queue(job, 0, job.walk.row_count);
  const PickKernel pick = pick_of(job, sizeof numbers[0]);
  const bool fine = pick != nullptr ? queue_picked(job, pick, owner, owners, queue) : queue_listed(job, owner, owners, queue);
  queue.step_all();
  return fine;
}

Outcome run(const Job& job) {
  if (job.walk.row_count == 0) return Outcome::done;
  return outcome_of_writing(step_by_readers(job, [&](std::int64_t owner, std::int64_t owners) { return step_own(job, owner, owners); }));
}

}  // namespace

extern const Strategy owners;
const Strategy owners{
    .name = "owners",
    .summary = "each thread scans all indices and applies updates to rows it owns",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
};

}  // namespace strew::internal
