// Each thread reads all indices and steps the rows that it owns: for rows that are too short, or have too few updates each, to be sorted,
// and are too long to be moved twice.
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
constexpr std::int64_t least_points = 64;                 // long rows for each thread: few are not spread evenly
constexpr std::int64_t least_row = 9;                     // bytes: shorter ones are better moved
constexpr std::int64_t long_row = 256;                    // bytes: longer rows are worth sorting
constexpr std::int64_t many_updates = 4;                  // of each row of the output, on average
constexpr std::int64_t least_span = 8 << 20;              // bytes of output: what is smaller is near one thread as well

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (!RowQueue::serves(job)) {
    why = "only dense rows that are stepped have an owner";
  } else if (walk.points.size() != 1 || walk.columns.empty()) {
    why = "the points must be one run";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr) {
    why = "there is one thread";
  } else if (!rows_have_owners(job)) {
    why = "there are so many threads that each would read more than it steps";
  } else if (row_bytes(job) < least_row) {
    why = "rows are so short that they are better moved";
  } else if (row_bytes(job) > long_row && walk.point_count / many_updates >= targets_of(walk).count) {
    why = "rows are long and have so many updates that sorting them pays";
  } else if (row_bytes(job) > long_row && walk.point_count < least_points * job.threads) {
    why = "there are too few rows to share";
  } else if (reach_of(walk).span < least_span) {
    why = "the output is small";
  } else if (const Sample seen = sample(job); seen.is_local()) {
    why = "neighbouring updates go to neighbouring places";
  } else if (row_bytes(job) > long_row && seen.has_hot_place()) {
    why = "one row has so many updates that its owner would be late";
  }
  return why.empty();
}

// The numbers of the points in a block.
constexpr auto numbers = [] {
  std::array<std::uint32_t, largest_block> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}();

// The offsets of a block and which of its points they belong to come of one look at its indices. False if one of those is bad.
bool queue_picked(const Job& job, PickKernel pick, std::int64_t owner, std::int64_t owners, RowQueue& queue) {
  const Walk& walk = job.walk;
  const Column& column = walk.columns[0];
  const std::int64_t low = reach_of(walk).low, step = walk.stream_steps[0];
  std::array<std::uint32_t, largest_block + list_slack> offsets, points;
  for (std::int64_t begin = 0; begin < walk.point_count; begin += job.block_points) {
    PickRun run{column.index + begin * column.steps[0],
                column.steps[0],
                column.extent,
                column.stride,
                -low,
                reinterpret_cast<const std::byte*>(numbers.data()),
                sizeof numbers[0],
                std::min(job.block_points, walk.point_count - begin),
                owner,
                owners,
                offsets.data(),
                reinterpret_cast<std::byte*>(points.data())};
    if (!pick(run)) return false;
    queue.append([&](std::int64_t* own_offsets, std::int64_t* own_streams) {
      for (std::int64_t i = 0; i < run.listed; ++i) {
        own_offsets[i] = low + offsets[static_cast<std::size_t>(i)];
        own_streams[i] = (begin + points[static_cast<std::size_t>(i)]) * step;
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
      return list_own({offsets, count, stream, job.walk.stream_steps[0], owner, owners, own_offsets, own_streams});
    });
  });
}

// In the order of the points.
bool step_own(const Job& job, std::int64_t owner, std::int64_t owners) {
  RowQueue queue(job, 0, job.walk.row_count);
  const PickKernel pick = pick_of(job, sizeof numbers[0]);
  const bool fine = pick != nullptr ? queue_picked(job, pick, owner, owners, queue) : queue_listed(job, owner, owners, queue);
  queue.step_all();
  return fine;
}

Outcome run(const Job& job) {
  if (job.walk.row_count == 0) return Outcome::done;
  return written(step_by_readers(job, [&](std::int64_t owner, std::int64_t owners) { return step_own(job, owner, owners); }));
}

}  // namespace

extern const Strategy owners;
const Strategy owners{
    .name = "owners",
    .summary = "threads read all indices and step the rows they own",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
};

}  // namespace strew::internal
