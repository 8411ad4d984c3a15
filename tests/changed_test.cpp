// Indices that another thread changes during a call never cause an access out of range; the error reports the change.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "harness/executor.h"
#include "harness/memory.h"
#include "strategies/replay.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

#if defined(__SANITIZE_THREAD__)
#define STREW_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STREW_TSAN 1
#endif
#endif

namespace strew::harness {
using namespace internal;
namespace {

// Alternates some indices between valid values and values far out of range until it is destroyed.
class Scribbler {
 public:
  explicit Scribbler(std::int64_t* indices, std::int64_t count) : thread_([this, indices, count] { scribble(indices, count); }) {}
  ~Scribbler() { stop_ = true; }

 private:
  void scribble(std::int64_t* indices, std::int64_t count) {
    static constexpr std::int64_t values[] = {0, 1, INT64_MAX, 2, INT64_MIN, 3, std::int64_t{1} << 40, -1, 1'000'000};
    std::size_t next = 0;
    while (!stop_) {
      for (std::int64_t i = 0; i < count; i += 7) {
        std::atomic_ref<std::int64_t>(indices[i]).store(values[next], std::memory_order_relaxed);
        next = (next + 1) % std::size(values);
      }
      // Long stretches of valid indices let calls pass the validation.
      for (std::int64_t i = 0; i < count; i += 7) std::atomic_ref<std::int64_t>(indices[i]).store(i % 4, std::memory_order_relaxed);
    }
  }

  std::atomic<bool> stop_{false};
  std::jthread thread_;
};

struct Seen {
  int done = 0, index = 0, changed = 0;
};

// Repeats a call for a while, and a minimum number of times on a busy machine; every answer must be a result, or an error `index` or
// `changed`.
template <class Call>
Seen call_while_scribbling(GuardedBuffer& indices, std::int64_t count, const GuardedBuffer& out, Call call) {
  Seen seen;
  const Scribbler scribbler(static_cast<std::int64_t*>(indices.data()), count);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - start; };
  for (int calls = 0; passed() < std::chrono::milliseconds(400) || (calls < 100 && passed() < std::chrono::seconds(20)); ++calls) {
    try {
      call();
      ++seen.done;
    } catch (const Error& error) {
      (error.code() == ErrorCode::index ? seen.index : seen.changed)++;
      EXPECT_TRUE(error.code() == ErrorCode::index || error.code() == ErrorCode::changed) << error.what();
    }
    EXPECT_TRUE(out.intact());
  }
  EXPECT_TRUE(indices.intact());
  EXPECT_GT(seen.done + seen.index + seen.changed, 10);
  return seen;
}

constexpr std::int64_t points = 3000, places = 4;

class Changed : public testing::TestWithParam<const Strategy*> {
 protected:
#ifdef STREW_TSAN
  void SetUp() override { GTEST_SKIP() << "a race on purpose"; }
#endif
  GuardedBuffer indices_{zeros(Dtype::int64, points)};
  GuardedBuffer updates_{zeros(Dtype::float32, points)};
  GuardedBuffer out_{zeros(Dtype::float32, places)};
  ConstTensorRef index_{indices_.data(), Dtype::int64, {points}};
  ConstTensorRef update_{updates_.data(), Dtype::float32, {points}};
  TensorRef target_{out_.data(), Dtype::float32, {places}};

  // The requested strategy, or the library's choice if that one declines this op.
  template <class Op>
  void run_by(const Op& op, const Executor* executor = nullptr) {
    try {
      run(op, {.executor = executor, .strategy = GetParam()->name});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::argument) throw;
      run(op);
    }
  }
};

TEST_P(Changed, Add) {
  const Seen seen =
      call_while_scribbling(indices_, points, out_, [&] { run_by(pytorch::describe::scatter_add(target_, target_, 0, index_, update_)); });
  EXPECT_GT(seen.index, 0);
}
TEST_P(Changed, AddOnThreads) {
  ThreadExecutor threads(2);
  call_while_scribbling(indices_, points, out_,
                        [&] { run_by(pytorch::describe::scatter_add(target_, target_, 0, index_, update_), threads.get()); });
}
TEST_P(Changed, Mean) {
  call_while_scribbling(indices_, points, out_,
                        [&] { run_by(pytorch::describe::scatter_reduce(target_, target_, 0, index_, update_, "mean", false)); });
}
TEST_P(Changed, FirstReplaces) {
  call_while_scribbling(indices_, points, out_, [&] {
    run_by(paddle::describe::put_along_axis(target_, target_, index_, update_, 0, {.reduce = "amax", .include_self = false}));
  });
}
TEST_P(Changed, Skip) {
  const ConstTensorRef tuples(indices_.data(), Dtype::int64, {points, 1});
  call_while_scribbling(indices_, points, out_, [&] {
    run_by(tensorflow::describe::tensor_scatter_nd_update(target_, target_, tuples, update_, {.bad_indices_policy = "IGNORE"}));
  });
}
TEST_P(Changed, Rows) {
  GuardedBuffer rows(zeros(Dtype::float32, points * 3)), wide(zeros(Dtype::float32, places * 3));
  const TensorRef out(wide.data(), Dtype::float32, {places, 3});
  call_while_scribbling(indices_, points, wide, [&] {
    run_by(pytorch::describe::index_copy(out, out, 0, index_, {rows.data(), Dtype::float32, {points, 3}}));
  });
}
TEST_P(Changed, Tuples) {
  const ConstTensorRef tuples(indices_.data(), Dtype::int64, {points / 2, 2}), updates(updates_.data(), Dtype::float32, {points / 2});
  const TensorRef square(out_.data(), Dtype::float32, {2, places / 2});
  call_while_scribbling(indices_, points, out_,
                        [&] { run_by(tensorflow::describe::tensor_scatter_nd_add(square, square, tuples, updates)); });
}
TEST_P(Changed, Gather) {
  GuardedBuffer read(zeros(Dtype::float32, points));
  const TensorRef out(read.data(), Dtype::float32, {points});
  call_while_scribbling(indices_, points, read, [&] { run_by(pytorch::describe::gather(out, target_, 0, index_)); });
}
TEST_P(Changed, Functional) {
  call_while_scribbling(indices_, points, out_,
                        [&] { static_cast<void>(compute(pytorch::describe::scatter_add({}, target_, 0, index_, update_))); });
}

// Runs the tasks of each phase sequentially. Before the second phase it destroys the order that the first one detected.
struct Spoiler {
  std::int64_t* index;
  std::int64_t at, value;
  int phase = 0;

  static void run(void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) {
    auto& own = *static_cast<Spoiler*>(context);
    if (++own.phase == 2) own.index[own.at] = own.value;
    for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
  }
};

// Borders between sorted parts are searched for after validation. A single larger index that only the search for the second border reads
// would move that border before the first one.
TEST(ChangedOrder, BordersMayFall) {
  constexpr std::int64_t many = 3200;  // 32 parts of 100 for two threads
  GuardedBuffer indices(zeros(Dtype::int64, many)), updates(zeros(Dtype::float32, many)), out(zeros(Dtype::float32, places));
  Spoiler spoiler{static_cast<std::int64_t*>(indices.data()), (200 + many) / 2, 1};
  const Executor executor{&spoiler, &Spoiler::run};
  const TensorRef target(out.data(), Dtype::float32, {places});
  const ScatterOp op = pytorch::describe::scatter_add(target, target, 0, ConstTensorRef(indices.data(), Dtype::int64, {many}),
                                                      ConstTensorRef(updates.data(), Dtype::float32, {many}));
  run(op, {.executor = &executor, .threads = 2, .strategy = "sorted"});
  EXPECT_EQ(spoiler.phase, 2);
  EXPECT_TRUE(indices.intact());
  EXPECT_TRUE(updates.intact());
  EXPECT_TRUE(out.intact());
}

// A plan reads each index once, so its state is consistent, whatever it read.
class ChangedPlan : public testing::TestWithParam<const Layout*> {
 protected:
#ifdef STREW_TSAN
  void SetUp() override { GTEST_SKIP() << "a race on purpose"; }
#endif
};

TEST_P(ChangedPlan, IsWhole) {
  GuardedBuffer indices(zeros(Dtype::int64, points)), updates(zeros(Dtype::float32, points)), out(zeros(Dtype::float32, places));
  const ConstTensorRef update(updates.data(), Dtype::float32, {points});
  const TensorRef target(out.data(), Dtype::float32, {places});
  ThreadExecutor threads(2);
  const RunOptions options{.executor = threads.get(), .threads = 2};
  const Seen seen = call_while_scribbling(indices, points, out, [&] {
    const ConstTensorRef index(indices.data(), Dtype::int64, {points});
    RunOptions forced = options;
    forced.strategy = GetParam()->name;
    plan(pytorch::describe::index_copy(target, target, 0, index, update), forced).apply(update, target, options);
  });
  EXPECT_GT(seen.index, 0);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ChangedPlan, testing::ValuesIn(layouts().begin(), layouts().end()),
                         [](const auto& layout) { return std::string(layout.param->name); });

INSTANTIATE_TEST_SUITE_P(Strategies, Changed, testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto& strategy) { return std::string(strategy.param->name); });

}  // namespace
}  // namespace strew::harness
