// The number of threads that the process may use, and an Executor on oneTBB.
#include "base/threads.h"

#include <pthread.h>

#include <atomic>

#include "base/platform.h"
#include "base/text.h"

#ifdef STREW_WITH_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace strew::internal {
namespace {

std::atomic<std::int64_t> requested_threads{0};  // 0: allowed_threads()

#ifdef STREW_WITH_TBB
std::atomic<bool> forked{false};

void run_tbb(void*, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) {
  namespace tbb = oneapi::tbb;
  // Isolated, so that a thread which waits here does not run an unrelated task of the caller.
  tbb::this_task_arena::isolate([&] {
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, tasks, 1),
        [&](const tbb::blocked_range<std::int64_t>& range) {
          for (std::int64_t i = range.begin(); i < range.end(); ++i) task(work, i);
        },
        tbb::simple_partitioner{}, context);
  });
}

constexpr Executor tbb_executor{nullptr, &run_tbb};

// Registered when the library is loaded: the caller may use oneTBB and fork before its first call.
const int watches_forks = pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
#endif

}  // namespace

const Executor* own_executor() {
#ifdef STREW_WITH_TBB
  const bool usable = watches_forks == 0 && !forked.load(std::memory_order_relaxed);
  return usable ? &tbb_executor : nullptr;
#else
  return nullptr;
#endif
}

std::int64_t allowed_threads() { return usable_processors(); }

}  // namespace strew::internal

namespace strew::inline v0 {

std::int64_t get_threads() {
  static const std::int64_t allowed = internal::allowed_threads();
  const std::int64_t set = internal::requested_threads.load(std::memory_order_relaxed);
  return set > 0 ? set : allowed;
}

void set_threads(std::int64_t threads) {
  if (threads < 0)
    throw Error(ErrorCode::argument, internal::cat("set_threads: threads must be >= 0 (0: what the machine allows), got ", threads));
  internal::requested_threads.store(threads, std::memory_order_relaxed);
}

}  // namespace strew::inline v0
