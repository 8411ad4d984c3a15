// Threads that each read all points and step those whose places they own: nothing is handed from one to another.
#pragma once

#include <atomic>

#include "strategies/parallel.h"

namespace strew {

inline constexpr std::int64_t most_readers = 4;  // with more, each would read more than it steps

// Calls step(owner, owners) for each of as many owners as there are threads, but at least `least`. False if one of them met a bad index.
template <class Step>
bool step_by_readers(const Job& job, std::int64_t least, const Step& step) {
  const std::int64_t owners = std::clamp<std::int64_t>(threads_of(job), least, most_readers);
  std::atomic<bool> fine{true};
  parallel(job, owners, [&](std::int64_t owner) {
    if (!step(owner, owners)) fine.store(false, std::memory_order_relaxed);
  });
  return fine.load(std::memory_order_relaxed);
}

}  // namespace strew
