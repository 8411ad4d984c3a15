// Reads the indices of a job whose offsets are place numbers into a list.
#pragma once

#include <algorithm>
#include <atomic>

#include "strategies/blocks.h"
#include "strategies/parallel.h"

namespace strew::internal {

// places[i] = the place of point i, or `none` if it is skipped, on the threads of the job. Returns false if an index is bad.
template <class N>
bool read_places(const Job& numbered, N* places, N none) {
  constexpr std::int64_t points_per_task = 1 << 16;
  const std::int64_t count = numbered.walk.point_count;
  std::atomic<bool> fine{true};
  parallel(numbered, (count + points_per_task - 1) / points_per_task, [&](std::int64_t task) {
    const std::int64_t first = task * points_per_task;
    N* to = places + first;
    const bool good = each_block_between(numbered, first, std::min(first + points_per_task, count), [&](const std::int64_t* at, auto n) {
      for (std::int64_t i = 0; i < n; ++i) to[i] = at[i] == skipped ? none : static_cast<N>(at[i]);
      to += n;
    });
    if (!good) fine.store(false, std::memory_order_relaxed);
  });
  return fine.load(std::memory_order_relaxed);
}

}  // namespace strew::internal
