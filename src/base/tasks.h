// Runs tasks on the threads of an executor: Strew's own or the caller's.
#pragma once

#include "strew/run.h"

namespace strew::internal {

// Calls task(work, i) once for each i in [0, tasks), on at most `threads` threads: the executor's and the calling one. Tasks are claimed in
// order and must not throw. When it returns or unwinds, no task is running and none will run later, even if the executor drops, repeats or
// delays tasks, or throws. Threads run tasks in the caller's floating-point environment, with cancellation disabled, and restore both.
void run_tasks(const Executor& executor, std::int64_t threads, std::int64_t tasks, void (*task)(const void* work, std::int64_t i),
               const void* work);

}  // namespace strew::internal
