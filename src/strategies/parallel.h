// Fork and join: how strategies use threads.
#pragma once

#include <algorithm>
#include <atomic>

#include "strategies/job.h"

namespace strew {

// How many threads may work on a job.
inline std::int64_t threads_of(const Job& job) { return job.executor == nullptr ? 1 : job.threads; }

inline constexpr int most_spins = 1 << 12;  // before a thread that waits goes to sleep

// Calls work(i) for every i below `tasks`, on at most job.threads threads. Tasks are claimed in order, by the caller too.
template <class Work>
void parallel(const Job& job, std::int64_t tasks, const Work& work) {
  if (job.executor == nullptr || tasks <= 1) {
    for (std::int64_t i = 0; i < tasks; ++i) work(i);
    return;
  }
  struct Claims {
    std::atomic<std::int64_t> next{0};
    std::int64_t tasks;
    const Work* work;
  } claims{0, tasks, &work};
  const auto claim = [](void* shared, std::int64_t) {
    auto& own = *static_cast<Claims*>(shared);
    for (std::int64_t i = own.next.fetch_add(1); i < own.tasks; i = own.next.fetch_add(1)) (*own.work)(i);
  };
  try {
    job.executor->run(job.executor->context, std::min(job.threads, tasks), claim, &claims);
  } catch (...) {
    // The executor could not get what it needs, and nothing of it runs any more. Tasks themselves never throw.
  }
  claim(&claims, 0);  // whatever is left
}

// Calls work(round, i) for every i below `tasks`, round after round: a round begins when the one before it is done. All are claimed in
// order, so a thread only ever waits for work that another one has begun. Stops after a round in which work returned false, and returns
// that.
template <class Work>
bool parallel_rounds(const Job& job, std::int64_t rounds, std::int64_t tasks, const Work& work) {
  std::atomic<std::int64_t> next{0}, done{0};
  std::atomic<bool> fine{true};
  parallel(job, std::min(threads_of(job), tasks), [&](std::int64_t) {
    for (std::int64_t i = next.fetch_add(1); i < rounds * tasks; i = next.fetch_add(1)) {
      const std::int64_t round = i / tasks;
      for (int turns = 0; turns < most_spins && done.load(std::memory_order_acquire) < round * tasks;) ++turns;
      for (std::int64_t seen; (seen = done.load(std::memory_order_acquire)) < round * tasks;) done.wait(seen, std::memory_order_acquire);
      if (fine.load(std::memory_order_relaxed) && !work(round, i % tasks)) fine.store(false, std::memory_order_relaxed);
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == (round + 1) * tasks) done.notify_all();
    }
  });
  return fine.load(std::memory_order_relaxed);
}

}  // namespace strew
