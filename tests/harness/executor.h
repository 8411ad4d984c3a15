// An Executor for tests: its tasks run on several threads at once, in an order that differs from theirs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "strew/run.h"

namespace strew::harness {

class ThreadExecutor {
 public:
  explicit ThreadExecutor(int threads);
  ThreadExecutor(const ThreadExecutor&) = delete;
  ThreadExecutor& operator=(const ThreadExecutor&) = delete;
  ~ThreadExecutor();
  [[nodiscard]] const Executor* get() const { return &executor_; }

 private:
  static void run(void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work);
  void claim();
  void help();

  Executor executor_;
  std::mutex one_run_, lock_;
  std::condition_variable begun_, ended_;
  // What is run, from the last task to the first.
  void (*task_)(void* work, std::int64_t i) = nullptr;
  void* work_ = nullptr;
  std::atomic<std::int64_t> left_{0};
  std::int64_t runs_ = 0;     // begun so far
  std::size_t busy_ = 0;      // helpers that have not yet ended the last one
  bool stops_ = false;
  std::vector<std::jthread> helpers_;  // the last member: they use all others
};

}  // namespace strew::harness
