// Runs tasks on an executor. Threads claim tasks from a counter in static memory, which outlives every call.
#include "base/tasks.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>

#include "base/forced_unwind.h"

namespace strew::internal {
namespace {

constexpr std::int64_t closed = std::int64_t{1} << 62;  // `next` of closed claims: larger than any number of tasks

// The tasks of one call. Never freed, because an executor may run a task after the call has returned: the task then finds closed claims,
// or those of a later call, which it helps to process.
struct alignas(64) Claims {
  std::atomic<bool> taken{false};
  std::atomic<std::int64_t> next{closed};
  std::atomic<std::int64_t> running{0};  // threads inside run_claimed()
  std::int64_t tasks = 0;
  void (*task)(const void* work, std::int64_t i) = nullptr;
  const void* work = nullptr;
  std::fenv_t environment{};

  void run_claimed() noexcept;
  void close() noexcept;
};

std::array<Claims, 256> all_claims;  // the limit on concurrent multi-threaded calls; further calls run on one thread each

// Null if all are taken.
Claims* take_claims() {
  for (Claims& claims : all_claims) {
    if (!claims.taken.load(std::memory_order_relaxed) && !claims.taken.exchange(true, std::memory_order_acquire)) return &claims;
  }
  return nullptr;
}

// Claims and runs tasks until none is left, in the floating-point environment of the call.
void Claims::run_claimed() noexcept {
  running.fetch_add(1, std::memory_order_acq_rel);
  std::int64_t i = next.fetch_add(1, std::memory_order_acq_rel);
  if (i < closed && i < tasks) {
    std::fenv_t own;
    std::fegetenv(&own);
    std::fesetenv(&environment);
    for (; i < tasks; i = next.fetch_add(1, std::memory_order_acq_rel)) task(work, i);
    std::fesetenv(&own);
  }
  if (running.fetch_sub(1, std::memory_order_acq_rel) == 1) running.notify_all();
}

// Stops further claims and waits for tasks that have begun: they use the stack of the call.
void Claims::close() noexcept {
  next.exchange(closed, std::memory_order_acq_rel);
  for (std::int64_t seen; (seen = running.load(std::memory_order_acquire)) != 0;) running.wait(seen, std::memory_order_acquire);
  taken.store(false, std::memory_order_release);
}

// The task that the executor runs. Cancellation is disabled meanwhile, because it would leave updates half applied. A pending cancellation
// may act in the last line, so that line must not stand in a destructor.
void run_claimed(void* shared, std::int64_t) {
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  static_cast<Claims*>(shared)->run_claimed();
  pthread_setcancelstate(before, nullptr);
}

}  // namespace

void run_tasks(const Executor& executor, std::int64_t threads, std::int64_t tasks, void (*task)(const void* work, std::int64_t i),
               const void* work) {
  Claims* const claims = take_claims();
  if (claims == nullptr) {
    for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
    return;
  }
  claims->tasks = tasks;
  claims->task = task;
  claims->work = work;
  std::fegetenv(&claims->environment);
  claims->next.store(0, std::memory_order_release);
  struct Closing {
    Claims* claims;
    ~Closing() { claims->close(); }
  } const closing{claims};
  try {
    executor.run(executor.context, std::min(threads, tasks), &run_claimed, claims);
  } catch (const ForcedUnwind&) {
    throw;
  } catch (...) {
    // The executor failed; the calling thread runs the remaining tasks.
  }
  run_claimed(claims, 0);
}

}  // namespace strew::internal
