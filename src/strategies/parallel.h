// Fork and join: how strategies use threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "base/pause.h"
#include "base/tasks.h"
#include "strategies/job.h"

namespace strew::internal {

// The number of threads that may work on a job.
inline std::int64_t threads_of(const Job& job) { return job.executor == nullptr ? 1 : job.threads; }

inline constexpr int max_spins = 1 << 12;  // of a waiting thread before it blocks: some 50 to 200 microseconds
inline constexpr std::int64_t max_round_tasks = 16;

// Calls work(i) for every i below `tasks`, on at most job.threads threads. Tasks are claimed in order, also by the calling thread; they
// must not throw.
template <class Work>
void parallel(const Job& job, std::int64_t tasks, const Work& work) {
  if (job.executor == nullptr || tasks <= 1) {
    for (std::int64_t i = 0; i < tasks; ++i) work(i);
    return;
  }
  run_tasks(
      *job.executor, job.threads, tasks, [](const void* shared, std::int64_t i) { (*static_cast<const Work*>(shared))(i); }, &work);
}

// Calls work(round, i) for every i below `tasks`, at most max_round_tasks; each round begins when the previous one is done. Stops after a
// round in which work returned false, and returns false then. A thread keeps the same tasks in every round, so that their data stays in its
// cache, but takes over tasks that no thread begins in time. So it only ever blocks on work that has begun.
template <class Work>
bool parallel_rounds(const Job& job, std::int64_t rounds, std::int64_t tasks, const Work& work) {
  struct alignas(64) Begun {
    std::atomic<std::int64_t> rounds{0};
  };
  std::array<Begun, max_round_tasks> begun;  // by task
  std::atomic<std::int64_t> done{0}, arrived{0};
  std::atomic<bool> fine{true};
  const std::int64_t threads = std::min(threads_of(job), tasks);
  const auto is_begun = [&](std::int64_t round, std::int64_t i) {
    return begun[static_cast<std::size_t>(i)].rounds.load(std::memory_order_relaxed) > round;
  };
  const auto take = [&](std::int64_t round, std::int64_t i) {
    std::int64_t before = round;
    if (!begun[static_cast<std::size_t>(i)].rounds.compare_exchange_strong(before, round + 1, std::memory_order_relaxed)) return;
    if (fine.load(std::memory_order_relaxed) && !work(round, i)) fine.store(false, std::memory_order_relaxed);
    if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == (round + 1) * tasks) done.notify_all();
  };
  parallel(job, threads, [&](std::int64_t own) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    for (std::int64_t round = done.load(std::memory_order_acquire) / tasks; round < rounds; ++round) {
      for (std::int64_t i = own; i < tasks; i += threads) take(round, i);
      // If all threads have arrived, the other tasks are about to begin, unless a thread was preempted.
      int turns = arrived.load(std::memory_order_relaxed) == threads ? 0 : max_spins;
      for (std::int64_t i = 0; i < tasks; ++i) {
        for (; turns < max_spins && !is_begun(round, i); ++turns) pause();
        if (!is_begun(round, i)) take(round, i);
      }
      const std::int64_t all = (round + 1) * tasks;
      for (turns = 0; turns < max_spins && done.load(std::memory_order_acquire) < all; ++turns) pause();
      for (std::int64_t seen; (seen = done.load(std::memory_order_acquire)) < all;) done.wait(seen, std::memory_order_acquire);
    }
  });
  return fine.load(std::memory_order_relaxed);
}

}  // namespace strew::internal
