// Threads that each read all points and step those whose places they own: nothing is handed from one to another.
#pragma once

#include <atomic>

#include "kernels/lists.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"

namespace strew::internal {

inline constexpr std::int64_t most_readers = 4;  // with more, each would read more than it steps

// Picks what has so many bytes for each point straight by the indices; null if other means are needed.
inline PickKernel pick_of(const Job& job, std::int64_t bytes) {
  const Walk& walk = job.walk;
  const bool is_column = walk.points.size() == 1 && walk.columns.size() == 1 && walk.addressed_steps[0] == 0;
  if (!is_column || walk.out_of_range != OutOfRange::error || walk.columns[0].extent > INT32_MAX || reach_of(walk).span > UINT32_MAX)
    return nullptr;
  return pick_kernel(walk.columns[0].dtype, walk.negative, bytes);
}

// Calls step(owner, owners) for each of as many owners as there are threads, but at least two. False if one of them met a bad index.
template <class Step>
bool step_by_readers(const Job& job, const Step& step) {
  const std::int64_t owners = std::clamp<std::int64_t>(threads_of(job), 2, most_readers);
  std::atomic<bool> fine{true};
  parallel(job, owners, [&](std::int64_t owner) {
    if (!step(owner, owners)) fine.store(false, std::memory_order_relaxed);
  });
  return fine.load(std::memory_order_relaxed);
}

}  // namespace strew::internal
