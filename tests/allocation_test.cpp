// Failed allocations: whichever one fails, the call throws an Error, the output is unchanged and nothing leaks.
// Calls in place up to rank 8 do not allocate.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "base/scratch.h"
#include "harness/case.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace {

// Counts allocations and fails one of them; 0 fails none. `from_then_on` fails all later ones as well.
struct Watch {
  std::atomic<long> made{0}, live{0};
  long fail_at = 0;
  bool from_then_on = false;

  bool fails() {
    const long nth = ++made;
    return fail_at > 0 && (nth == fail_at || (from_then_on && nth > fail_at));
  }
} watch;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (watch.fails()) return nullptr;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++watch.live;
  return memory;
}
void release(void* memory) noexcept {
  if (memory != nullptr) --watch.live;
  std::free(memory);
}
void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }

namespace strew {
using namespace internal;
namespace {

enum class Outcome : std::uint8_t { done, memory_error, bad_alloc, other_error };

// Runs one call whose n-th allocation fails; its exception is destroyed before this returns.
Outcome attempt(const std::function<void()>& call, long fail_at, bool from_then_on) {
  Outcome outcome = Outcome::done;
  watch.made = 0;
  watch.from_then_on = from_then_on;
  watch.fail_at = fail_at;
  try {
    call();
    watch.fail_at = 0;
  } catch (const Error& error) {
    watch.fail_at = 0;
    outcome = error.code() == ErrorCode::memory ? Outcome::memory_error : Outcome::other_error;
  } catch (const std::bad_alloc&) {
    watch.fail_at = 0;
    outcome = Outcome::bad_alloc;
  }
  return outcome;
}

// Fails the first, the second, ... allocation until the call succeeds. `unchanged` compares the output with its initial value.
// Returns the number of allocations of the call.
long fail_each(const std::function<void()>& call, const std::function<bool()>& unchanged, const std::function<void()>& restore) {
  for (const bool from_then_on : {false, true}) {
    for (long n = 1;; ++n) {
      const long live = watch.live;
      const Outcome outcome = attempt(call, n, from_then_on);
      if (outcome == Outcome::done) {
        restore();
        if (from_then_on) return n - 1;
        break;
      }
      EXPECT_EQ(watch.live, live) << "a leak after failure " << n;
      EXPECT_TRUE(unchanged()) << "failure " << n << " changed the output";
      EXPECT_EQ(outcome, Outcome::memory_error) << "failure " << n;
      if (n > 1000) {
        ADD_FAILURE() << "never gets through";
        return n;
      }
    }
  }
  return 0;
}

// An op on float32 or float16 memory of its own, run in place.
template <class T>
struct InPlaceCase {
  std::vector<T> before;
  std::vector<T> out = before;

  long fail_each_allocation(const std::function<ScatterOp(const TensorRef&)>& describe, const Dims& shape) {
    const ScatterOp op = describe(tensor(out, shape));
    std::optional<ScatterOp> copy;
    return fail_each(
        [&] {
          // The copy of the op that run() takes by value is made by the caller, not by the call.
          const long fail_at = std::exchange(watch.fail_at, 0);
          const bool from_then_on = watch.from_then_on;
          copy.emplace(op);
          watch.made = 0;
          watch.fail_at = fail_at;
          watch.from_then_on = from_then_on;
          run(std::move(*copy));
          watch.fail_at = 0;
          copy.reset();
        },
        [&] { return std::memcmp(out.data(), before.data(), out.size() * sizeof(T)) == 0; }, [&] { out = before; });
  }
};

const std::vector<std::int64_t> index_values{1, 0, 1, 2};
const std::vector<float> float_updates{1, 2, 3, 4};

// Large blocks of scratch memory are kept for later calls; at most six.
TEST(Allocation, LargeBlocksAreKept) {
  constexpr std::int64_t large = 4 << 20;
  watch.fail_at = watch.made + 1;  // releases what earlier tests left
  { EXPECT_TRUE(Scratch(64)); }
  watch.fail_at = 0;
  const long before = watch.live;
  const auto take_two = [] {
    const Scratch one(large), two(large + 1);
    ASSERT_TRUE(one && two);
    EXPECT_NE(one.as<void>(), two.as<void>());
  };
  take_two();
  EXPECT_EQ(watch.live, before + 2);
  const long made = watch.made;
  take_two();
  EXPECT_EQ(watch.made, made) << "what was kept is used again";
  { EXPECT_TRUE(Scratch(large / 4)); }
  EXPECT_EQ(watch.made, made + 1) << "what is much larger is left for others";
  for (int turn = 0; turn < 2; ++turn) {
    const std::array<Scratch, 8> many = {Scratch(large), Scratch(large), Scratch(large), Scratch(large),
                                         Scratch(large), Scratch(large), Scratch(large), Scratch(large)};
    EXPECT_TRUE(many.back());
  }
  EXPECT_EQ(watch.live, before + 6);
  watch.fail_at = watch.made + 1;
  { EXPECT_TRUE(Scratch(64)) << "what is kept is given up when memory is short"; }
  watch.fail_at = 0;
  EXPECT_EQ(watch.live, before);
}

TEST(Allocation, NoneInPlace) {
  InPlaceCase<float> c{{1, 2, 3}};
  EXPECT_EQ(
      c.fail_each_allocation(
          [](const TensorRef& out) { return pytorch::describe::scatter_add(out, out, 0, tensor(index_values), tensor(float_updates)); },
          {3}),
      0);
}

TEST(Allocation, Mean) {
  InPlaceCase<float> c{{1, 2, 3}};
  EXPECT_GE(c.fail_each_allocation(
                [](const TensorRef& out) {
                  return pytorch::describe::scatter_reduce(out, out, 0, tensor(index_values), tensor(float_updates), "mean");
                },
                {3}),
            1);
}

TEST(Allocation, FirstReplaces) {
  InPlaceCase<float> c{{1, 2, 3}};
  EXPECT_GE(c.fail_each_allocation(
                [](const TensorRef& out) {
                  return paddle::describe::put_along_axis(out, out, tensor(index_values), tensor(float_updates), 0,
                                                          {.reduce = "add", .include_self = false});
                },
                {3}),
            1);
}

TEST(Allocation, SixteenBitSum) {
  static const std::vector<Half> updates(4, Half{0x3c00});
  InPlaceCase<Half> c{{Half{0x3c00}, Half{0x4000}, Half{0}}};
  EXPECT_GE(
      c.fail_each_allocation(
          [](const TensorRef& out) { return pytorch::describe::scatter_add(out, out, 0, tensor(index_values), tensor(updates)); }, {3}),
      1);
}

TEST(Allocation, Alpha) {
  InPlaceCase<float> c{{1, 2, 3}};
  EXPECT_GE(
      c.fail_each_allocation(
          [](const TensorRef& out) { return pytorch::describe::index_add(out, out, 0, tensor(index_values), tensor(float_updates), 2.5); },
          {3}),
      1);
}

TEST(Allocation, CopyOfAnInputThatMayOverlap) {
  // Output and updates interleave in one buffer: their ranges meet, their elements do not.
  InPlaceCase<float> c{{1, 10, 2, 20, 3, 30, 4, 40}};
  EXPECT_GE(c.fail_each_allocation(
                [](const TensorRef& whole) {
                  const TensorRef out(whole.data, Dtype::float32, {4}, {2});
                  const ConstTensorRef updates(static_cast<const float*>(whole.data) + 1, Dtype::float32, {4}, {2});
                  return pytorch::describe::scatter_add(out, out, 0, tensor(index_values), updates);
                },
                {8}),
            1);
}

// Dimensions of size 1 are dropped, whatever the rank.
TEST(Allocation, NoneForARankThatDisappears) {
  InPlaceCase<float> c{{1, 2, 3}};
  EXPECT_EQ(c.fail_each_allocation(
                [](const TensorRef& out) {
                  Dims shape(12, 1);
                  shape[0] = 3;
                  const TensorRef deep(out.data, Dtype::float32, shape);
                  Dims index_shape = shape;
                  index_shape[0] = 4;
                  return pytorch::describe::scatter_add(deep, deep, 0, {index_values.data(), Dtype::int64, index_shape},
                                                        {float_updates.data(), Dtype::float32, index_shape});
                },
                {3}),
            0);
}

TEST(Allocation, RankBeyondTheInlineOne) {
  // The output's dimensions are in reverse order, so none can be collapsed.
  static const Dims shape(10, 2);
  static const std::vector<std::int64_t> zeros(1024);
  static const std::vector<float> ones(1024, 1);
  InPlaceCase<float> c{std::vector<float>(1024)};
  EXPECT_GE(c.fail_each_allocation(
                [](const TensorRef& out) {
                  Dims strides;
                  for (std::size_t d = 0; d < shape.size(); ++d) strides.push_back(std::int64_t{1} << d);
                  const TensorRef turned(out.data, Dtype::float32, shape, strides);
                  return pytorch::describe::scatter_add(turned, turned, 0, {zeros.data(), Dtype::int64, shape},
                                                        {ones.data(), Dtype::float32, shape});
                },
                {1024}),
            1);
}

const std::string long_text = "a text that is too long for the small buffer";

TEST(Allocation, Strings) {
  const std::vector<std::string> before{long_text, "b", long_text + "c"}, updates{long_text, "x", long_text, "y"};
  std::vector<std::string> out = before;
  const auto call = [&] {
    onnx::scatter_elements_into(tensor(out), tensor(out), tensor(index_values), tensor(updates), {.reduction = "add"});
  };
  EXPECT_GE(fail_each(
                call, [&] { return out == before; }, [&] { out = before; }),
            4);
  call();
  EXPECT_EQ(out[1], "b" + long_text + long_text);
}

TEST(Allocation, StringsGathered) {
  const std::vector<std::string> from{long_text, "b", long_text + "c"}, before(4, "what was here before, long enough");
  std::vector<std::string> out = before;
  const auto call = [&] { onnx::gather_elements_into(tensor(out), tensor(from), tensor(index_values)); };
  EXPECT_GE(fail_each(
                call, [&] { return out == before; }, [&] { out = before; }),
            1);
}

TEST(Allocation, Functional) {
  const std::vector<float> data{1, 2, 3};
  const auto call = [&] { static_cast<void>(pytorch::scatter_add(tensor(data), 0, tensor(index_values), tensor(float_updates))); };
  EXPECT_GE(fail_each(
                call, [] { return true; }, [] {}),
            1);
}

// Formatting an error message may fail as well; nothing changes and nothing leaks.
TEST(Allocation, WhileAnErrorIsWritten) {
  const std::vector<std::int64_t> bad{0, 7};
  const std::vector<float> before{1, 2, 3}, updates{5, 6};
  std::vector<float> out = before;
  int reported = 0;
  for (long n = 1; n < 60; ++n) {
    const long live = watch.live;
    const Outcome outcome = attempt([&] { pytorch::scatter_(tensor(out), 0, tensor(bad), tensor(updates)); }, n, false);
    EXPECT_NE(outcome, Outcome::done);
    reported += outcome == Outcome::other_error;
    EXPECT_EQ(watch.live, live) << n;
    EXPECT_EQ(out, before) << n;
  }
  EXPECT_GT(reported, 0);
}

// A plan of each layout, with a fold that needs accumulators: making and applying it is all or nothing.
// Whichever allocation fails while a call formats its error, only an Error is thrown.
TEST(Allocation, NothingButErrors) {
  const Dims many(12, 1);
  const std::string text(100, 'a');
  std::vector<float> out{1, 2, 3};
  const std::vector<float> updates{5, 6};
  const std::vector<std::int64_t> bad{0, 7}, good{0, 1};
  const std::vector<std::string> texts(3, text);
  const std::initializer_list<std::string> pair{text, text};
  std::array<bool, 3> mask{true, false, true};
  ScatterOp op = pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(good), tensor(updates));
  ScatterOp wrong = op;
  wrong.where.out_of_range = static_cast<OutOfRange>(9);
  ScatterOp wide = op;
  wide.out = TensorRef(out.data(), Dtype::float32, many);
  float cell = 0;
  ScatterOp huge = op;  // whether its output overlaps itself could only be decided element by element
  huge.out = TensorRef(&cell, Dtype::int8, {std::int64_t{1} << 61, 2}, {2, (std::int64_t{1} << 61) + 1});
  huge.where = {};
  huge.where.row = {1, 1};
  huge.where.axes = {{Axis::row, 0}, {Axis::row, 1}};
  huge.updates = ConstTensorRef(&cell, Dtype::int8, {1, 1});
  const Plan made = plan(op);
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"validate", [&] { validate(wrong); }},
      {"validate of a rank", [&] { validate(wide); }},
      {"overlap", [&] { run(huge); }},
      {"explain", [&] { static_cast<void>(explain(op)); }},
      {"explain by name", [&] { static_cast<void>(explain(op, {.strategy = "nosuch strategy at all"})); }},
      {"describe", [&] { static_cast<void>(made.describe()); }},
      {"plan", [&] { static_cast<void>(plan(op, {.strategy = "nosuch layout anywhere"})); }},
      {"apply",
       [&] {
         made.apply(tensor(updates, {1, 2}), tensor(out));
       }},
      {"to_string", [] { static_cast<void>(to_string(static_cast<Dtype>(200))); }},
      {"views", [&] { static_cast<void>(ConstTensorRef(out.data(), Dtype::float32, many, many)); }},
      {"strides", [&] { static_cast<void>(dense_strides(many)); }},
      {"count",
       [] {
         static_cast<void>(element_count({2, -1}));
       }},
      {"tensor of a shape", [&] { static_cast<void>(tensor(out, {4})); }},
      {"zeros", [&] { static_cast<void>(Tensor::zeros(Dtype::string, many)); }},
      {"copy", [&] { static_cast<void>(Tensor::copy_of(tensor(texts))); }},
      {"tensor of strings", [&] { static_cast<void>(Tensor(pair, {2})); }},
      {"threads", [] { set_threads(-1); }},
      {"tensorflow", [&] { static_cast<void>(tensorflow::tensor_scatter_nd_add(tensor(out), tensor(bad), tensor(updates))); }},
      {"tensorflow word",
       [&] {
         static_cast<void>(tensorflow::gather_nd(tensor(out), tensor(bad, {2, 1}), {"NEITHER OF THEM"}));
       }},
      {"pytorch", [&] { static_cast<void>(pytorch::scatter_reduce(tensor(out), 0, tensor(good), tensor(updates), "not one of them")); }},
      {"paddle", [&] { static_cast<void>(paddle::put_along_axis(tensor(out), tensor(good), tensor(updates), 7)); }},
      {"onnx", [&] { static_cast<void>(onnx::scatter_elements(tensor(out), tensor(bad), tensor(updates))); }},
      {"directml", [&] { static_cast<void>(directml::scatter(tensor(out), tensor(bad), tensor(updates), {.axis = 9})); }},
      {"numpy mask", [&] { numpy::add_at(tensor(out), {tensor(mask)}, tensor(updates)); }},
      {"numpy shapes",
       [&] {
         numpy::add_at(tensor(out, {3, 1}), {tensor(good), tensor(mask)}, tensor(updates));
       }},
      {"numpy mismatch", [&] { numpy::add_at(tensor(out), {tensor(good)}, tensor(out)); }},
  };
  for (const auto& [name, call] : calls) {
    for (const bool from_then_on : {false, true}) {
      for (long n = 1; n < 60; ++n) {
        const long live = watch.live;
        EXPECT_NE(attempt(call, n, from_then_on), Outcome::bad_alloc) << name << ", allocation " << n;
        EXPECT_EQ(watch.live, live) << name << ", allocation " << n;
      }
    }
  }
}

TEST(Allocation, Plan) {
  const std::vector<float> before{1, 2, 3};
  std::vector<float> out = before;
  const auto unchanged = [&] { return out == before; };
  const auto restore = [&] { out = before; };
  const ScatterOp op = pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index_values), tensor(float_updates), "mean");
  for (const char* layout : {"grouped", "buckets", "in_order"}) {
    // One thread: oneTBB's behaviour without memory is not specified.
    const RunOptions options{.threads = 1, .strategy = layout, .block_points = 2}, applying{.threads = 1};
    const auto build = [&] { static_cast<void>(plan(op, options)); };
    EXPECT_GE(fail_each(build, unchanged, restore), 3) << layout;
    const Plan made = plan(op, options);
    EXPECT_GE(fail_each([&] { made.apply(tensor(float_updates), tensor(out), applying); }, unchanged, restore), 2) << layout;
  }
}

// A call that can use neither the plan's buffer for updates, because it is taken, nor allocate one, works without.
TEST(Allocation, Gradients) {
  const Fold folds[] = {{.step = Reduction::assign},
                        {.step = Reduction::add, .finish = FoldFinish::mean},
                        {.step = Reduction::sub, .begin = FoldBegin::first},
                        {.step = Reduction::mul},
                        {.step = Reduction::max, .begin = FoldBegin::identity}};
  std::vector<double> out{1, 2, 3}, updates{1, 4, 4, 0}, cotangent{5, 6, 7}, base_into(3, -1), updates_into(4, -1);
  std::vector<std::int64_t> index{0, 1, 1, 0};
  for (const Fold& fold : folds) {
    ScatterOp op{.out = tensor(out), .updates = tensor(updates), .fold = fold};
    op.where.points = {4};
    op.where.columns.push_back(tensor(index));
    op.where.axes.push_back({Axis::column, 0});
    const auto unchanged = [&] { return base_into == std::vector<double>(3, -1) && updates_into == std::vector<double>(4, -1); };
    const auto restore = [&] {
      EXPECT_FALSE(unchanged());
      base_into.assign(3, -1);
      updates_into.assign(4, -1);
    };
    const auto reverse = [&] { vjp_into({.base = tensor(base_into), .updates = tensor(updates_into)}, op, tensor(cotangent)); };
    EXPECT_GT(fail_each(reverse, unchanged, restore), 0);
    const auto forward = [&] { jvp_into(tensor(base_into), op, {.updates = tensor(updates)}); };
    EXPECT_GT(fail_each(forward, unchanged, restore), 0);
  }
}

TEST(Allocation, PlanWithoutRoom) {
  const std::vector<float> before{1, 2, 3}, expected{3, 6, 7};
  std::vector<float> out = before, other = before;
  const ScatterOp op = pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(index_values), tensor(float_updates));
  const Plan made = plan(op, {.threads = 1, .strategy = "buckets", .block_points = 2});
  struct Nested {
    const Plan& made;
    std::vector<float>& other;
    int done = 0;
  } nested{made, other};
  const Executor executor{&nested, [](void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) {
                            auto& own = *static_cast<Nested*>(context);
                            if (own.done++ == 0) {
                              // The first allocation of a call is for its numbering, the second for its buffer.
                              EXPECT_EQ(attempt([&] { own.made.apply(tensor(float_updates), tensor(own.other), {.threads = 1}); }, 2, true),
                                        Outcome::done);
                              EXPECT_GE(watch.made, 2);
                            }
                            for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
                          }};
  made.apply(tensor(float_updates), tensor(out), {.executor = &executor, .threads = 2});
  EXPECT_GE(nested.done, 1);
  EXPECT_EQ(other, expected);
  EXPECT_EQ(out, expected);
}

// Counts the allocations of one call, including those of its views.
template <class Call>
long allocations_of(Call call) {
  call();
  watch.made = 0;
  call();
  return watch.made;
}

TEST(Allocation, NoneUpToRankEight) {
  for (std::size_t rank = 1; rank <= 8; ++rank) {
    Dims shape(rank, 1), index_shape(rank, 1);
    shape[0] = 3;
    index_shape[0] = 4;
    std::vector<float> memory{1, 2, 3};
    std::vector<std::string> words{"a", "b", "c"};
    const TensorRef out(memory.data(), Dtype::float32, shape);
    const ConstTensorRef index(index_values.data(), Dtype::int64, index_shape), vector(index_values.data(), Dtype::int64, {4}),
        tuples(index_values.data(), Dtype::int64, {4, 1});
    const ConstTensorRef updates(float_updates.data(), Dtype::float32, index_shape);
    const std::function<void()> calls[] = {
        [&] { pytorch::scatter_(out, 0, index, updates); },
        [&] { pytorch::scatter_(out, 0, index, 2.5, "multiply"); },
        [&] { pytorch::scatter_add_(out, 0, index, updates); },
        [&] { pytorch::scatter_reduce_(out, 0, index, updates, "amax"); },
        [&] { pytorch::index_add_(out, 0, vector, updates); },
        [&] { pytorch::index_copy_(out, 0, vector, updates); },
        [&] { paddle::scatter_(out, vector, updates); },
        [&] { paddle::put_along_axis_(out, index, updates, 0, {.reduce = "mul"}); },
        [&] { paddle::put_along_axis_(out, index, updates, 0, {.reduce = "amax"}); },
        [&] { paddle::index_add_(out, vector, 0, updates); },
        [&] { strew::scatter_add(out, vector, updates); },
        [&] { strew::scatter(out, vector, 2.5); },
        [&] { onnx::scatter_elements_into(out, out, index, updates, {.reduction = "min"}); },
        [&] { onnx::scatter_nd_into(out, out, tuples, updates); },
        [&] { tensorflow::tensor_scatter_nd_sub_into(out, out, tuples, updates); },
        [&] { paddle::scatter_nd_add_into(out, out, tuples, updates); },
    };
    for (std::size_t i = 0; i < std::size(calls); ++i) EXPECT_EQ(allocations_of(calls[i]), 0) << "call " << i << " at rank " << rank;
  }
}

TEST(Allocation, GatherIntoMemoryAsksForNone) {
  const std::vector<float> from{1, 2, 3};
  std::vector<float> out(4);
  EXPECT_EQ(allocations_of([&] { pytorch::gather_into(tensor(out), tensor(from), 0, tensor(index_values)); }), 0);
}

// The hook itself counts and fails.
TEST(Allocation, IsWatched) {
  EXPECT_GT(allocations_of([] { static_cast<void>(std::make_unique<std::string>(long_text)); }), 0);
  EXPECT_EQ(attempt([] { static_cast<void>(std::make_unique<int>(1)); }, 1, false), Outcome::bad_alloc);
}

// Pieces: a piece that no memory was left for changes nothing, and can be stepped again.
TEST(Allocation, Pieces) {
  for (const char* word : {"mean", "sum", "amax"}) {
    std::vector<float> expected{1, 2, 3}, out;
    const auto op = [&](std::vector<float>& into, std::int64_t begin, std::int64_t end) {
      return pytorch::describe::scatter_reduce(tensor(into), tensor(into), 0,
                                               ConstTensorRef(index_values.data() + begin, Dtype::int64, {end - begin}),
                                               ConstTensorRef(float_updates.data() + begin, Dtype::float32, {end - begin}), word, false);
    };
    run(op(expected, 0, 4));
    const std::vector<float> before{1, 2, 3};
    out = before;
    const ScatterOp first = op(out, 0, 2), second = op(out, 2, 4);
    std::optional<Pieces> pieces;
    long failures = 0;
    // Until it is done, with one more allocation left each time.
    const auto insist = [&](const std::function<void()>& call) {
      for (long n = 1;; ++n) {
        const Outcome outcome = attempt(call, n, false);
        if (outcome == Outcome::done) return;
        ++failures;
        EXPECT_EQ(outcome, Outcome::memory_error) << word << " failure " << n;
        EXPECT_EQ(out, before);
        ASSERT_LT(n, 1000);
      }
    };
    const long live = watch.live;
    insist([&] { pieces.emplace(first); });
    insist([&] { pieces->step(first); });
    insist([&] { pieces->step(second); });
    insist([&] { pieces->finish(); });
    EXPECT_EQ(out, expected) << word;
    EXPECT_GE(failures, 2);
    pieces.reset();
    EXPECT_EQ(watch.live, live) << "a leak";
  }
}

}  // namespace
}  // namespace strew
