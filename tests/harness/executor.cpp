// Threads that stay, as starting them takes longer than most cases, and claim tasks from the last to the first.
#include "harness/executor.h"

namespace strew::harness {

ThreadExecutor::ThreadExecutor(int threads) : executor_{this, &run} {
  for (int t = 1; t < threads; ++t) helpers_.emplace_back([this] { help(); });
}

ThreadExecutor::~ThreadExecutor() {
  {
    const std::scoped_lock hold(lock_);
    stops_ = true;
  }
  begun_.notify_all();
}

void ThreadExecutor::claim() {
  for (std::int64_t i = left_.fetch_sub(1); i > 0; i = left_.fetch_sub(1)) task_(work_, i - 1);
}

void ThreadExecutor::help() {
  for (std::int64_t seen = 0;;) {
    {
      std::unique_lock hold(lock_);
      begun_.wait(hold, [&] { return stops_ || runs_ != seen; });
      if (stops_) return;
      seen = runs_;
    }
    claim();
    const std::scoped_lock hold(lock_);
    if (--busy_ == 0) ended_.notify_one();
  }
}

void ThreadExecutor::run(void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) {
  auto& own = *static_cast<ThreadExecutor*>(context);
  const std::scoped_lock alone(own.one_run_);
  {
    const std::scoped_lock hold(own.lock_);
    own.task_ = task;
    own.work_ = work;
    own.left_ = tasks;
    own.busy_ = own.helpers_.size();
    ++own.runs_;
  }
  own.begun_.notify_all();
  own.claim();
  std::unique_lock hold(own.lock_);
  own.ended_.wait(hold, [&] { return own.busy_ == 0; });
}

}  // namespace strew::harness
