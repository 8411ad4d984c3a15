// Threads that each scan all points and apply the updates to places they own: no data is exchanged between threads.
#pragma once

#include <atomic>

#include "kernels/lists.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"

namespace strew::internal {

inline constexpr std::int64_t max_readers = 4;  // with more threads, scanning all indices costs more than applying the owned updates

// The kernel that selects items of `bytes` bytes per point directly by index; null if the walk does not allow it.
inline PickKernel pick_of(const Job& job, std::int64_t bytes) {
  const Walk& walk = job.walk;
  const bool is_column = walk.points.size() == 1 && walk.columns.size() == 1 && walk.addressed_strides[0] == 0;
  if (!is_column || walk.out_of_range != OutOfRange::error || walk.columns[0].extent > INT32_MAX || reach_of(walk).span > UINT32_MAX)
    return nullptr;
  return pick_kernel(walk.columns[0].dtype, walk.negative, bytes);
}

// Calls step(owner, owners) for each owner: one per thread, but at least two. Returns false if any found a bad index.
template <class Step>
bool step_by_readers(const Job& job, const Step& step) {
  const std::int64_t owners = std::clamp<std::int64_t>(threads_of(job), 2, max_readers);
  std::atomic<bool> fine{true};
  parallel(job, owners, [&](std::int64_t owner) {
    if (!step(owner, owners)) fine.store(false, std::memory_order_relaxed);
  });
  return fine.load(std::memory_order_relaxed);
}

}  // namespace strew::internal
