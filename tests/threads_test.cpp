// Threads: how many there are, what a fork leaves of them, and that the caller's floating-point environment holds in all of them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <cstring>
#include <new>
#include <random>
#include <thread>
#include <vector>

#ifdef STREW_TEST_TBB
#include <oneapi/tbb/parallel_for.h>
#endif

#include "harness/executor.h"
#include "strategies/parallel.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace strew {
using namespace internal;
namespace {

constexpr std::int64_t points = 1 << 19, places = 1 << 21;

// A sum whose every step rounds.
struct Sums {
  std::vector<std::int64_t> index = std::vector<std::int64_t>(points);
  std::vector<float> updates = std::vector<float>(points);

  Sums() {
    std::mt19937_64 random(7);
    for (std::int64_t& i : index) i = static_cast<std::int64_t>(random() % places);
    for (float& u : updates) u = 1.0f / static_cast<float>(3 + random() % 1000);
  }
  [[nodiscard]] std::vector<float> run_by(std::string_view strategy, std::int64_t threads) const {
    std::vector<float> out(places, 1.0f);
    run(pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
        {.threads = threads, .strategy = strategy});
    return out;
  }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Threads, AsManyAsWereSet) {
  const std::int64_t allowed = get_threads();
  EXPECT_GE(allowed, 1);
  set_threads(3);
  EXPECT_EQ(get_threads(), 3);
  const Sums sums;
  std::vector<float> out(places);
  const ScatterOp op = pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(sums.index), tensor(sums.updates));
  EXPECT_NE(explain(op).find("threads: 3\n"), std::string::npos) << explain(op);
  EXPECT_NE(explain(op, {.threads = 1}).find("threads: 1\n"), std::string::npos);
  EXPECT_NE(explain(op, {.strategy = "elements"}).find("threads: 1 of 3\n"), std::string::npos);
  set_threads(0);
  EXPECT_EQ(get_threads(), allowed);
  EXPECT_THROW(set_threads(-1), Error);
}

// Counts the tasks that an executor of the caller's gets.
struct Counting {
  std::atomic<std::int64_t> tasks{0};
  static void run(void* context, std::int64_t tasks, void (*task)(void*, std::int64_t), void* work) {
    static_cast<Counting*>(context)->tasks += tasks;
    for (std::int64_t i = tasks; i > 0; --i) task(work, i - 1);
  }
};

TEST(Threads, TheCallersExecutorGetsTheWork) {
  const Sums sums;
  Counting counting;
  const Executor executor{&counting, &Counting::run};
  std::vector<float> out(places, 1.0f);
  run(pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(sums.index), tensor(sums.updates)),
      {.executor = &executor, .threads = 4});
  EXPECT_GT(counting.tasks, 1);
  EXPECT_TRUE(same_bits(out, sums.run_by("serial", 1)));
}

// Executors of every kind: each task of each round runs once, and no round begins before the one before it is done.
TEST(Threads, RoundsRunEachTaskOnce) {
  using Task = void (*)(void*, std::int64_t);
  const Executor in_order{nullptr, [](void*, std::int64_t tasks, Task task, void* work) {
                            for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
                          }};
  const Executor idle{nullptr, [](void*, std::int64_t, Task, void*) {}};
  const Executor throws{nullptr, [](void*, std::int64_t, Task task, void* work) {
                          task(work, 0);
                          throw std::bad_alloc();
                        }};
  harness::ThreadExecutor two(2), eight(8);
  for (const Executor* executor : {static_cast<const Executor*>(nullptr), &in_order, &idle, &throws, two.get(), eight.get()}) {
    for (const std::int64_t tasks : {1, 2, 3, 16}) {
      constexpr std::int64_t rounds = 50, last_good = 30;
      Job job;
      job.executor = executor;
      job.threads = 8;
      std::vector<std::atomic<int>> ran(rounds * 16);
      std::atomic<std::int64_t> finished{0}, too_early{0};
      const bool fine = parallel_rounds(job, rounds, tasks, [&](std::int64_t round, std::int64_t i) {
        if (finished.load() < round * tasks) ++too_early;
        ++ran[static_cast<std::size_t>(round * 16 + i)];
        ++finished;
        return round != last_good || i > 0;
      });
      EXPECT_FALSE(fine);
      EXPECT_EQ(too_early, 0);
      for (std::int64_t round = 0; round < rounds; ++round) {
        for (std::int64_t i = 0; i < tasks; ++i) {
          const int times = ran[static_cast<std::size_t>(round * 16 + i)];
          // Of the round that fails, tasks may be left out that begin after the failure.
          EXPECT_TRUE(times == (round <= last_good ? 1 : 0) || (round == last_good && i > 0 && times == 0))
              << round << ", " << i << ": " << times;
        }
      }
    }
  }
}

TEST(Threads, SmallCallsStayOnTheCallingThread) {
  Counting counting;
  const Executor executor{&counting, &Counting::run};
  std::vector<float> out(8);
  const std::vector<std::int64_t> index{1, 2, 3};
  const std::vector<float> updates{1, 1, 1};
  run(pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)), {.executor = &executor, .threads = 4});
  EXPECT_EQ(counting.tasks, 0);
}

TEST(Threads, SeveralCallsAtOnce) {
  const Sums sums;
  const std::vector<float> expected = sums.run_by("serial", 1);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) callers.emplace_back([&] { wrong += same_bits(sums.run_by("", 2), expected) ? 0 : 1; });
  }
  EXPECT_EQ(wrong, 0);
}

// Calls from within the caller's own parallel regions, more of them than there are threads.
[[maybe_unused]] constexpr int calls = 12;
#ifdef STREW_TEST_TBB
TEST(Threads, NestedInTheCallersTbb) {
  const Sums sums;
  const std::vector<float> expected = sums.run_by("serial", 1);
  std::atomic<int> right{0};
  oneapi::tbb::parallel_for(0, calls, [&](int i) {
    const std::string_view strategies[] = {"", "exchange", "partition"};
    right += same_bits(sums.run_by(strategies[i % 3], 2 + i % 2), expected) ? 1 : 0;
  });
  EXPECT_EQ(right, calls);
}
#endif
#ifdef STREW_TEST_OPENMP
TEST(Threads, NestedInTheCallersOpenMp) {
  const Sums sums;
  const std::vector<float> expected = sums.run_by("serial", 1);
  int right = 0;
#pragma omp parallel for reduction(+ : right)
  for (int i = 0; i < calls; ++i) right += same_bits(sums.run_by("", 2), expected) ? 1 : 0;
  EXPECT_EQ(right, calls);
}
#endif

// Every strategy, in a rounding mode that is not the default.
TEST(Threads, TheRoundingModeOfTheCallerHolds) {
  const Sums sums;
  const std::vector<float> nearest = sums.run_by("serial", 1);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const std::vector<float> upward = sums.run_by("serial", 1);
  for (const Strategy* strategy : strategies()) {
    try {
      EXPECT_TRUE(same_bits(sums.run_by(strategy->name, 2), upward)) << strategy->name;
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find("declined"), std::string_view::npos) << error.what();
    }
  }
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  EXPECT_FALSE(same_bits(nearest, upward)) << "the mode must show, or this test says nothing";
}

// The threads of a parent are not there in its child, which must compute all the same.
TEST(Threads, AForkedChildComputes) {
  const Sums sums;
  const std::vector<float> expected = sums.run_by("", 2);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a child that hangs is ended, which the parent sees
    _exit(same_bits(sums.run_by("", 2), expected) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(same_bits(sums.run_by("", 2), expected)) << "and the parent goes on";
}

}  // namespace
}  // namespace strew
