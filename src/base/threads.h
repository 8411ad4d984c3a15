// The default number of threads, and Strew's own executor.
#pragma once

#include "strew/run.h"

namespace strew::internal {

// Runs tasks on oneTBB's threads. Null in a build without oneTBB, and in a forked child, which does not inherit its parent's threads: the
// calling thread then runs all tasks.
[[nodiscard]] const Executor* own_executor();

// The threads that the affinity mask and the cgroup's CPU quota allow, at least 1.
[[nodiscard]] std::int64_t allowed_threads();

}  // namespace strew::internal
