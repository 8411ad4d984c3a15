// Executors of the caller: tasks run in the calling thread's floating-point mode, threads may be cancelled, and an executor that skips
// tasks, repeats them, runs them late or throws does not affect results.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cfenv>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "harness/same_bits.h"
#include "strategies/replay.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace strew {
using namespace internal;
using harness::same_bits;
namespace {

using Task = void (*)(void*, std::int64_t);

// An Executor from any function.
class From {
 public:
  using Run = std::function<void(std::int64_t tasks, Task task, void* work)>;
  explicit From(Run run) : run_(std::move(run)), executor_{this, &call} {}
  From(From&&) = delete;
  [[nodiscard]] const Executor* get() const { return &executor_; }

 private:
  static void call(void* context, std::int64_t tasks, Task task, void* work) { static_cast<From*>(context)->run_(tasks, task, work); }
  Run run_;
  Executor executor_;
};

// The floating-point mode: rounding, and whether subnormals are flushed to zero.
struct Mode {
  int rounding = FE_TONEAREST;
  bool flushes = false;

  static Mode current() { return {std::fegetround(), flushing()}; }
  void set() const {
    std::fesetround(rounding);
    set_flushing(flushes);
  }
  bool operator==(const Mode&) const = default;

 private:
#if defined(__x86_64__)
  static constexpr unsigned flush = 0x8040;  // results and operands
  static bool flushing() { return (_mm_getcsr() & flush) == flush; }
  static void set_flushing(bool on) { _mm_setcsr(on ? _mm_getcsr() | flush : _mm_getcsr() & ~flush); }
#elif defined(__aarch64__)
  static constexpr std::uint64_t flush = std::uint64_t{1} << 24;
  static std::uint64_t control() {
    std::uint64_t value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static bool flushing() { return (control() & flush) != 0; }
  static void set_flushing(bool on) {
    const std::uint64_t value = on ? control() | flush : control() & ~flush;
    asm volatile("msr fpcr, %0" : : "r"(value));
  }
#else
  static bool flushing() { return false; }
  static void set_flushing(bool) {}
#endif
};

constexpr int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

std::vector<Mode> modes() {
  std::vector<Mode> all;
  for (const int rounding : roundings) {
    for (const bool flushes : {false, true}) all.push_back({rounding, flushes});
  }
  return all;
}

// Sums that round at every step, some of them subnormal, with many updates per place.
struct Sums {
  static constexpr std::int64_t points = 1 << 15, places = 1 << 12;
  std::vector<std::int64_t> index = std::vector<std::int64_t>(points);
  std::vector<float> updates = std::vector<float>(points), before = std::vector<float>(places, 1.0f);

  Sums() {
    std::mt19937_64 random(7);
    for (std::int64_t& i : index) i = static_cast<std::int64_t>(random() % places);
    for (float& u : updates) u = 1.0f / static_cast<float>(3 + random() % 1000);
    for (std::size_t i = 0; i < updates.size(); ++i) {
      if (index[i] % 2 == 1) updates[i] *= 1e-41f;
    }
    for (std::size_t i = 1; i < before.size(); i += 2) before[i] = 1e-41f;
    // Zeros of both signs, whose sum has a sign that depends on the mode.
    for (std::size_t i = 0; i < updates.size(); ++i) {
      if (index[i] % 8 == 3) updates[i] = i % 2 == 0 ? 0.0f : -0.0f;
    }
    for (std::size_t i = 3; i < before.size(); i += 8) before[i] = i % 16 == 3 ? 0.0f : -0.0f;
  }
  [[nodiscard]] ScatterOp op(std::vector<float>& out) const {
    return pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates));
  }
  [[nodiscard]] ScatterOp mean(std::vector<float>& out) const {
    return pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "mean");
  }
  using Describe = ScatterOp (Sums::*)(std::vector<float>&) const;
  [[nodiscard]] std::vector<float> run_by(const RunOptions& options, Describe describe = &Sums::op) const {
    std::vector<float> out = before;
    run((this->*describe)(out), options);
    return out;
  }
  [[nodiscard]] std::vector<float> expected(Describe describe = &Sums::op) const {
    return run_by({.threads = 1, .strategy = "serial"}, describe);
  }
};

// New threads for each call, with their own mode, which every task must restore.
struct ModeKeeper {
  Mode own{};
  std::atomic<int> lost{0};
  const From executor{[this](std::int64_t tasks, Task task, void* work) {
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < tasks; ++i) {
      threads.emplace_back([this, task, work, i] {
        own.set();
        task(work, i);
        lost += Mode::current() == own ? 0 : 1;
      });
    }
  }};
};

TEST(Executor, ComputesInTheModeOfTheCaller) {
  const Sums sums;
  const Mode before = Mode::current();
  std::vector<std::vector<float>> results;
  for (const Mode& mode : modes()) {
    ModeKeeper keeper;
    keeper.own = {mode.rounding == FE_UPWARD ? FE_DOWNWARD : FE_UPWARD, !mode.flushes};
    mode.set();
    const std::vector<float> sum = sums.expected(), mean = sums.expected(&Sums::mean);
    int wrong = 0, ran = 0;
    const auto judge = [&](std::string_view name, const auto& result, const std::vector<float>& expected) {
      try {
        const bool same = same_bits(result(), expected);
        ++ran;
        before.set();  // what a test prints is not rounded
        EXPECT_TRUE(same) << name << ", rounding " << mode.rounding << (mode.flushes ? ", flushing" : "");
        wrong += same ? 0 : 1;
      } catch (const Error& error) {
        EXPECT_NE(std::string_view(error.what()).find("declined"), std::string_view::npos) << error.what();
      }
      mode.set();
    };
    for (const Executor* executor : {keeper.executor.get(), static_cast<const Executor*>(nullptr)}) {
      for (const Strategy* strategy : strategies()) {
        const RunOptions options{.executor = executor, .threads = 4, .strategy = strategy->name};
        judge(
            strategy->name, [&] { return sums.run_by(options); }, sum);
        judge(
            strategy->name, [&] { return sums.run_by(options, &Sums::mean); }, mean);
      }
      for (const Layout* layout : layouts()) {
        judge(
            layout->name,
            [&] {
              std::vector<float> out = sums.before;
              const Plan made = plan(sums.op(out), {.executor = executor, .threads = 4, .strategy = layout->name});
              made.apply(tensor(sums.updates), tensor(out), {.executor = executor, .threads = 4});
              return out;
            },
            sum);
      }
      EXPECT_EQ(Mode::current(), mode) << "the caller's own";
    }
    before.set();
    EXPECT_EQ(keeper.lost, 0);
    EXPECT_GT(ran, 10);
    if (wrong == 0) results.push_back(sum);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool may_agree = (modes()[i].rounding == FE_TOWARDZERO || modes()[j].rounding == FE_TOWARDZERO) &&
                             (modes()[i].rounding == FE_DOWNWARD || modes()[j].rounding == FE_DOWNWARD);  // sums are positive
      EXPECT_TRUE(may_agree || !same_bits(results[i], results[j])) << i << ", " << j << ": the mode must show, or this test says nothing";
    }
  }
}

// Threads that outlive the call of the executor that started them.
class Late {
 public:
  void begin(const std::function<void()>& run) {
    const std::scoped_lock hold(lock_);
    threads_.emplace_back(run);
  }

 private:
  std::mutex lock_;
  std::vector<std::jthread> threads_;
};

TEST(Executor, MayDoWhatItWants) {
  const Sums sums;
  const std::vector<float> expected = sums.expected();
  const From drops([](std::int64_t, Task, void*) {});
  const From one([](std::int64_t, Task task, void* work) { task(work, 0); });
  const From backwards([](std::int64_t tasks, Task task, void* work) {
    while (tasks-- > 0) task(work, tasks);
  });
  const From repeats([](std::int64_t tasks, Task task, void* work) {
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < 3 * tasks; ++i) threads.emplace_back([=] { task(work, i % tasks); });
  });
  const From throws([](std::int64_t, Task task, void* work) {
    task(work, 0);
    throw 7;
  });
  Late late;
  const From runs_late([&](std::int64_t tasks, Task task, void* work) {
    for (std::int64_t i = 0; i < tasks; ++i) {
      late.begin([=] {
        for (int times = 0; times < 50; ++times) {
          task(work, i);
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
      });
    }
  });
  const From throws_at_work([&](std::int64_t tasks, Task task, void* work) {
    for (std::int64_t i = 0; i < tasks; ++i) late.begin([=] { task(work, i); });
    throw std::bad_alloc();
  });
  for (const From* executor : {&drops, &one, &backwards, &repeats, &throws, &runs_late, &throws_at_work}) {
    for (const std::string_view strategy : {"", "exchange", "partition", "owners"}) {
      EXPECT_TRUE(same_bits(sums.run_by({.executor = executor->get(), .threads = 3, .strategy = strategy}), expected)) << strategy;
    }
  }
}

// Runs `body` in a thread and returns the result of pthread_join.
void* joined(const std::function<void()>& body) {
  pthread_t thread{};
  const auto start = [](void* run) -> void* {
    (*static_cast<const std::function<void()>*>(run))();
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, start, const_cast<std::function<void()>*>(&body)) != 0) throw std::bad_alloc();
  void* result = nullptr;
  pthread_join(thread, &result);
  return result;
}

// A cancelled thread completes its task first: all updates are applied.
TEST(Executor, ThreadsMayBeCancelled) {
  const Sums sums;
  const std::vector<float> expected = sums.expected();
  for (const int type : {PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS}) {
    std::atomic<int> began{0}, returned{0};
    const From executor([&](std::int64_t tasks, Task task, void* work) {
      std::vector<std::jthread> joiners;
      for (std::int64_t i = 0; i < tasks; ++i) {
        joiners.emplace_back([&, i] {
          const auto body = [&, i] {
            pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
            int state = 0;
            pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
            pthread_cancel(pthread_self());  // pending from the start of the task
            pthread_setcanceltype(type, nullptr);
            ++began;
            if (type == PTHREAD_CANCEL_DEFERRED) pthread_setcancelstate(state, nullptr);
            task(work, i);
            pthread_setcancelstate(state, nullptr);
            pthread_testcancel();
            ++returned;
          };
          joined(body);
        });
      }
    });
    for (const std::string_view strategy : {"", "exchange", "partition", "owners"}) {
      EXPECT_TRUE(same_bits(sums.run_by({.executor = executor.get(), .threads = 3, .strategy = strategy}), expected)) << strategy;
    }
    EXPECT_GT(began, 0);
    EXPECT_EQ(returned, 0);
  }
}

// Cancelled by another thread at arbitrary points, many times.
TEST(Executor, ThreadsMayBeCancelledAtAnyTime) {
  const Sums sums;
  const std::vector<float> expected = sums.expected();
  std::atomic<std::int64_t> delay{0};
  const From executor([&](std::int64_t tasks, Task task, void* work) {
    struct Own {
      Task task;
      void* work;
      std::int64_t i;
    };
    std::vector<Own> own;
    std::vector<pthread_t> threads;
    for (std::int64_t i = 0; i < tasks; ++i) own.push_back({task, work, i});
    for (Own& each : own) {
      const auto start = [](void* given) -> void* {
        const Own& mine = *static_cast<Own*>(given);
        mine.task(mine.work, mine.i);
        pthread_testcancel();
        return nullptr;
      };
      pthread_t thread{};
      if (pthread_create(&thread, nullptr, start, &each) == 0) threads.push_back(thread);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(delay.load()));
    for (const pthread_t thread : threads) pthread_cancel(thread);
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  });
  for (int times = 0; times < 40; ++times) {
    delay = times * 10;
    EXPECT_TRUE(same_bits(sums.run_by({.executor = executor.get(), .threads = 3, .strategy = times % 2 == 0 ? "partition" : "exchange"}),
                          expected));
  }
}

// The calling thread ends inside its executor while tasks run on others: it waits for them, and the process continues.
TEST(Executor, TheCallerMayBeCancelledInside) {
  const Sums sums;
  const std::vector<float> expected = sums.expected();
  for (const bool exits : {false, true}) {
    for (const std::string_view strategy : {"exchange", "partition", "owners"}) {
      Late late;
      const From executor([&](std::int64_t tasks, Task task, void* work) {
        for (std::int64_t i = 0; i < tasks; ++i) late.begin([=] { task(work, i); });
        if (exits) pthread_exit(PTHREAD_CANCELED);
        pthread_cancel(pthread_self());
        pthread_testcancel();
      });
      bool returned = false;
      void* const result = joined([&] {
        std::vector<float> out = sums.before;
        run(sums.op(out), {.executor = executor.get(), .threads = 3, .strategy = strategy});
        returned = true;
      });
      EXPECT_EQ(result, PTHREAD_CANCELED);
      EXPECT_FALSE(returned);
    }
  }
  EXPECT_TRUE(same_bits(sums.run_by({.threads = 2}), expected));
}

}  // namespace
}  // namespace strew
