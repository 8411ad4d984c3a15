// How many threads a call may use, and the ones that Strew brings itself.
#pragma once

#include "strew/run.h"

namespace strew::internal {

// Runs tasks on oneTBB's threads. Null where Strew was built without oneTBB, and in a forked child, whose parent's threads did not come
// along: then the calling thread does it all.
[[nodiscard]] const Executor* own_executor();

// What the affinity mask and the cgroup's quota allow.
[[nodiscard]] std::int64_t allowed_threads();

}  // namespace strew::internal
