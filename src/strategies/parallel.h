// Fork and join: how strategies use threads.
#pragma once

#include <algorithm>
#include <atomic>

#include "strategies/job.h"

namespace strew {

// How many threads may work on a job.
inline std::int64_t threads_of(const Job& job) { return job.executor == nullptr ? 1 : job.threads; }

// Calls work(i) for every i below `tasks`, on at most job.threads threads. Tasks are claimed in order, by the caller too, and
// never wait for each other.
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

}  // namespace strew
