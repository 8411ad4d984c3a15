// Time and memory are bounded by the bytes of the arguments, for all strides, numbers of threads, block sizes and strategies.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <new>
#include <random>
#include <vector>

#include "core/overlap.h"
#include "harness/same_bits.h"
#include "strategies/replay.h"
#include "strategies/strategy.h"
#include "strew/gradient.h"
#include "strew/strew.h"

namespace {

std::atomic<std::int64_t> allocated{0};  // bytes in total

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  allocated += static_cast<std::int64_t>(size);
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded);
}
void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, usual); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, usual); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace strew {
using namespace internal;
namespace {

constexpr std::int64_t mib = 1 << 20;
constexpr std::int64_t many_threads[] = {1, 64, std::int64_t{1} << 31};

// The cost of a call. Seconds are processor time and depend on the machine: limits on them are generous.
struct Cost {
  double seconds = 0;
  std::int64_t bytes = 0;   // allocated
  std::int64_t faults = 0;  // pages touched for the first time
};

Cost cost_of(const std::function<void()>& call) {
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const std::int64_t bytes = allocated, pages = faults();
  const std::clock_t begin = std::clock();
  call();
  return {static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, allocated - bytes, faults() - pages};
}

// Runs a call that may be declined.
bool is_declined(const std::function<void()>& call) {
  try {
    call();
    return false;
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("declined"), std::string_view::npos) << error.what();
    return true;
  }
}

std::int64_t random_below(std::mt19937_64& random, std::int64_t end) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

bool overlaps(const Dims& shape, const Dims& strides) { return overlaps_itself(ConstTensorRef(nullptr, Dtype::int8, shape, strides)); }

// Decides it with a mark for each place.
bool overlaps_by_marks(const Dims& shape, const Dims& strides) {
  std::int64_t low = 0, high = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return false;
    const std::int64_t reach = (shape[d] - 1) * strides[d];
    (reach < 0 ? low : high) += reach;
  }
  std::vector<bool> marks(static_cast<std::size_t>(high - low + 1));
  std::vector<std::int64_t> at(shape.size(), 0);
  while (true) {
    std::int64_t offset = -low;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * strides[d];
    if (marks[static_cast<std::size_t>(offset)]) return true;
    marks[static_cast<std::size_t>(offset)] = true;
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == shape[d - 1]) at[--d] = 0;
    if (d == 0) return false;
  }
}

TEST(Bounds, OverlapIsFoundAsByMarks) {
  std::mt19937_64 random(3);
  int found = 0;
  for (int times = 0; times < 20'000; ++times) {
    const std::int64_t rank = random_below(random, 8), longest = 2 + random_below(random, rank > 4 ? 3 : 9);
    const std::int64_t farthest = 1 + random_below(random, 400);
    Dims shape, strides;
    for (std::int64_t d = 0; d < rank; ++d) {
      shape.push_back(times % 50 == 0 ? random_below(random, longest) : 1 + random_below(random, longest));
      const std::int64_t unit = 1 + random_below(random, 3);
      strides.push_back((random_below(random, 2 * farthest) - farthest) / unit * unit);
    }
    const bool expected = overlaps_by_marks(shape, strides);
    found += expected ? 1 : 0;
    ASSERT_EQ(overlaps(shape, strides), expected) << testing::PrintToString(std::vector(shape.begin(), shape.end())) << " by "
                                                  << testing::PrintToString(std::vector(strides.begin(), strides.end()));
  }
  EXPECT_GT(found, 3'000);
  EXPECT_LT(found, 17'000);
}

// Views of 2^26 elements whose strides are in no order.
TEST(Bounds, OverlapOfAwkwardStrides) {
  struct View {
    Dims shape, strides;
    bool overlaps;
  };
  // Each stride but the first is the sum of one step along each dimension before: the largest of them is missed by one in some views.
  Dims twos(26, 2), sums{1'000'003, 1'000'033};
  for (std::size_t d = 2; d < 26; ++d) sums.push_back(sums[d - 1] + sums[d - 2] / 3 + 7 * static_cast<std::int64_t>(d * d));
  Dims meeting = sums;
  meeting[25] = sums[3] + sums[7] + sums[11] - sums[2];
  const View views[] = {
      {{8192, 8192}, {8192, 8193}, false},
      {{8193, 8192}, {8192, 8193}, false},
      {{8194, 8193}, {8192, 8193}, true},
      {{8192, 8192}, {16384, 16381}, false},
      {{406, 406, 406}, {1000, 999, 400'000}, true},
      {{400, 400, 400}, {1000 * 1001, 1001 * 997, 1000 * 997}, false},  // a step of each is all that the others have not in common
      {{64, 64, 128, 128}, {1 << 20, (1 << 20) - 1, (1 << 21) + 7, 3}, true},
      {twos, meeting, true},
  };
  for (const View& view : views) {
    bool result = false;
    const Cost cost = cost_of([&] { result = overlaps(view.shape, view.strides); });
    EXPECT_EQ(result, view.overlaps) << view.shape[0] << " by " << view.strides[0];
    EXPECT_LT(cost.seconds, 5.0) << view.shape[0] << " by " << view.strides[0];
    EXPECT_LT(cost.bytes, 64 * mib) << view.shape[0] << " by " << view.strides[0];
  }
  const Cost cost = cost_of([&] { static_cast<void>(overlaps(twos, sums)); });
  EXPECT_LT(cost.seconds, 5.0);
  EXPECT_LT(cost.bytes, 64 * mib);
}

// All updates go to one row: threads share the work, and none of them reads all of it.
TEST(Bounds, APlanOfOneRowOnManyThreads) {
  constexpr std::int64_t points = 1 << 21;
  const std::vector<std::int32_t> index(points, 1);
  const std::vector<float> updates(points, 1.0f);
  std::vector<float> out(4);
  const Executor in_order{nullptr, [](void*, std::int64_t tasks, void (*task)(void*, std::int64_t), void* work) {
                            for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
                          }};
  for (const Layout* layout : layouts()) {
    const Plan made =
        plan(pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)), {.strategy = layout->name});
    for (const std::int64_t threads : many_threads) {
      std::fill(out.begin(), out.end(), 0.0f);
      const Cost cost = cost_of([&] { made.apply(tensor(updates), tensor(out), {.executor = &in_order, .threads = threads}); });
      EXPECT_EQ(out[1], static_cast<float>(points));
      EXPECT_LT(cost.seconds, 2.0) << layout->name << " on " << threads;
    }
  }
}

// Passes over the points that each read all indices are few, however many threads there are.
TEST(Bounds, GradientsOnManyThreads) {
  constexpr std::int64_t points = 1 << 18, places = 1 << 12;
  std::mt19937_64 random(9);
  std::vector<std::int64_t> index(points);
  for (std::int64_t& i : index) i = random_below(random, places);
  const std::vector<float> updates(points, 1.5f), cotangent(places, 1.0f);
  std::vector<float> out(places, 1.0f);
  const Executor in_order{nullptr, [](void*, std::int64_t tasks, void (*task)(void*, std::int64_t), void* work) {
                            for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
                          }};
  const ScatterOp ops[] = {
      pytorch::describe::scatter(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
      pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "amax"),
      pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "prod"),
  };
  for (const ScatterOp& op : ops) {
    std::optional<ScatterGradient> serial;
    for (const std::int64_t threads : many_threads) {
      const RunOptions options{.executor = &in_order, .threads = threads};
      ScatterGradient made;
      const Cost reverse = cost_of([&] { made = vjp(op, tensor(cotangent), {}, options); });
      EXPECT_LT(reverse.seconds, 0.4) << op.name.op << " on " << threads;
      EXPECT_LT(reverse.bytes, 64 * mib) << op.name.op << " on " << threads;
      const Cost forward =
          cost_of([&] { static_cast<void>(jvp(op, {.base = tensor(cotangent), .updates = tensor(updates)}, {}, options)); });
      EXPECT_LT(forward.seconds, 0.4) << op.name.op << " on " << threads;
      EXPECT_LT(forward.bytes, 64 * mib) << op.name.op << " on " << threads;
      if (!serial) {
        serial = std::move(made);
        continue;
      }
      EXPECT_TRUE(harness::same_bits(made.updates->values<float>(), serial->updates->values<float>())) << op.name.op << " on " << threads;
      EXPECT_TRUE(harness::same_bits(made.base->values<float>(), serial->base->values<float>())) << op.name.op << " on " << threads;
    }
  }
}

// Rows without elements have no gradient to store, however many points there are.
TEST(Bounds, GradientsOfRowsWithoutElements) {
  constexpr std::int64_t points = std::int64_t{1} << 30;
  const std::int64_t index = 1;
  const std::vector<float> none;
  const ConstTensorRef column(&index, Dtype::int64, {points}, {0}), updates(none.data(), Dtype::float32, {points, 0});
  const TensorRef out(nullptr, Dtype::float32, {5, 0});
  for (const bool subtracts : {false, true}) {
    ScatterOp op = pytorch::describe::index_copy(out, out, 0, column, updates);
    if (subtracts) op.fold = {.step = Reduction::sub, .begin = FoldBegin::first};
    const Cost direct = cost_of([&] { EXPECT_EQ(vjp(op, out).updates->size(), 0); });
    EXPECT_LT(direct.bytes, mib);
    EXPECT_LT(direct.seconds, 1.0);
    const Cost planned = cost_of([&] { EXPECT_EQ(plan(op).gradient(op, out).updates->size(), 0); });
    EXPECT_LT(planned.bytes, mib);
    EXPECT_LT(planned.seconds, 1.0);
  }
}

// Plans in every layout that can be forced, with the smallest blocks.
TEST(Bounds, PlansAreAsSmallAsTheirPoints) {
  constexpr std::int64_t points = 6000;
  std::mt19937_64 random(5);
  for (const std::int64_t places : {std::int64_t{1}, std::int64_t{40'000}, std::int64_t{1} << 22, (std::int64_t{1} << 32) - 2}) {
    std::vector<std::int64_t> index(points);
    for (std::int64_t& i : index) i = random_below(random, places);
    const std::vector<float> values(points);
    const ConstTensorRef updates = tensor(values);
    const TensorRef out(nullptr, Dtype::float32, {places});
    for (const bool assigns : {false, true}) {
      const ScatterOp op = assigns ? pytorch::describe::index_copy(out, out, 0, tensor(index), updates)
                                   : pytorch::describe::index_add(out, out, 0, tensor(index), updates);
      for (const Layout* layout : layouts()) {
        for (const std::int64_t block : {0, 1, 2, 7, 1023}) {
          for (const std::int64_t threads : many_threads) {
            std::int64_t kept = 0;
            const Cost cost = cost_of([&] {
              is_declined([&] { kept = plan(op, {.threads = threads, .strategy = layout->name, .block_points = block}).nbytes(); });
            });
            const std::string what = std::string(layout->name) + ", places " + std::to_string(places) + ", block " + std::to_string(block) +
                                     ", threads " + std::to_string(threads);
            EXPECT_LT(kept, mib) << what;
            EXPECT_LT(cost.bytes, 16 * mib) << what;
            EXPECT_LT(cost.seconds, 1.0) << what;
          }
        }
      }
    }
  }
}

// Every strategy, forced on little work with many threads and small blocks.
TEST(Bounds, CallsTakeNoMoreThanTheirArguments) {
  constexpr std::int64_t points = 600, rows = 3, width = 1 << 15, places = 40'000;
  std::mt19937_64 random(6);
  std::vector<std::int64_t> index(points), row_index{2, 0, 2};
  for (std::int64_t& i : index) i = random_below(random, places);
  const std::vector<float> updates(points, 1.0f), row_updates(rows * width, 1.0f);
  std::vector<float> out(places), row_out(4 * width), gathered(points);
  const TensorRef table(row_out.data(), Dtype::float32, {4, width});
  const ConstTensorRef row_source(row_updates.data(), Dtype::float32, {rows, width});
  const TensorRef grid(out.data(), Dtype::float32, {200, 200});
  std::vector<std::int32_t> tuples(2 * points);
  for (std::int32_t& i : tuples) i = static_cast<std::int32_t>(random_below(random, 200));
  const ConstTensorRef tuple_index(tuples.data(), Dtype::int32, {points, 2});
  const ScatterOp ops[] = {
      pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
      pytorch::describe::index_copy(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
      pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "mean"),
      pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "amax"),
      pytorch::describe::index_add(table, table, 0, tensor(row_index), row_source),
      pytorch::describe::index_copy(table, table, 0, tensor(row_index), row_source),
      tensorflow::describe::tensor_scatter_nd_add(grid, grid, tuple_index, tensor(updates)),
  };
  for (const ScatterOp& op : ops) {
    for (const Strategy* strategy : strategies()) {
      for (const std::int64_t block : {0, 1}) {
        for (const std::int64_t threads : many_threads) {
          const Cost cost =
              cost_of([&] { is_declined([&] { run(op, {.threads = threads, .strategy = strategy->name, .block_points = block}); }); });
          const std::string what = std::string(op.name.op) + ", " + std::string(strategy->name) + ", block " + std::to_string(block) +
                                   ", threads " + std::to_string(threads);
          EXPECT_LT(cost.bytes, 24 * mib) << what;
          EXPECT_LT(cost.seconds, 1.0) << what;
        }
      }
    }
  }
}

// Zeroed memory without physical pages.
class Untouched {
 public:
  explicit Untouched(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    madvise(memory_, bytes_, MADV_NOHUGEPAGE);
  }
  ~Untouched() { munmap(memory_, bytes_); }
  Untouched(Untouched&&) = delete;
  [[nodiscard]] float* data() const { return static_cast<float*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

// Few updates of a large output read only the elements that they address.
TEST(Bounds, FewUpdatesOfALargeOutput) {
  constexpr std::int64_t places = std::int64_t{1} << 28, few = 300;
  std::mt19937_64 random(8);
  std::vector<std::int64_t> index(few);
  for (std::int64_t& i : index) i = random_below(random, places);
  const std::vector<float> updates(few, 1.0f);
  const auto run_on_new = [&](const char* what, const std::function<void(TensorRef)>& call) {
    const Untouched memory(places * 4);
    const Cost cost = cost_of([&] { call(TensorRef(memory.data(), Dtype::float32, {places})); });
    EXPECT_LT(cost.faults, 4000) << what;
    EXPECT_LT(cost.bytes, 16 * mib) << what;
    EXPECT_LT(cost.seconds, 2.0) << what;
  };
  for (const std::int64_t threads : {1, 2, 64}) {
    const RunOptions options{.threads = threads};
    run_on_new("add",
               [&](const TensorRef& out) { run(pytorch::describe::index_add(out, out, 0, tensor(index), tensor(updates)), options); });
    run_on_new("copy",
               [&](const TensorRef& out) { run(pytorch::describe::index_copy(out, out, 0, tensor(index), tensor(updates)), options); });
    run_on_new("plan", [&](const TensorRef& out) {
      const Plan made = plan(pytorch::describe::index_add(out, out, 0, tensor(index), tensor(updates)), options);
      made.apply(tensor(updates), out, options);
      EXPECT_FALSE(made.describe().empty());
    });
    run_on_new("explain", [&](const TensorRef& out) {
      EXPECT_FALSE(explain(pytorch::describe::index_add(out, out, 0, tensor(index), tensor(updates)), options).empty());
    });
  }
}

}  // namespace
}  // namespace strew
