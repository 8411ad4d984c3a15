// Tasks on the threads of an executor: Strew's own, or one that the caller wrote.
#pragma once

#include "strew/run.h"

namespace strew::internal {

// Calls task(work, i) once for every i below `tasks`, on at most `threads` threads: the executor's and this one. Tasks are claimed in
// order. When it returns or unwinds, no task is running and none will: an executor may drop tasks, repeat them, run them late or throw.
// Each thread runs tasks in the floating-point environment of the caller, and cannot be cancelled meanwhile; then it has its own back.
void run_tasks(const Executor& executor, std::int64_t threads, std::int64_t tasks, void (*task)(const void* work, std::int64_t i),
               const void* work);

}  // namespace strew::internal
