// Threads that claim tasks from the last to the first.
#include "harness/executor.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace strew::harness {

ThreadExecutor::ThreadExecutor(int threads) : threads_(threads), executor_{&threads_, &run} {}

void ThreadExecutor::run(void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) {
  std::atomic<std::int64_t> left{tasks};
  const auto claim = [&] {
    for (std::int64_t i = left.fetch_sub(1); i > 0; i = left.fetch_sub(1)) task(work, i - 1);
  };
  std::vector<std::jthread> others;
  const std::int64_t helpers = std::min<std::int64_t>(*static_cast<int*>(context), tasks) - 1;
  for (std::int64_t t = 0; t < helpers; ++t) others.emplace_back(claim);
  claim();
}

}  // namespace strew::harness
