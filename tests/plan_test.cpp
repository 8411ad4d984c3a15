// Plans: whatever the layout, the threads and what became of the indices, applying one gives the bits of run().
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "base/text.h"
#include "harness/executor.h"
#include "harness/generator.h"
#include "harness/golden.h"
#include "harness/runner.h"
#include "strategies/replay.h"
#include "strew/plan.h"
#include "strew/strew.h"

namespace strew::harness {
namespace {

// The recorded scatters and some of each operator from the generator.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list = read_golden(STREW_TESTS_DIR "/golden");
    for (const OperatorForm& form : operator_forms()) {
      for (std::int64_t i = 0; i < 100; ++i) list.push_back(generate_case(form, 5, i));
    }
    std::erase_if(list, [](const Case& c) { return c.op.starts_with("gather"); });
    return list;
  }();
  return all;
}

std::string text(const Answer& answer) {
  return answer.result ? text(*answer.result) : std::string(to_string(*answer.code)) + ": " + answer.message;
}

bool agree(const Answer& a, const Answer& b) {
  if (a.result && b.result) return same_bits(*a.result, *b.result);
  return a.code && b.code && *a.code == *b.code && a.message == b.message;
}

bool declined(const Answer& answer) {
  return answer.code == ErrorCode::argument && answer.message.find(": layout \"") != std::string::npos;
}

void expect_same(const Case& c, const Answer& once, const Setup& setup, std::string_view how) {
  const Answer planned = run_case(c, setup);
  EXPECT_EQ(planned.damage, "") << c.id << " " << how;
  EXPECT_TRUE(declined(planned) || agree(once, planned))
      << c.id << " " << how << "\n  run:  " << text(once) << "\n  plan: " << text(planned);
}

TEST(Plan, EveryLayoutGivesTheBitsOfRun) {
  ThreadExecutor threads(4);
  int results = 0;
  for (const Case& c : cases()) {
    const Answer once = run_case(c);
    // A plan does not hold on to the indices, so they cannot overlap anything when it is applied.
    if (once.code == ErrorCode::overlap) continue;
    results += once.result ? 1 : 0;
    expect_same(c, once, {.planned = Planned::yes}, "by itself");
    expect_same(c, run_case(c, {.form = Form::into}), {.form = Form::into, .planned = Planned::yes}, "into other memory");
    expect_same(c, once, {.planned = Planned::indices_gone}, "indices gone");
    expect_same(c, once, {.planned = Planned::described_twice}, "made before there are updates");
    expect_same(c, once, {.planned = Planned::from_places}, "made again");
    for (const Layout* layout : layouts()) {
      expect_same(c, once, {.options = {.threads = 1, .strategy = layout->name}, .planned = Planned::from_places}, layout->name);
      for (const std::int64_t block : {1, 3, 512}) {
        // Starting threads takes longer than all the rest.
        const bool on_threads = block == 3;
        const RunOptions options{.executor = on_threads ? threads.get() : nullptr,
                                 .threads = on_threads ? 4 : 1,
                                 .strategy = layout->name,
                                 .block_points = block};
        expect_same(c, once, {.options = options, .planned = Planned::yes}, layout->name);
      }
    }
  }
  EXPECT_GT(results, 1000);
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + " | " + error.what();
  }
  return "no error";
}

// Random bits that are numbers: small, so that sums of 16 bits stay finite, and of both signs.
Tensor random_tensor(Dtype dtype, const Dims& shape, std::uint64_t seed) {
  Tensor tensor = Tensor::zeros(dtype, shape);
  std::mt19937_64 random(seed);
  const auto fill = [&]<class T>(std::span<T> values) {
    for (T& value : values) value = static_cast<T>(static_cast<double>(random() % 2001) / 7 - 100);
  };
  switch (dtype) {
    case Dtype::float16:
      for (Half& value : tensor.values<Half>()) value = to_half(static_cast<float>(random() % 2001) / 7 - 100);
      break;
    case Dtype::float64: fill(tensor.values<double>()); break;
    case Dtype::int32: fill(tensor.values<std::int32_t>()); break;
    default: fill(tensor.values<float>());
  }
  return tensor;
}

std::vector<std::int64_t> random_indices(std::int64_t count, std::int64_t below, std::uint64_t seed) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::mt19937_64 random(seed);
  for (std::int64_t& index : indices) index = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  return indices;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * size_of(a.dtype()))) == 0;
}

struct Large {
  const char* layout;
  Dtype dtype;
  std::int64_t updates, places, width;
  const char* reduce;
  bool include_self = true;

  friend void PrintTo(const Large& c, std::ostream* out) {
    *out << cat(c.layout, " ", c.reduce, " ", to_string(c.dtype), " ", c.updates, " into ", c.places, " by ", c.width);
  }
};

// Sizes on both sides of each cut-off, and each kind of fold.
class LargePlan : public testing::TestWithParam<Large> {};

TEST_P(LargePlan, GivesTheSerialBits) {
  const Large& c = GetParam();
  const Tensor before = random_tensor(c.dtype, {c.places, c.width}, 1), updates = random_tensor(c.dtype, {c.updates, c.width}, 2);
  std::vector<std::int64_t> rows = random_indices(c.updates, c.places, 3);
  // A third of the updates meets in few places.
  for (std::size_t i = 0; i < rows.size(); i += 3) rows[i] %= 5;
  const ConstTensorRef index(rows.data(), Dtype::int64, {c.updates, c.width}, {1, 0});
  const auto describe = [&](const TensorRef& out) {
    return std::string_view(c.reduce) == "assign" ? pytorch::describe::index_copy(out, out, 0, tensor(rows), updates)
           : c.width > 1 && std::string_view(c.reduce) == "sum"
               ? pytorch::describe::index_add(out, out, 0, tensor(rows), updates)
               : pytorch::describe::scatter_reduce(out, out, 0, index, updates, c.reduce, c.include_self);
  };
  Tensor serial = before.clone();
  run(describe(serial), {.strategy = "serial"});
  for (const int threads : {1, 2, 3, 8}) {
    ThreadExecutor executor(threads);
    const RunOptions options{.executor = executor.get(), .threads = threads};
    Tensor out = before.clone();
    const Plan made = plan(describe(out), options);
    // On one thread some layouts do not pay, on more than two others.
    EXPECT_TRUE(threads != 2 || made.describe().find(std::string("layout: ") + c.layout) != std::string::npos) << made.describe();
    for (const std::int64_t applying : {1, 2, 8}) {
      Tensor again = before.clone();
      made.apply(updates, again, {.executor = executor.get(), .threads = applying});
      EXPECT_TRUE(same_bytes(again, serial)) << threads << " threads, applied by " << applying;
      EXPECT_TRUE(same_bytes(made.compute(before, updates, options), serial));
    }
    EXPECT_TRUE(same_bytes(out, before)) << "making a plan wrote";
    const Plan again = plan_from_places(describe(out), made.places(), options);
    EXPECT_EQ(again.describe(), made.describe());
    EXPECT_TRUE(same_bytes(again.compute(before, updates, options), serial));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, LargePlan,
    testing::Values(
        Large{"in_order", Dtype::float32, (1 << 15) - 1, 3 << 19, 1, "sum"}, Large{"buckets", Dtype::float32, 1 << 15, 3 << 19, 1, "sum"},
        Large{"in_order", Dtype::float32, 200'000, 1 << 20, 1, "sum"}, Large{"buckets", Dtype::float32, 200'000, (1 << 20) + 1, 1, "sum"},
        Large{"in_order", Dtype::float32, 200'000, 300'001, 1, "mean"}, Large{"buckets", Dtype::float32, 200'000, 1'200'001, 1, "mean"},
        Large{"buckets", Dtype::float16, 200'000, 300'001, 1, "sum"}, Large{"buckets", Dtype::float16, 200'000, 2'400'001, 1, "sum"},
        Large{"in_order", Dtype::float64, 150'000, 1'000, 1, "prod"}, Large{"buckets", Dtype::float64, 150'000, 600'000, 1, "prod"},
        Large{"in_order", Dtype::int32, 150'000, 70'000, 1, "amax"}, Large{"buckets", Dtype::int32, 150'000, 1'200'000, 1, "amax", false},
        Large{"buckets", Dtype::float32, 150'000, 70'000, 1, "assign"}, Large{"buckets", Dtype::float32, 150'000, 7'000, 3, "sum"},
        Large{"buckets", Dtype::float32, 40'000, 7'000, 15, "sum"}, Large{"in_order", Dtype::float32, 150'000, 255, 1, "sum"},
        Large{"in_order", Dtype::float32, 10'000, 255, 1, "assign"}, Large{"grouped", Dtype::float32, 4'000, 700, 17, "sum"},
        Large{"grouped", Dtype::float64, 70'000, 9'000, 33, "sum"}, Large{"grouped", Dtype::float16, 70'000, 9'000, 40, "sum"},
        Large{"grouped", Dtype::float32, 20'000, 3'000, 64, "assign"}, Large{"in_order", Dtype::float32, 40, 700'000, 2, "assign"}));

TEST(Plan, KeepsOnlyTheLastWriters) {
  const std::vector<std::int64_t> index{2, 0, 2, 2, 0};
  std::vector<float> out(3), updates{1, 2, 3, 4, 5};
  for (const Layout* layout : layouts()) {
    const Plan made =
        plan(pytorch::describe::index_copy(tensor(out), tensor(out), 0, tensor(index), tensor(updates)), {.strategy = layout->name});
    EXPECT_NE(made.describe().find("points: 5, 2 kept"), std::string::npos) << made.describe();
    out = {7, 8, 9};
    made.apply(tensor(updates), tensor(out));
    EXPECT_EQ(out, (std::vector<float>{5, 8, 4}));
  }
}

// Along an axis in the middle each point also chooses by its own position: places are rows of all axes that it chooses.
TEST(Plan, NumbersPlacesInRowMajorOrder) {
  const std::vector<std::int64_t> index{2, 0, 1, 1};
  std::vector<float> out(6), updates{1, 2, 3, 4};
  const ConstTensorRef indices(index.data(), Dtype::int64, {2, 2}), source(updates.data(), Dtype::float32, {2, 2});
  const TensorRef into(out.data(), Dtype::float32, {2, 3});
  for (const Layout* layout : layouts()) {
    const Tensor added = plan(pytorch::describe::scatter_add(into, into, 1, indices, source), {.strategy = layout->name}).places();
    EXPECT_EQ(std::vector<std::int32_t>(added.values<std::int32_t>().begin(), added.values<std::int32_t>().end()),
              (std::vector<std::int32_t>{2, 0, 4, 4}));
    // Of two that are assigned to one place, the first one is left out: it has the number of all places.
    const Tensor assigned = plan(pytorch::describe::scatter(into, into, 1, indices, source), {.strategy = layout->name}).places();
    EXPECT_EQ(std::vector<std::int32_t>(assigned.values<std::int32_t>().begin(), assigned.values<std::int32_t>().end()),
              (std::vector<std::int32_t>{2, 0, 6, 4}));
  }
}

TEST(Plan, PlacesAreCheckedLikeIndices) {
  const std::vector<std::int64_t> index{2, 0, 2};
  std::vector<float> out(3), updates{1, 2, 4};
  const ScatterOp op = pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates));
  const auto error = [&](const auto& places) { return error_of([&] { static_cast<void>(plan_from_places(op, tensor(places))); }); };
  using Narrow = std::vector<std::int32_t>;
  EXPECT_EQ(error(Narrow{2, 0, 3}), "no error");
  EXPECT_EQ(error(Narrow{2, 4, -1}),
            "index | pytorch.index_add_: place 4 is neither that of a row nor the number of places "
            "(places[1] = 4 for axis 0 of size 4, valid: 0..3; 1 more)");
  EXPECT_EQ(error(std::vector<std::int64_t>{2, 0, INT64_MIN}).substr(0, 7), "index |");
  EXPECT_EQ(error(Narrow{2, 0}), "shape | pytorch.index_add_: places must have shape [3], one for each point, got [2]");
  EXPECT_EQ(error(Narrow{}), "shape | pytorch.index_add_: places must have shape [3], one for each point, got [0]");
  EXPECT_EQ(error(std::vector<float>{1, 2, 3}), "dtype | pytorch.index_add_: places must be int32 or int64, got float32");
  const Narrow places{2, 0, 2};
  EXPECT_EQ(error_of([&] {
              static_cast<void>(plan_from_places(op, ConstTensorRef(places.data(), Dtype::int32, {3, 1})));
            }),
            "shape | pytorch.index_add_: places must have shape [3], one for each point, got [3, 1]");
  EXPECT_EQ(error_of([&] { static_cast<void>(plan_from_places(op, ConstTensorRef(nullptr, Dtype::int32, {3}))); }),
            "shape | pytorch.index_add_: places: data is null, but shape [3] has elements");
}

// The rows have no elements, so there is nothing to know about points, and nothing is read.
TEST(Plan, RowsWithoutElementsHaveNoPlaces) {
  const std::vector<std::int64_t> index{2, 0, 2};
  const TensorRef out(nullptr, Dtype::float32, {3, 0});
  const ScatterOp op = pytorch::describe::index_add(out, out, 0, tensor(index), ConstTensorRef(nullptr, Dtype::float32, {3, 0}));
  const Tensor places = plan(op).places();
  EXPECT_EQ(places.size(), 0);
  EXPECT_EQ(plan_from_places(op, places).nbytes(), 0);
}

TEST(Plan, LeavesOutWhatIsSkipped) {
  const std::vector<std::int64_t> index{2, 3, -1, 0, 2};
  const std::vector<float> updates{1, 2, 4, 8, 16};
  std::vector<float> out{100, 200, 300};
  const ConstTensorRef tuples(index.data(), Dtype::int64, {5, 1});
  for (const Layout* layout : layouts()) {
    const ScatterOp op =
        tensorflow::describe::tensor_scatter_nd_add({}, tensor(out), tuples, tensor(updates), {.bad_indices_policy = "IGNORE"});
    const Plan made = plan(op, {.strategy = layout->name, .block_points = 2});
    EXPECT_NE(made.describe().find("points: 5, 3 kept"), std::string::npos) << made.describe();
    const Tensor sum = made.compute(tensor(out), tensor(updates));
    EXPECT_EQ(std::vector<float>(sum.values<float>().begin(), sum.values<float>().end()), (std::vector<float>{108, 200, 317}));
  }
}

TEST(Plan, SaysWhatItIs) {
  const std::vector<std::int64_t> index{1, 0, 1};
  std::vector<float> out(2), updates(3);
  const Plan made = plan(pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)), {.threads = 1});
  EXPECT_EQ(made.describe(),
            "plan of pytorch.index_add_ on float32 [2]\n"
            "  points: 3, 3 kept, rows of 1\n"
            "  layout grouped declined: rows are short\n"
            "  layout buckets declined: there is too little work to share\n"
            "  layout: in_order (the place of each point in order, applied by one thread)\n"
            "  bytes: 12 for the indices, 0 of scratch for updates\n");
  EXPECT_EQ(made.nbytes(), 12);
  EXPECT_EQ(made.updates_shape(), Dims{3});
  EXPECT_EQ(made.updates_dtype(), Dtype::float32);
  EXPECT_EQ(made.out_shape(), Dims{2});
  EXPECT_EQ(made.out_dtype(), Dtype::float32);
  EXPECT_FALSE(made.starts_from_zeros());
}

TEST(Plan, RefusesOtherTensors) {
  const std::vector<std::int64_t> index{1, 0, 1};
  std::vector<float> out(2), updates(3), more(4);
  std::vector<double> wide(4);
  const Plan made = plan(pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)));
  const auto apply = [&](const ConstTensorRef& source, const TensorRef& target) { return error_of([&] { made.apply(source, target); }); };
  EXPECT_EQ(apply(tensor(more), tensor(out)), "shape | pytorch.index_add_: the plan takes source of shape [3], got [4]");
  EXPECT_EQ(apply(tensor(updates), tensor(more)), "shape | pytorch.index_add_: the plan takes out of shape [2], got [4]");
  EXPECT_EQ(apply(tensor(wide), tensor(out)), "dtype | pytorch.index_add_: the plan takes source of float32, got float64");
  EXPECT_EQ(apply(tensor(updates), tensor(wide)), "dtype | pytorch.index_add_: the plan takes out of float32, got float64");
  EXPECT_EQ(apply(ConstTensorRef(nullptr, Dtype::float32, {3}), tensor(out)),
            "shape | pytorch.index_add_: source: data is null, but shape [3] has elements");
  EXPECT_EQ(apply(ConstTensorRef(more.data() + 1, Dtype::float32, {3}), TensorRef(more.data(), Dtype::float32, {2})).substr(0, 7),
            "overlap");
  EXPECT_EQ(apply(tensor(updates), TensorRef(out.data(), Dtype::float32, {2}, {0})).substr(0, 7), "overlap");
  EXPECT_EQ(error_of([&] { made.apply(Scalar{.dtype = Dtype::int32}, tensor(out)); }),
            "dtype | pytorch.index_add_: the plan takes source of float32, got int32");
  EXPECT_EQ(error_of([&] { static_cast<void>(made.compute(tensor(updates))); }),
            "shape | pytorch.index_add_: the plan takes input to start from");
  EXPECT_EQ(error_of([&] { made.apply(tensor(updates), tensor(out), {.strategy = "serial"}); }),
            "argument | pytorch.index_add_: a plan has its layout; applying it takes no strategy");
  EXPECT_EQ(out, (std::vector<float>{0, 0}));

  const ConstTensorRef tuples(index.data(), Dtype::int64, {3, 1});
  const Plan fresh = plan(tensorflow::describe::scatter_nd({}, tuples, tensor(updates), Dims{2}));
  EXPECT_TRUE(fresh.starts_from_zeros());
  EXPECT_EQ(error_of([&] { static_cast<void>(fresh.compute(tensor(out), tensor(updates))); }),
            "shape | tensorflow.scatter_nd: the output starts from zeros, so the plan takes no input");
}

TEST(Plan, RefusesAnOpOfAnotherForm) {
  const std::vector<std::int64_t> index{1, 0, 1}, shorter{1, 0};
  std::vector<float> out(2), updates(3), fewer(2);
  std::vector<double> wide(2), wide_updates(3);
  const Plan made = plan(pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "amax"));
  const auto apply = [&](const ScatterOp& op) { return error_of([&] { made.apply(op); }); };
  EXPECT_EQ(apply(pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(shorter), tensor(fewer), "amax")),
            "shape | pytorch.scatter_reduce_: the plan was made for points [3] and rows [] of [2], got [2] and [] of [2]");
  EXPECT_EQ(apply(pytorch::describe::scatter_reduce(tensor(wide), tensor(wide), 0, tensor(index), tensor(wide_updates), "amax")),
            "dtype | pytorch.scatter_reduce_: the plan was made for float32 into float32, got float64 into float64");
  EXPECT_EQ(apply(pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "amin")),
            "argument | pytorch.scatter_reduce_: the plan was made for max, got min");
  EXPECT_EQ(apply(pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "amax", false)),
            "argument | pytorch.scatter_reduce_: the plan was made for max, got max that begins, finishes, rounds or compares otherwise");
  EXPECT_EQ(out, (std::vector<float>{0, 0}));
}

// Slices across a middle axis: the op turns the updates around, so it is described again.
TEST(Plan, IsAppliedToAnOpDescribedAgain) {
  const std::vector<std::int64_t> index{2, 0, 2};
  const Tensor before = random_tensor(Dtype::float32, {4, 3, 5}, 1), source = random_tensor(Dtype::float32, {4, 3, 5}, 2),
               other = random_tensor(Dtype::float32, {4, 3, 5}, 3);
  const Plan made = plan(pytorch::describe::index_add({}, before, 1, tensor(index), source));
  // Of the indices only the shape counts now.
  const std::vector<std::int64_t> anything(3, -77);
  const Tensor sum = made.compute(pytorch::describe::index_add({}, before, 1, tensor(anything), other, 2.5));
  EXPECT_TRUE(same_bytes(sum, pytorch::index_add(before, 1, tensor(index), other, 2.5)));
}

TEST(Plan, RefusesWhatRunRefuses) {
  const std::vector<std::int64_t> index{1, 7, -9};
  std::vector<float> out(2), updates(3);
  const ScatterOp op = pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates));
  const std::string expected = error_of([&] { run(op); });
  EXPECT_EQ(expected.substr(0, 5), "index");
  for (const Layout* layout : layouts()) {
    EXPECT_EQ(error_of([&] { static_cast<void>(plan(op, {.strategy = layout->name})); }), expected);
  }
  EXPECT_EQ(error_of([&] { static_cast<void>(plan(op, {.strategy = "sideways"})); }),
            "argument | pytorch.index_add_: there is no layout \"sideways\"; there are grouped, buckets, in_order");
  ScatterOp malformed = op;
  malformed.updates.shape = malformed.updates.strides = {2};
  EXPECT_EQ(error_of([&] { static_cast<void>(plan(malformed)); }), error_of([&] { run(malformed); }));
}

// Bad indices in large ones, where each layout reads them on its own threads.
TEST(Plan, FindsABadIndexAnywhere) {
  std::vector<float> out(5000), updates(100'000);
  ThreadExecutor threads(3);
  for (const std::size_t at : {std::size_t{0}, updates.size() / 2, updates.size() - 1}) {
    std::vector<std::int64_t> index = random_indices(100'000, 5000, 4);
    index[at] = 5000;
    const ScatterOp op = pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates));
    for (const char* layout : {"", "grouped", "buckets", "in_order"}) {
      EXPECT_EQ(error_of([&] { static_cast<void>(plan(op, {.executor = threads.get(), .threads = 3, .strategy = layout})); }),
                error_of([&] { run(op); }));
    }
  }
}

// The plan is made on dense tensors and applied to views that no single stride describes.
TEST(Plan, TakesOtherStrides) {
  const std::int64_t places = 6, points = 4, width = 3;
  const Tensor index({std::int64_t{5}, std::int64_t{0}, std::int64_t{5}, std::int64_t{2}, std::int64_t{1}, std::int64_t{1}, std::int64_t{0},
                      std::int64_t{5}, std::int64_t{3}, std::int64_t{3}, std::int64_t{3}, std::int64_t{4}},
                     {points, width});
  const Tensor updates = random_tensor(Dtype::float32, {points, width}, 1), before = random_tensor(Dtype::float32, {places, width}, 2);
  Tensor expected = before.clone();
  run(pytorch::describe::scatter_add(expected, expected, 0, index, updates), {.strategy = "serial"});
  for (const Layout* layout : layouts()) {
    const Plan made = plan(pytorch::describe::scatter_add({}, before, 0, index, updates), {.strategy = layout->name, .block_points = 2});
    // Stored with the axes swapped, every other element left out, the updates backwards.
    std::vector<float> out(static_cast<std::size_t>(places * width * 2), -1), source(static_cast<std::size_t>(points * width * 2), -1);
    const TensorRef target(out.data(), Dtype::float32, {places, width}, {2, places * 2});
    const std::int64_t last = points * width * 2 - 1;
    const TensorRef backwards(source.data() + last, Dtype::float32, {points, width}, {-2, -points * 2});
    for (std::int64_t i = 0; i < places * width; ++i)
      out[static_cast<std::size_t>(i / width * 2 + i % width * places * 2)] = before.values<float>()[static_cast<std::size_t>(i)];
    for (std::int64_t i = 0; i < points * width; ++i)
      source[static_cast<std::size_t>(last - i / width * 2 - i % width * points * 2)] =
          updates.values<float>()[static_cast<std::size_t>(i)];
    made.apply(backwards, target);
    EXPECT_TRUE(same_bytes(Tensor::copy_of(target), expected)) << layout->name;
    for (std::size_t i = 1; i < out.size(); i += 2) EXPECT_EQ(out[i], -1);
  }
}

// Single elements in a line, every other one and backwards.
TEST(Plan, TakesOtherStridesOfALine) {
  const std::int64_t places = 300, points = 1000;
  const std::vector<std::int64_t> index = random_indices(points, places, 3);
  const Tensor updates = random_tensor(Dtype::float32, {points}, 4), before = random_tensor(Dtype::float32, {places}, 5);
  for (const char* reduction : {"sum", "prod", "amax", "mean"}) {
    Tensor expected = before.clone();
    run(pytorch::describe::scatter_reduce(expected, expected, 0, tensor(index), updates, reduction), {.strategy = "serial"});
    for (const Layout* layout : layouts()) {
      const Plan made = plan(pytorch::describe::scatter_reduce({}, before, 0, tensor(index), updates, reduction),
                             {.strategy = layout->name, .block_points = 64});
      for (const std::int64_t step : {2, -1, -3}) {
        std::vector<float> out(static_cast<std::size_t>(places * 3), -1);
        const TensorRef target(out.data() + (step > 0 ? 0 : out.size() - 1), Dtype::float32, {places}, {step});
        for (std::int64_t i = 0; i < places; ++i)
          static_cast<float*>(target.data)[i * step] = before.values<float>()[static_cast<std::size_t>(i)];
        made.apply(updates, target);
        EXPECT_TRUE(same_bytes(Tensor::copy_of(target), expected)) << layout->name << ", " << reduction << ", " << step;
      }
    }
  }
}

// A layout that is requested by name has the blocks and buckets of one that is chosen.
TEST(Plan, AForcedLayoutIsAsSmallAsAChosenOne) {
  constexpr std::int64_t places = 1 << 22, points = 1 << 17;
  const std::vector<std::int64_t> index = random_indices(points, places, 9);
  Tensor out = Tensor::zeros(Dtype::float32, {places});
  const Tensor updates = random_tensor(Dtype::float32, {points}, 10);
  const ScatterOp op = pytorch::describe::index_add(out, out, 0, tensor(index), updates);
  const Plan chosen = plan(op), forced = plan(op, {.strategy = "buckets"});
  EXPECT_NE(chosen.describe().find("layout: buckets"), std::string::npos) << chosen.describe();
  EXPECT_EQ(forced.nbytes(), chosen.nbytes());
}

// Many threads apply one plan at once, each to its own output; a sanitizer watches what they share.
TEST(Plan, IsAppliedByManyThreadsAtOnce) {
  const std::vector<std::int64_t> rows = random_indices(100'000, 40'000, 6);
  const Tensor before = random_tensor(Dtype::float32, {40'000}, 7), updates = random_tensor(Dtype::float32, {100'000}, 8);
  Tensor expected = before.clone();
  const auto describe = [&](const TensorRef& out) { return pytorch::describe::index_add(out, out, 0, tensor(rows), updates); };
  run(describe(expected), {.strategy = "serial"});
  ThreadExecutor executors[4] = {ThreadExecutor(2), ThreadExecutor(2), ThreadExecutor(2),
                                 ThreadExecutor(2)};  // one runs one call at a time
  for (const Layout* layout : layouts()) {
    Tensor first = before.clone();
    const Plan made = plan(describe(first), {.executor = executors[0].get(), .threads = 2, .strategy = layout->name});
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < std::size(executors); ++i) results.push_back(before.clone());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < std::size(executors); ++i) {
        threads.emplace_back([&result = results[i], &updates, &own = executors[i], copy = made] {
          copy.apply(updates, result, {.executor = own.get(), .threads = 2});
        });
      }
    }
    for (const Tensor& result : results) EXPECT_TRUE(same_bytes(result, expected)) << layout->name;
  }
}

TEST(Plan, TakesANumber) {
  const std::vector<std::int64_t> index{1, 1, 0};
  std::vector<float> out{10, 20, 30};
  const Plan made = plan(pytorch::describe::scatter(tensor(out), tensor(out), 0, tensor(index), Number(2.5), "add"));
  Scalar number{.dtype = Dtype::float32};
  const float value = 0.5f;
  std::memcpy(number.bytes, &value, sizeof value);
  made.apply(number, tensor(out));
  EXPECT_EQ(out, (std::vector<float>{10.5, 21, 30}));
}

}  // namespace
}  // namespace strew::harness
