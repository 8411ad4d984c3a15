// places(): the row that each point addresses, by its number, against the plain loop that gathers the numbers of all rows.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "harness/choices.h"
#include "harness/executor.h"
#include "ops/loop.h"
#include "ops/recipe.h"
#include "strew/places.h"
#include "strew/strew.h"

namespace strew::ops {
namespace {

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + " | " + error.what();
  }
  return "";
}

// A tensor that holds the number of each row plus one, gathered by the plain loop: skipped points read 0. None if an index is bad.
std::optional<std::vector<std::int64_t>> expected_places(const Addressing& where, const Dims& shape) {
  Addressing one_element = where;  // of each row
  one_element.row.clear();
  one_element.axes.clear();
  Dims addressed;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (where.axes[d].from == Axis::row) continue;
    one_element.axes.push_back(where.axes[d]);
    addressed.push_back(shape[d]);
  }
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(element_count(addressed)));
  std::iota(numbers.begin(), numbers.end(), 1);
  std::vector<std::int64_t> places(static_cast<std::size_t>(element_count(where.points)));
  const GatherOp gather{
      .where = one_element, .from = {numbers.data(), Dtype::int64, addressed}, .out = {places.data(), Dtype::int64, where.points}};
  if (run_loop(gather) != Judgement::done) return std::nullopt;
  for (std::int64_t& place : places) --place;
  return places;
}

std::vector<std::int64_t> listed(const Tensor& tensor) {
  const auto values = tensor.values<std::int64_t>();
  return {values.begin(), values.end()};
}

// An op of rank 0 that is addressed by one axis counts as a vector.
template <class View>
Dims shape_of(const View& view, const Addressing& where) {
  return view.shape.empty() && where.axes.size() == 1 ? Dims{1} : view.shape;
}

TEST(Places, AreThoseOfThePlainLoop) {
  harness::ThreadExecutor threads(4);
  int results = 0, skipped = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    harness::SeededChoices choices(seed);
    Memory memory;
    const Recipe recipe = make_recipe(choices, memory);
    if (recipe.huge) continue;
    const auto judge = [&](const auto& op, const auto& addressed) {
      if (const std::string error = error_of([&] { validate(op); }); !error.empty()) {
        if (recipe.out.null) return;  // no memory is needed
        EXPECT_EQ(error_of([&] { static_cast<void>(places(op)); }), error) << seed;
        ++refused;
        return;
      }
      const auto expected = expected_places(op.where, shape_of(addressed, op.where));
      if (!expected) {
        Memory copy = memory;  // the run may write
        const std::string error = error_of([&] { recipe.gathers ? run(recipe.gather(copy)) : run(recipe.scatter(copy)); });
        const std::string own = error_of([&] { static_cast<void>(places(op)); });
        EXPECT_TRUE(own.starts_with("index | ") && (error == own || error.starts_with("overlap"))) << seed << " " << own << " " << error;
        ++refused;
        return;
      }
      for (const std::int64_t block : {1, 3, 512}) {
        const RunOptions options{.executor = block == 3 ? threads.get() : nullptr, .threads = 4, .block_points = block};
        const Tensor list = places(op, options);
        EXPECT_EQ(listed(list), *expected) << seed << "\n" << print(recipe);
        EXPECT_EQ(list.shape(), op.where.points);
      }
      Tensor into(Dtype::int64, op.where.points);
      places(op, TensorRef(into));
      EXPECT_EQ(listed(into), *expected) << seed;
      ++results;
      skipped += std::count(expected->begin(), expected->end(), -1) > 0 ? 1 : 0;
    };
    const Memory before = memory;
    if (recipe.gathers) {
      const GatherOp op = recipe.gather(memory);
      judge(op, op.from);
    } else {
      const ScatterOp op = recipe.scatter(memory);
      judge(op, op.out);
    }
    EXPECT_EQ(memory, before) << "listing places wrote";
  }
  EXPECT_GT(results, 1000);
  EXPECT_GT(skipped, 50);
  EXPECT_GT(refused, 200);
}

constexpr std::int64_t points = 3 << 16, height = 1000, width = 700;

// Random pairs of indices, one of them skipped.
struct Pairs {
  std::vector<std::int32_t> rows, columns;
  std::vector<std::int64_t> expected;

  Pairs() : rows(points), columns(points), expected(points) {
    harness::SeededChoices choices(7);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<std::int32_t>(choices.below(height));
      columns[i] = static_cast<std::int32_t>(choices.below(width));
      expected[i] = rows[i] * width + columns[i];
    }
    rows[points / 2] = height;
    expected[points / 2] = -1;
  }
  [[nodiscard]] ScatterOp op(OutOfRange out_of_range = OutOfRange::skip) const {
    ScatterOp op{.name = "test.pairs", .out = TensorRef(nullptr, Dtype::float32, {height, width, 4})};
    op.where.points = {points};
    op.where.row = {4};
    op.where.axes = {{Axis::column, 0}, {Axis::column, 1}, {Axis::row, 0}};
    op.where.columns = {tensor(rows), tensor(columns)};
    op.where.out_of_range = out_of_range;
    op.scalar = Scalar{Dtype::float32, {}};
    return op;
  }
};

TEST(Places, OfManyPointsOnThreads) {
  const Pairs pairs;
  harness::ThreadExecutor threads(4);
  for (const std::int64_t count : {1, 2, 4})
    EXPECT_EQ(listed(places(pairs.op(), {.executor = threads.get(), .threads = count})), pairs.expected) << count;
  EXPECT_EQ(error_of([&] { static_cast<void>(places(pairs.op(OutOfRange::error), {.executor = threads.get(), .threads = 4})); }),
            "index | test.pairs: index 1000 is out of bounds for axis 0 with size 1000 (indices[98304] = 1000 for axis 0 of size 1000, "
            "valid: 0..999)");
}

TEST(Places, GoIntoMemoryOfTheCallers) {
  const Pairs pairs;
  std::vector<std::int64_t> out(3 * points, 5);
  places(pairs.op(), TensorRef(out.data() + 2, Dtype::int64, {points}, {3}));
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i % 3 == 2 ? pairs.expected[i / 3] : 5) << i;
  places(pairs.op(), TensorRef(out.data() + points - 1, Dtype::int64, {points}, {-1}));
  EXPECT_TRUE(std::equal(pairs.expected.rbegin(), pairs.expected.rend(), out.begin()));
  // Not aligned.
  std::vector<std::byte> bytes(8 * points + 8);
  places(pairs.op(), TensorRef(bytes.data() + 3, Dtype::int64, {points}));
  EXPECT_EQ(std::memcmp(bytes.data() + 3, pairs.expected.data(), 8 * points), 0);
}

TEST(Places, MayReplaceTheIndices) {
  std::vector<std::int64_t> index{2, -1, 0, 2};
  const ConstTensorRef column = tensor(index);
  std::vector<float> out(4), updates(4);
  ScatterOp op{.name = "test", .out = tensor(out), .updates = tensor(updates)};
  op.where.points = {4};
  op.where.axes = {{Axis::column, 0}};
  op.where.columns = {column};
  op.where.negative = Negative::wrap;
  places(op, TensorRef(index.data(), Dtype::int64, {4}));
  EXPECT_EQ(index, (std::vector<std::int64_t>{2, 3, 0, 2}));
}

TEST(Places, AreAllOrNothing) {
  const Pairs pairs;
  std::vector<std::int64_t> out(points, 5);
  const ScatterOp bad = pairs.op(OutOfRange::error);
  for (const std::int64_t stride : {1, -1}) {
    EXPECT_NE(error_of([&] { places(bad, TensorRef(stride < 0 ? &out.back() : out.data(), Dtype::int64, {points}, {stride})); }), "");
    EXPECT_EQ(out, std::vector<std::int64_t>(points, 5));
  }
}

TEST(Places, ErrorsTeach) {
  const Pairs pairs;
  const ScatterOp op = pairs.op();
  std::vector<std::int64_t> out(points);
  const auto into = [&](const TensorRef& to, const RunOptions& options = {}) { return error_of([&] { places(op, to, options); }); };
  EXPECT_EQ(into({out.data(), Dtype::uint64, {points}}), "dtype | test.pairs: places must be int64, got uint64");
  EXPECT_EQ(into({out.data(), Dtype::int64, {points, 1}}),
            "shape | test.pairs: places must have the shape of the points [196608], got [196608, 1]");
  EXPECT_EQ(into({out.data(), Dtype::int64, {points}, {0}}),
            "overlap | test.pairs: two elements of places share memory; pass a view whose elements do not");
  EXPECT_EQ(into({nullptr, Dtype::int64, {points}}), "shape | test.pairs: places: data is null, but shape [196608] has elements");
  const std::string asked = "argument | test.pairs: listing places takes no strategy";
  EXPECT_EQ(into({out.data(), Dtype::int64, {points}}, {.strategy = "serial"}), asked);
  EXPECT_EQ(into({out.data(), Dtype::int64, {points / 2, 2}}).substr(0, 5), "shape");
  EXPECT_EQ(error_of([&] { static_cast<void>(places(op, {.strategy = "serial"})); }), asked);
}

}  // namespace
}  // namespace strew::ops
