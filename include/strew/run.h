// Validates, runs and explains ops.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strew/expected.h"
#include "strew/export.h"
#include "strew/op.h"

namespace strew::inline v0 {

// An interface to the caller's threads. `run` must call task(work, i) for every i in [0, tasks), in any order and on any threads, and
// return when all are done.
//
// Tasks never throw. They wait for no task that has not begun, so running them one after the other is always correct. Each task runs in the
// floating-point environment of the calling thread (rounding mode, flushing of subnormals) with cancellation disabled, and restores both.
//
// The calling thread runs the tasks that `run` leaves out, also if it throws; tasks that run twice or late do nothing. If the calling
// thread is cancelled inside `run`, or calls pthread_exit there, it ends once no task is running, and a part of the updates may be applied.
struct Executor {
  void* context = nullptr;
  void (*run)(void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) = nullptr;
};

// Options of a call. They affect its speed and memory, never the bits of its result.
struct RunOptions {
  const Executor* executor = nullptr;  // null: Strew's own threads; borrowed for the call
  std::int64_t threads = 0;  // upper limit on the threads of the call; 0: get_threads()
  std::string_view strategy = {};  // forces a strategy by name; empty: the library chooses
  std::int64_t block_points = 0;  // points per block; 0: the default
};

// The number of threads of calls whose options do not set one. The default is what the affinity mask and the cgroup's CPU quota allow.
[[nodiscard]] STREW_API std::int64_t get_threads();
// Sets that number; 0 restores the default. Thread-safe. A negative number throws an Error of code `argument`.
STREW_API void set_threads(std::int64_t threads);

// Large blocks of scratch memory are kept for later calls: up to six of them, at most 1 GiB beside the most recent one. The kernel may
// reclaim their pages (MADV_FREE) but counts them as the process's until it does.

// Frees the kept blocks. Calls that are running keep theirs.
STREW_API void release_scratch() noexcept;

// The number of bytes that may be kept in all; 2^63 - 1, the default, is no limit.
[[nodiscard]] STREW_API std::int64_t get_scratch_limit() noexcept;
// Sets that number. A lower one frees the excess at once; 0 keeps nothing. A negative one throws an Error of code `argument`.
STREW_API void set_scratch_limit(std::int64_t bytes);

// Throws an Error unless the op is well formed. Does not read the indices.
STREW_API void validate(const ScatterOp& op);
STREW_API void validate(const GatherOp& op);

// Runs an op. Throws an Error if the op or an index is invalid or memory cannot be allocated; the output is then unchanged, except with
// ErrorCode::changed: another thread changed the indices during the call, and a part of the updates may be applied.
//
// No other thread may write to the output during the call, not even to elements that no index names: the call may read those, and may
// replace strings by equal ones. See "Elements that no index names" in docs/semantics.md.
STREW_API void run(ScatterOp op, const RunOptions& options = {});
STREW_API void run(GatherOp op, const RunOptions& options = {});

// Allocates the output, runs the op and returns the output. op.out has the shape and type, and a null `data`. Throws the Errors of run().
[[nodiscard]] STREW_API Tensor compute(ScatterOp op, const RunOptions& options = {});
[[nodiscard]] STREW_API Tensor compute(GatherOp op, const RunOptions& options = {});

// Like run(), but returns the Error instead of throwing it. strew/expected.h has the rules for programs without exceptions.
STREW_API Expected<void> try_run(ScatterOp op, const RunOptions& options = {});
STREW_API Expected<void> try_run(GatherOp op, const RunOptions& options = {});
// Like compute(), but returns the Error instead of throwing it.
STREW_API Expected<Tensor> try_compute(ScatterOp op, const RunOptions& options = {});
STREW_API Expected<Tensor> try_compute(GatherOp op, const RunOptions& options = {});

// Describes for people how run() would process the op, or compute() if the output has no memory: the loops after rank removal, the
// strategy, why others were declined, the scratch memory. Validates the op, overlap and indices, and throws the same Errors, except that it
// does not allocate the memory of the run. Writes nothing.
[[nodiscard]] STREW_API std::string explain(const ScatterOp& op, const RunOptions& options = {});
[[nodiscard]] STREW_API std::string explain(const GatherOp& op, const RunOptions& options = {});

// Whether the arithmetic of a fold is defined for an element type. False for values that are not enumerators.
[[nodiscard]] STREW_API bool supports(const Fold& fold, Dtype dtype);

}  // namespace strew::inline v0
