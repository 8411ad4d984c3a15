// Cases large enough to cross every cut-off: each strategy, on each number of threads, gives the bits of the serial loop, and none
// leaves a mark when an index is bad. The small cases of laws_test force strategies; here they are chosen by size as well.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "harness/same_bits.h"
#include "kernels/types.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace strew {
using namespace internal;
using harness::same_bits;
namespace {

enum class Spread : std::uint8_t { uniform, hot, sorted, backwards, nearby };

struct Large {
  const char* name;
  Dtype dtype;
  Fold fold;
  Dims targets;  // the axes that indices choose
  std::int64_t width;
  std::int64_t points;
  Spread spread = Spread::uniform;
  OutOfRange out_of_range = OutOfRange::error;
  const char* expected = nullptr;  // the strategy that two threads choose; null: not looked at
  const char* then = nullptr;      // to which it hands the job on
};

constexpr Fold adding{.step = Reduction::add}, assigning{}, mean{.step = Reduction::add, .finish = FoldFinish::mean};
constexpr Fold once{.step = Reduction::add, .round = FoldRound::at_finish};
constexpr Fold first{.step = Reduction::mul, .begin = FoldBegin::first}, identity{.step = Reduction::max, .begin = FoldBegin::identity};

const std::vector<Large>& larges() {
  static const std::vector<Large> list{
      {"rows of 64 floats", Dtype::float32, adding, {9000}, 64, 30000, Spread::uniform, OutOfRange::error, "rows"},
      {"rows of 17 floats", Dtype::float32, adding, {130000}, 17, 20000, Spread::uniform, OutOfRange::error, "owners"},
      {"half on one row", Dtype::float32, adding, {5000}, 130, 6000, Spread::hot, OutOfRange::error, "rows"},
      {"rows in order", Dtype::float32, adding, {9000}, 64, 9000, Spread::sorted, OutOfRange::error, "sorted"},
      {"rows against the order", Dtype::float32, adding, {9000}, 64, 9000, Spread::backwards, OutOfRange::error, "rows"},
      {"three rows", Dtype::float32, adding, {3}, 64, 9000},
      {"one row", Dtype::float32, adding, {1}, 64, 9000},
      {"many more rows than updates", Dtype::float32, adding, {400000}, 16, 20000, Spread::uniform, OutOfRange::error, "owners"},
      {"tuples of two", Dtype::float64, adding, {100, 90}, 40, 9000, Spread::uniform, OutOfRange::error, "flatten", "rows"},
      {"tuples of three", Dtype::int32, adding, {20, 30, 31}, 40, 9000, Spread::uniform, OutOfRange::error, "flatten", "rows"},
      {"as many tuples as a block", Dtype::float32, adding, {100, 90}, 40, 512, Spread::uniform, OutOfRange::error, "serial"},
      {"one more", Dtype::float32, adding, {100, 90}, 40, 513, Spread::uniform, OutOfRange::error, "flatten", "serial"},
      {"products", Dtype::float64, {.step = Reduction::mul}, {9000}, 33, 9000, Spread::uniform, OutOfRange::error, "rows"},
      {"differences", Dtype::int64, {.step = Reduction::sub}, {9000}, 33, 9000, Spread::hot, OutOfRange::error, "rows"},
      {"largest", Dtype::float32, {.step = Reduction::max, .compare = FoldCompare::propagate}, {300}, 64, 9000},
      {"smallest", Dtype::float16, {.step = Reduction::min}, {300}, 64, 20000},
      {"complex", Dtype::complex64, adding, {300}, 64, 5000},
      {"rounded at every step", Dtype::bfloat16, adding, {3000}, 512, 2000, Spread::uniform, OutOfRange::error, "rows"},
      {"rounded once", Dtype::bfloat16, once, {3000}, 512, 2000, Spread::uniform, OutOfRange::error, "rows"},
      {"mean", Dtype::float32, mean, {9000}, 64, 9000, Spread::hot, OutOfRange::error, "rows"},
      {"the first replaces", Dtype::float32, first, {9000}, 64, 9000, Spread::hot, OutOfRange::error, "rows"},
      {"from the identity", Dtype::float32, identity, {9000}, 64, 9000, Spread::uniform, OutOfRange::error, "rows"},
      {"left out", Dtype::float32, adding, {9000}, 64, 9000, Spread::uniform, OutOfRange::skip, "rows"},
      {"clamped", Dtype::float32, adding, {90, 100}, 64, 9000, Spread::uniform, OutOfRange::clamp, "flatten", "rows"},
      {"last writer", Dtype::float32, assigning, {700}, 64, 9000, Spread::uniform, OutOfRange::error, "last"},
      {"last writer of one", Dtype::int16, assigning, {700}, 640, 9000, Spread::hot, OutOfRange::error, "last"},
      {"last writer, in order", Dtype::float64, assigning, {40, 100}, 40, 9000, Spread::sorted, OutOfRange::error, "flatten", "sorted"},
      {"last writer, left out", Dtype::complex128, assigning, {700}, 40, 9000, Spread::uniform, OutOfRange::skip, "last"},
      {"last writer, clamped", Dtype::uint8, assigning, {700}, 300, 9000, Spread::uniform, OutOfRange::clamp, "last"},
      {"few writers", Dtype::float32, assigning, {9000}, 64, 7000, Spread::uniform, OutOfRange::error, nullptr},
      {"few writers of many rows", Dtype::float32, assigning, {40000}, 64, 7000, Spread::uniform, OutOfRange::error, "owners"},
      {"few updates of many rows", Dtype::float32, adding, {40000}, 64, 20000, Spread::uniform, OutOfRange::error, "owners"},
      {"single elements", Dtype::float32, adding, {70000}, 1, 200000},
      {"single elements of two axes", Dtype::float64, adding, {300, 301}, 1, 200000, Spread::hot},
      {"single elements assigned", Dtype::int64, assigning, {70000}, 1, 200000},
      {"histogram", Dtype::int64, adding, {700}, 1, 200000, Spread::uniform, OutOfRange::error, "copies"},
      {"few elements", Dtype::float32, adding, {700}, 1, 200000, Spread::uniform, OutOfRange::error, "elements"},
      {"few elements of two axes", Dtype::complex64, adding, {20, 35}, 1, 50000, Spread::uniform, OutOfRange::clamp, "flatten", "serial"},
      {"single elements in a cache", Dtype::float32, adding, {1000000}, 1, 530000, Spread::uniform, OutOfRange::error, "filter"},
      {"doubles in a cache", Dtype::float64, {.step = Reduction::mul}, {500000}, 1, 530000, Spread::hot, OutOfRange::error, "filter"},
      {"neighbours", Dtype::float32, adding, {1000000}, 1, 530000, Spread::nearby, OutOfRange::error, "ranges"},
      {"neighbours assigned", Dtype::int64, assigning, {300000}, 1, 200000, Spread::nearby, OutOfRange::error, "ranges"},
      {"mean of neighbours", Dtype::float64, mean, {300000}, 1, 200000, Spread::nearby, OutOfRange::error, "ranges"},
      {"neighbours on two axes", Dtype::float32, adding, {300, 1000}, 1, 200000, Spread::nearby, OutOfRange::error, "flatten", "ranges"},
      {"many updates of each neighbour", Dtype::float64, adding, {66000}, 1, 530000, Spread::nearby, OutOfRange::error, "stretches"},
      {"halves in a cache", Dtype::float16, adding, {2000000}, 1, 530000, Spread::uniform, OutOfRange::error, "exchange"},
      {"two axes in a cache", Dtype::float32, adding, {1000, 1000}, 1, 530000, Spread::uniform, OutOfRange::error, "flatten", "filter"},
      {"two axes, left out", Dtype::float32, adding, {1000, 1000}, 1, 530000, Spread::uniform, OutOfRange::skip, "flatten", "exchange"},
      {"most are written over", Dtype::float32, assigning, {700}, 1, 100000, Spread::uniform, OutOfRange::error, "backwards"},
      {"most short rows are written over",
       Dtype::int16,
       assigning,
       {7, 10},
       5,
       100000,
       Spread::uniform,
       OutOfRange::skip,
       "flatten",
       "backwards"},
      {"tuples in order", Dtype::float32, adding, {300, 301}, 1, 90000, Spread::sorted, OutOfRange::error, "flatten", "sorted"},
      {"tuples of five", Dtype::float32, adding, {3, 4, 5, 6, 7}, 1, 30000, Spread::uniform, OutOfRange::error, "flatten", "elements"},
      {"mean of tuples", Dtype::float16, mean, {300, 301}, 1, 100000, Spread::hot, OutOfRange::error, "flatten", "serial"},
      {"mean of rows of tuples", Dtype::float32, mean, {90, 100}, 64, 9000, Spread::uniform, OutOfRange::error, "rows"},
      {"rows of 4", Dtype::float32, adding, {600000}, 4, 100000, Spread::uniform, OutOfRange::error, "owners"},
      {"rows of 4, left out", Dtype::float32, adding, {600000}, 4, 100000, Spread::hot, OutOfRange::skip, "owners"},
      {"rows of 16 in a cache", Dtype::float32, adding, {60000}, 16, 50000, Spread::uniform, OutOfRange::error, "serial"},
      {"rows of 3 assigned", Dtype::float32, assigning, {800000}, 3, 100000, Spread::uniform, OutOfRange::error, "owners"},
  };
  return list;
}

template <class T>
T element(double value) {
  if constexpr (std::same_as<T, Half>) return to_half(static_cast<float>(value));
  else if constexpr (std::same_as<T, Bfloat16>) return to_bfloat16(static_cast<float>(value));
  else if constexpr (ComplexLike<T>) return T(static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(1 - value));
  else if constexpr (Integer<T>) return static_cast<T>(value == value ? static_cast<std::int64_t>(value * 16) : 7);
  else return static_cast<T>(value);
}

// Numbers whose sums depend on their order, now and then a NaN or a zero with a sign.
std::vector<std::byte> random_elements(Dtype dtype, std::int64_t count, std::mt19937_64& random) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_of(dtype)));
  visit_dtype(Numbers{}, dtype, [&]<class T>(Tag<T>) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t draw = random();
      double value = static_cast<double>(static_cast<std::int64_t>(draw >> 40)) / (1 << 22) - 2;
      if (draw % 4096 == 0) value = std::numeric_limits<double>::quiet_NaN();
      if (draw % 4096 == 1) value = -0.0;
      store(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), element<T>(value));
    }
  });
  return bytes;
}

// A case with its memory; `op` steps into `out`.
struct Made {
  std::vector<std::byte> before, out, updates;
  std::vector<std::int64_t> index;  // one tuple after the other
  ScatterOp op;

  explicit Made(const Large& large) {
    std::mt19937_64 random(7);
    const auto depth = static_cast<std::int64_t>(large.targets.size());
    Dims shape = large.targets;
    if (large.width > 1) shape.push_back(large.width);
    before = random_elements(large.dtype, element_count(shape), random);
    out = before;
    updates = random_elements(large.dtype, large.points * large.width, random);
    fill_index(large, random);

    op.fold = large.fold;
    op.out = TensorRef(out.data(), large.dtype, shape);
    op.where.points = {large.points};
    op.where.out_of_range = large.out_of_range;
    Dims updates_shape{large.points};
    for (std::int64_t d = 0; d < depth; ++d) {
      op.where.axes.push_back({Axis::column, static_cast<std::uint8_t>(d)});
      op.where.columns.push_back(ConstTensorRef(index.data() + d, Dtype::int64, {large.points}, {depth}));
    }
    if (large.width > 1) {
      op.where.axes.push_back({Axis::row, 0});
      op.where.row = {large.width};
      updates_shape.push_back(large.width);
    }
    op.updates = ConstTensorRef(updates.data(), large.dtype, updates_shape);
  }

  // The bytes of the output after a run by a strategy; empty for its own choice. Nothing if it declines.
  std::optional<std::vector<std::byte>> run_by(std::string_view strategy, std::int64_t threads) {
    out = before;
    try {
      run(op, {.threads = threads, .strategy = strategy});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::argument) throw;
      return std::nullopt;
    }
    return out;
  }

 private:
  void fill_index(const Large& large, std::mt19937_64& random) {
    const std::int64_t rows = element_count(large.targets);
    for (std::int64_t i = 0; i < large.points; ++i) {
      std::int64_t row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
      if (large.spread == Spread::hot && random() % 2 == 0) row = rows / 3;
      if (large.spread == Spread::sorted) row = i * rows / large.points;
      if (large.spread == Spread::backwards) row = rows - 1 - i * rows / large.points;
      if (large.spread == Spread::nearby) row = std::min(i * rows / large.points + row % 1000, rows - 1);
      std::int64_t stride = rows;
      for (const std::int64_t extent : large.targets) {
        stride /= extent;
        index.push_back(row / stride % extent);
      }
      const bool goes_astray = large.out_of_range != OutOfRange::error && random() % 8 == 0;
      if (goes_astray) index.back() += random() % 2 == 0 ? 1'000'000 : -1'000'000;
    }
  }
};

constexpr std::int64_t thread_counts[] = {1, 2, 3, 8};

TEST(Large, EveryStrategyGivesTheSerialBits) {
  std::map<std::string_view, int> ran;
  for (const Large& large : larges()) {
    Made made(large);
    const auto serial = made.run_by("serial", 1);
    ASSERT_TRUE(serial) << large.name;
    EXPECT_FALSE(same_bits(*serial, made.before)) << large.name << " does nothing";
    for (const std::int64_t threads : thread_counts) {
      EXPECT_TRUE(same_bits(*made.run_by("", threads), *serial)) << large.name << " on " << threads << " threads";
      for (const Strategy* strategy : strategies()) {
        const auto bytes = made.run_by(strategy->name, threads);
        if (!bytes) continue;
        ++ran[strategy->name];
        EXPECT_TRUE(same_bits(*bytes, *serial)) << large.name << " by " << strategy->name << " on " << threads << " threads";
      }
    }
  }
  ran["shared"] += 1;  // it wants elements along an axis: see below
  for (const Strategy* strategy : strategies()) EXPECT_GT(ran[strategy->name], 0) << strategy->name << " declined everything";
}

// Elements along an axis whose rows share an index, all of them or all but one late element.
TEST(Large, RowsThatShareAnIndex) {
  constexpr std::int64_t rows = 5000, width = 40, points = 20000;
  std::mt19937_64 random(11);
  std::vector<std::int64_t> index(points * width);
  std::vector<float> updates(points * width);
  for (std::size_t i = 0; i < index.size(); ++i) {
    index[i] = i % width == 0 ? static_cast<std::int64_t>(random() % rows) : index[i - 1];
    updates[i] = 1.0f / static_cast<float>(3 + random() % 1000);
  }
  const auto run_by = [&](std::string_view strategy, std::int64_t threads) {
    std::vector<float> out(rows * width, 1.0f);
    const TensorRef target = tensor(out, Dims{rows, width});
    run(pytorch::describe::scatter_add(target, target, 0, tensor(index, Dims{points, width}), tensor(updates, Dims{points, width})),
        {.threads = threads, .strategy = strategy});
    return out;
  };
  for (const bool all_shared : {true, false}) {
    if (!all_shared) index[index.size() - width - 1] = (index[index.size() - width - 1] + 1) % rows;
    const std::vector<float> serial = run_by("serial", 1);
    for (const std::int64_t threads : thread_counts) {
      EXPECT_TRUE(same_bits(run_by("shared", threads), serial)) << all_shared << " on " << threads << " threads";
      EXPECT_TRUE(same_bits(run_by("", threads), serial)) << all_shared << " on " << threads << " threads";
    }
  }
  for (const std::size_t place : {std::size_t{0}, index.size() / 2, index.size() - 1}) {
    const std::int64_t good = std::exchange(index[place], rows);
    std::vector<float> out(rows * width, 1.0f);
    const TensorRef target = tensor(out, Dims{rows, width});
    EXPECT_THROW(pytorch::scatter_add_(target, 0, tensor(index, Dims{points, width}), tensor(updates, Dims{points, width})), Error);
    EXPECT_TRUE(same_bits(out, std::vector<float>(rows * width, 1.0f))) << place;
    index[place] = good;
  }
}

// Elements along an axis whose rows are far apart and longer than the rows that are prefetched whole: scattered and gathered as a plain
// loop does.
TEST(Large, ElementsAlongAnAxisThatIsFar) {
  constexpr std::int64_t rows = 3000, width = 300, points = 700;
  std::mt19937_64 random(12);
  std::vector<std::int64_t> index(points * width);
  std::vector<float> updates(points * width), before(rows * width);
  for (auto& row : index) row = static_cast<std::int64_t>(random() % rows);
  for (auto& value : updates) value = 1.0f / static_cast<float>(3 + random() % 1000);
  for (auto& value : before) value = static_cast<float>(random() % 1000);
  std::vector<float> added = before, gathered(points * width);
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t place = static_cast<std::size_t>(index[i]) * width + i % width;
    added[place] += updates[i];
    gathered[i] = before[place];
  }
  const Dims shape{rows, width}, index_shape{points, width};
  std::vector<float> out, taken;
  const auto scatter = [&](std::int64_t threads) {
    out = before;
    run(pytorch::describe::scatter_add(tensor(out, shape), tensor(out, shape), 0, tensor(index, index_shape), tensor(updates, index_shape)),
        {.threads = threads});
  };
  const auto gather = [&](std::int64_t threads) {
    taken.assign(index.size(), -1.0f);
    run(pytorch::describe::gather(tensor(taken, index_shape), tensor(before, shape), 0, tensor(index, index_shape)), {.threads = threads});
  };
  for (const std::int64_t threads : thread_counts) {
    scatter(threads);
    gather(threads);
    EXPECT_TRUE(same_bits(out, added)) << threads << " threads";
    EXPECT_TRUE(same_bits(taken, gathered)) << threads << " threads";
  }
  for (const std::size_t place : {std::size_t{0}, index.size() / 2, index.size() - 1}) {
    const std::int64_t good = std::exchange(index[place], -1);
    EXPECT_THROW(scatter(2), Error);
    EXPECT_THROW(gather(2), Error);
    EXPECT_TRUE(same_bits(out, before)) << place;
    EXPECT_TRUE(same_bits(taken, std::vector<float>(index.size(), -1.0f))) << place;
    index[place] = good;
  }
}

// Elements of every size from a vector that no cache holds.
TEST(Large, GathersFromFarAway) {
  constexpr std::int64_t extent = 1'000'000, points = 150'000;
  for (const Dtype dtype : {Dtype::int8, Dtype::float16, Dtype::float32, Dtype::int64, Dtype::complex128}) {
    std::mt19937_64 random(13);
    const auto size = static_cast<std::size_t>(size_of(dtype));
    std::vector<std::byte> from(extent * size), expected(points * size), out;
    for (auto& byte : from) byte = static_cast<std::byte>(random());
    std::vector<std::int64_t> index(points);
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[i] = static_cast<std::int64_t>(random() % extent);
      std::memcpy(expected.data() + i * size, from.data() + static_cast<std::size_t>(index[i]) * size, size);
    }
    const auto gather = [&](std::int64_t threads) {
      out.assign(expected.size(), std::byte{9});
      run(pytorch::describe::gather({out.data(), dtype, {points}}, {from.data(), dtype, {extent}}, 0, tensor(index)), {.threads = threads});
    };
    for (const std::int64_t threads : thread_counts) {
      gather(threads);
      EXPECT_TRUE(same_bits(out, expected)) << to_string(dtype) << " on " << threads << " threads";
    }
    index.back() = extent;
    EXPECT_THROW(gather(2), Error);
    EXPECT_TRUE(same_bits(out, std::vector<std::byte>(expected.size(), std::byte{9}))) << to_string(dtype);
  }
}

TEST(Large, SizesChooseTheStrategy) {
  for (const Large& large : larges()) {
    if (large.expected == nullptr) continue;
    const Made made(large);
    const std::string text = explain(made.op, {.threads = 2});
    EXPECT_NE(text.find(std::string("  strategy: ") + large.expected + " ("), std::string::npos) << large.name << "\n" << text;
    EXPECT_EQ(text.find("  then: ") != std::string::npos, large.then != nullptr) << large.name << "\n" << text;
    if (large.then == nullptr) continue;
    EXPECT_NE(text.find(std::string("  then: ") + large.then + " ("), std::string::npos) << large.name << "\n" << text;
  }
}

// What the sizes of larges() do not reach.
TEST(Large, RareSizesChooseTheStrategy) {
  struct Rare {
    Large large;
    std::int64_t threads;
    const char* expected;
  };
  const Fold counted = mean;
  for (const Rare& rare : {
           Rare{{"rows of 4 on many threads", Dtype::float32, adding, {600000}, 4, 140000}, 8, "exchange"},
           Rare{{"rows of 4 on some threads", Dtype::float32, adding, {600000}, 4, 140000}, 4, "owners"},
           Rare{{"single elements on many threads", Dtype::float32, adding, {1000000}, 1, 530000}, 8, "exchange"},
           Rare{{"single elements on some threads", Dtype::float32, adding, {1000000}, 1, 530000}, 4, "filter"},
           Rare{{"single elements on one thread", Dtype::float32, adding, {1000000}, 1, 530000}, 1, "elements"},
           Rare{{"doubles near a cache, on one thread", Dtype::float64, adding, {2000000}, 1, 530000}, 1, "elements"},
           Rare{{"doubles near a cache", Dtype::float64, adding, {2000000}, 1, 530000}, 2, "partition"},
           Rare{{"assigned near a cache", Dtype::float64, assigning, {2000000}, 1, 530000}, 2, "filter"},
           Rare{{"mean of rows of 4", Dtype::float32, counted, {600000}, 4, 140000}, 2, "exchange"},
           Rare{{"long runs", Dtype::float32, adding, {300}, 1, 300000, Spread::sorted}, 2, "sorted"},
           Rare{{"one element", Dtype::float32, adding, {1}, 1, 300000, Spread::sorted}, 2, "elements"},
           Rare{{"few long rows", Dtype::float32, adding, {100}, 100000, 4}, 2, "rows"},
       }) {
    const Made made(rare.large);
    const std::string text = explain(made.op, {.threads = rare.threads});
    EXPECT_NE(text.find(std::string("  strategy: ") + rare.expected + " ("), std::string::npos) << rare.large.name << "\n" << text;
  }
}

// Memory that a view lays out by itself: pages come into being as they are written.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes), memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(memory_, bytes_); }

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }
  void forbid(std::size_t at, std::size_t bytes) const { ASSERT_EQ(mprotect(as<char>() + at, bytes, PROT_NONE), 0); }

 private:
  std::size_t bytes_;
  void* memory_;
};

// Between the rows of a view lies memory that is somebody else's, here nobody's: every strategy steps around it.
TEST(Large, GapsAreNotTouched) {
  constexpr std::int64_t rows = 2048, width = 1024, pitch = 2 * width, points = 300000;
  const Pages memory(rows * pitch * sizeof(float));
  for (std::int64_t i = 0; i < rows; ++i) memory.forbid(static_cast<std::size_t>(i * pitch + width) * sizeof(float), width * sizeof(float));
  std::mt19937_64 random(9);
  std::vector<std::int64_t> index(2 * points);
  std::vector<float> updates(points);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    index[2 * i] = static_cast<std::int64_t>(random() % rows);
    index[2 * i + 1] = static_cast<std::int64_t>(random() % width);
    updates[i] = static_cast<float>(random() % 1000) / 7;
  }
  std::vector<float> expected(rows * width);
  for (const bool is_backwards : {false, true}) {
    auto* const origin = memory.as<float>() + (is_backwards ? (rows - 1) * pitch : 0);
    const TensorRef out(origin, Dtype::float32, {rows, width}, {is_backwards ? -pitch : pitch, 1});
    const ScatterOp op =
        tensorflow::describe::tensor_scatter_nd_add(out, out, tensor(index.data(), {points, 2}), tensor(updates.data(), {points}));
    const auto clear = [&] {
      for (std::int64_t i = 0; i < rows; ++i) std::fill_n(memory.as<float>() + i * pitch, width, 1.0F);
    };
    std::fill(expected.begin(), expected.end(), 1.0F);
    for (std::size_t i = 0; i < updates.size(); ++i)
      expected[static_cast<std::size_t>(index[2 * i] * width + index[2 * i + 1])] += updates[i];
    const auto expect_sums = [&](std::string_view strategy) {
      for (std::int64_t i = 0; i < rows; ++i) {
        ASSERT_EQ(std::memcmp(origin + i * out.strides[0], expected.data() + i * width, width * sizeof(float)), 0)
            << strategy << ", row " << i;
      }
    };
    for (const std::int64_t threads : {1, 2, 8}) {
      clear();
      run(op, {.threads = threads});
      expect_sums("unasked");
      for (const Strategy* strategy : strategies()) {
        clear();
        try {
          run(op, {.threads = threads, .strategy = strategy->name});
        } catch (const Error& error) {
          ASSERT_EQ(error.code(), ErrorCode::argument) << error.what();
          continue;
        }
        expect_sums(strategy->name);
      }
    }
  }
}

// More places than 32 bits can number, few of them stepped.
TEST(Large, NumbersOfPlacesBeyond32Bits) {
  constexpr std::int64_t side = 1 << 16, points = 6000;
  const Pages memory(side * side);
  auto* const out = memory.as<std::uint8_t>();
  std::mt19937_64 random(10);
  std::vector<std::int64_t> index;
  std::vector<std::uint8_t> updates;
  std::map<std::int64_t, std::uint8_t> expected;
  for (std::int64_t i = 0; i < points; ++i) {
    const auto row = static_cast<std::int64_t>(random() % 50 * 1300 + 1000), column = static_cast<std::int64_t>(random() % 20 * 3200);
    index.insert(index.end(), {row, column});
    updates.push_back(static_cast<std::uint8_t>(random()));
    expected[row * side + column] = static_cast<std::uint8_t>(expected[row * side + column] + updates.back());
  }
  const TensorRef target(out, Dtype::uint8, {side, side});
  const ScatterOp op =
      tensorflow::describe::tensor_scatter_nd_add(target, target, tensor(index.data(), {points, 2}), tensor(updates.data(), {points}));
  EXPECT_NE(explain(op).find("strategy: flatten"), std::string::npos);
  run(op);
  for (const auto& [place, sum] : expected) EXPECT_EQ(out[place], sum) << place;
}

// The numbers of so many points fit no memory, nor does their size fit a number: it is as large as one gets, not what overflow leaves.
TEST(Large, NumbersOfMorePointsThanMemoryHolds) {
  constexpr std::int64_t points = std::int64_t{1} << 61;
  const std::int8_t index = 0;
  const std::uint8_t update = 1;
  std::vector<std::uint8_t> out(4);
  const ConstTensorRef column(&index, Dtype::int8, {points}, {0});
  ScatterOp op;
  op.out = tensor(out.data(), {2, 2});
  op.where.points = {points};
  op.where.columns = {column, column};
  op.where.axes = {{Axis::column, 0}, {Axis::column, 1}};
  op.fold = adding;
  op.updates = {&update, Dtype::uint8, {points}, {0}};
  const std::string text = explain(op);
  EXPECT_NE(text.find("scratch: 9223372036854775807 bytes for the strategy"), std::string::npos) << text;
}

TEST(Large, ABadIndexLeavesNoMark) {
  for (const Large& large : larges()) {
    if (large.out_of_range != OutOfRange::error) continue;
    Made made(large);
    const std::size_t last = made.index.size() - 1;
    for (const std::size_t place : {std::size_t{0}, last / 2, last}) {
      const std::int64_t good = std::exchange(made.index[place], 100'000'000);
      for (const Strategy* strategy : strategies()) {
        for (const std::int64_t threads : {1, 3}) {
          made.out = made.before;
          try {
            run(made.op, {.threads = threads, .strategy = strategy->name});
            ADD_FAILURE() << large.name << " by " << strategy->name << " took index " << place;
          } catch (const Error& error) {
            EXPECT_TRUE(error.code() == ErrorCode::index || error.code() == ErrorCode::argument) << error.what();
          }
          EXPECT_TRUE(same_bits(made.out, made.before)) << large.name << " by " << strategy->name << ", bad index at " << place;
        }
      }
      made.index[place] = good;
    }
  }
}

// A fresh output is checked as it is filled, so there a strategy meets the bad index itself.
TEST(Large, ABadIndexOfAFreshOutputIsFound) {
  for (const Large& large : larges()) {
    if (large.out_of_range != OutOfRange::error) continue;
    Made made(large);
    const std::size_t last = made.index.size() - 1;
    for (const std::size_t place : {std::size_t{0}, last / 2, last}) {
      const std::int64_t good = std::exchange(made.index[place], -100'000'000);
      for (const Strategy* strategy : strategies()) {
        ScatterOp op = made.op;
        op.base = ConstTensorRef(op.out);
        try {
          static_cast<void>(compute(op, {.threads = 3, .strategy = strategy->name}));
          ADD_FAILURE() << large.name << " by " << strategy->name << " took index " << place;
        } catch (const Error& error) {
          EXPECT_TRUE(error.code() == ErrorCode::index || error.code() == ErrorCode::argument) << error.what();
        }
      }
      made.index[place] = good;
    }
  }
}

}  // namespace
}  // namespace strew
