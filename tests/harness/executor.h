// An Executor for tests: its tasks run on several threads at once, in an order that differs from theirs.
#pragma once

#include "strew/run.h"

namespace strew::harness {

class ThreadExecutor {
 public:
  explicit ThreadExecutor(int threads);
  [[nodiscard]] const Executor* get() const { return &executor_; }

 private:
  static void run(void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work);

  int threads_;
  Executor executor_;
};

}  // namespace strew::harness
