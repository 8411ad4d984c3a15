// Checking, running and explaining an op.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strew/export.h"
#include "strew/op.h"

namespace strew::inline v0 {

// Runs `task(work, i)` for every i below `tasks`, in any order and on any threads, and returns when all are done.
// Tasks never throw, and wait at most for one that has begun, so running them one after the other is always right. They run in the
// floating-point environment of the thread that made the call (rounding mode, flushing of subnormals), and cannot be cancelled; the
// executor's threads have their own environment and cancellation state back after each task.
// What it does not run, because it throws or leaves tasks out, is done by the calling thread; tasks that come twice or late do nothing.
// If the calling thread itself is cancelled inside the executor, or calls pthread_exit there, it ends when no task is running any more,
// and the output may hold a part of the updates.
struct Executor {
  void* context = nullptr;
  void (*run)(void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) = nullptr;
};

// Everything here changes how a result is reached, never its bits.
struct RunOptions {
  const Executor* executor = nullptr;  // none: Strew's own threads
  std::int64_t threads = 0;            // how many may work on the call; 0: get_threads()
  std::string_view strategy = {};      // force one by name
  std::int64_t block_points = 0;       // points addressed at a time; 0: the default
};

// How many threads a call uses whose options do not say: what the affinity mask and the cgroup's quota allow, or what was set.
// 0 sets it back.
[[nodiscard]] STREW_API std::int64_t get_threads();
STREW_API void set_threads(std::int64_t threads);

// Throws an Error unless the op is well formed. Indices are not read.
STREW_API void validate(const ScatterOp& op);
STREW_API void validate(const GatherOp& op);

// All or nothing: an error leaves `op.out` as it was. Only ErrorCode::changed does not: another thread changed the indices
// during the call. Elements of `op.out` that no index names may be read all the same, and strings be replaced by equal ones, so no other
// thread may write any of them meanwhile: docs/semantics.md says when ("Elements that no index names").
STREW_API void run(ScatterOp op, const RunOptions& options = {});
STREW_API void run(GatherOp op, const RunOptions& options = {});

// Runs an op that has a shape for its output but no memory yet, and returns the output.
[[nodiscard]] STREW_API Tensor compute(ScatterOp op, const RunOptions& options = {});
[[nodiscard]] STREW_API Tensor compute(GatherOp op, const RunOptions& options = {});

// In words: the loop after rank removal, the strategy, why the earlier ones declined, the scratch memory. Nothing is written. Indices are
// read and memory is compared as in run(), or as in compute() if the output has no memory: what would be refused throws the
// same Error. Only whether there is enough memory shows when it runs.
[[nodiscard]] STREW_API std::string explain(const ScatterOp& op, const RunOptions& options = {});
[[nodiscard]] STREW_API std::string explain(const GatherOp& op, const RunOptions& options = {});

// Whether the arithmetic of a fold is defined for an element type.
[[nodiscard]] STREW_API bool supports(const Fold& fold, Dtype dtype);

}  // namespace strew::inline v0
