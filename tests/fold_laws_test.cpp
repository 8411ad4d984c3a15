// Laws of the folds, on ops that are built directly: steps concatenate, distinct targets commute, the last writer wins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "harness/choices.h"
#include "harness/draft.h"
#include "harness/elements.h"
#include "strew/strew.h"

namespace strew::harness {
namespace {

constexpr FoldCompare compares[] = {FoldCompare::keep_out, FoldCompare::take_update, FoldCompare::propagate, FoldCompare::propagate_late,
                                    FoldCompare::lexical};
constexpr std::int64_t places = 7, row = 3;

// Random elements, specials among them, as bytes of a dense tensor.
Tensor random_tensor(Dtype dtype, Dims shape, Choices& choices) {
  Tensor tensor(dtype, shape);
  auto* at = static_cast<std::byte*>(tensor.data());
  const double reals[] = {0.0, -0.0, 1.5, -2.25, 1e4, -7.0, INFINITY, -INFINITY, NAN, 0.1, 3.0, 1.0 / 3};
  for (std::int64_t i = 0; i < tensor.size(); ++i, at += size_of(dtype)) {
    switch (dtype_info(dtype).kind) {
      case DtypeKind::complex: store_real(dtype, at + size_of(dtype) / 2, choices.pick(reals)); [[fallthrough]];
      case DtypeKind::floating: store_real(dtype, at, choices.pick(reals)); break;
      case DtypeKind::boolean: store_integer(dtype, at, choices.below(2)); break;
      default: store_integer(dtype, at, choices.bits(64));
    }
  }
  return tensor;
}

Tensor random_indices(std::int64_t count, Choices& choices) {
  Tensor indices(Dtype::int64, {count});
  for (std::int64_t& i : indices.values<std::int64_t>()) i = choices.between(0, places - 1);
  return indices;
}

// out[indices[i], :] = step(out[indices[i], :], updates[i, :]) for i in [begin, end)
ScatterOp rows_op(Tensor& out, const Tensor& indices, const Tensor& updates, std::int64_t begin, std::int64_t end, const Fold& fold) {
  ScatterOp op;
  op.where.points = {end - begin};
  op.where.row = {row};
  op.where.axes = {{Axis::column, 0}, {Axis::row, 0}};
  const std::int64_t row_bytes = row * size_of(updates.dtype());
  op.where.columns.push_back({static_cast<const std::byte*>(indices.data()) + begin * 8, Dtype::int64, {end - begin}});
  op.out = out;
  op.base = InPlace{};
  op.updates = {static_cast<const std::byte*>(updates.data()) + begin * row_bytes, updates.dtype(), {end - begin, row}};
  op.fold = fold;
  return op;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * size_of(a.dtype()))) == 0;
}

// Calls use(dtype, fold) for every plain fold that is defined.
template <class Use>
int each_plain_fold(Use use) {
  int folds = 0;
  for (const DtypeInfo& dtype : dtypes) {
    if (dtype.dtype == Dtype::string) continue;
    for (std::size_t step = 0; step < std::size(reduction_names); ++step) {
      for (const FoldCompare compare : compares) {
        const Fold fold{.step = static_cast<Reduction>(step), .compare = compare};
        if (!supports(fold, dtype.dtype)) continue;
        ++folds;
        use(dtype.dtype, fold);
      }
    }
  }
  return folds;
}

TEST(Folds, StepsConcatenate) {
  SeededChoices choices(1);
  const int folds = each_plain_fold([&](Dtype dtype, const Fold& fold) {
    const Tensor indices = random_indices(40, choices), updates = random_tensor(dtype, {40, row}, choices),
                 before = random_tensor(dtype, {places, row}, choices);
    Tensor once = before.clone();
    run(rows_op(once, indices, updates, 0, 40, fold));
    for (const std::int64_t cut : {0, 1, 17, 40}) {
      Tensor twice = before.clone();
      run(rows_op(twice, indices, updates, 0, cut, fold));
      run(rows_op(twice, indices, updates, cut, 40, fold));
      EXPECT_TRUE(same_bytes(once, twice)) << to_string(dtype) << " step " << static_cast<int>(fold.step) << " cut " << cut;
    }
  });
  EXPECT_GT(folds, 150);
}

TEST(Folds, DistinctTargetsCommute) {
  SeededChoices choices(2);
  each_plain_fold([&](Dtype dtype, const Fold& fold) {
    Tensor indices(Dtype::int64, {places}), shuffled_indices(Dtype::int64, {places});
    std::vector<std::int64_t> order(places);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[choices.below(i)]);
    const Tensor updates = random_tensor(dtype, {places, row}, choices), before = random_tensor(dtype, {places, row}, choices);
    Tensor shuffled_updates(dtype, {places, row});
    const std::int64_t row_bytes = row * size_of(dtype);
    for (std::int64_t i = 0; i < places; ++i) {
      const std::int64_t from = order[static_cast<std::size_t>(i)];
      indices.values<std::int64_t>()[static_cast<std::size_t>(i)] = i;
      shuffled_indices.values<std::int64_t>()[static_cast<std::size_t>(i)] = from;
      std::memcpy(static_cast<std::byte*>(shuffled_updates.data()) + i * row_bytes,
                  static_cast<const std::byte*>(updates.data()) + from * row_bytes, static_cast<std::size_t>(row_bytes));
    }
    Tensor a = before.clone(), b = before.clone();
    run(rows_op(a, indices, updates, 0, places, fold));
    run(rows_op(b, shuffled_indices, shuffled_updates, 0, places, fold));
    EXPECT_TRUE(same_bytes(a, b)) << to_string(dtype);
  });
}

// Sums and products that wrap, and extremes of integers, do not care about order.
TEST(Folds, IntegersAreOrderFree) {
  SeededChoices choices(3);
  for (const DtypeInfo& info : dtypes) {
    if (!is_integer(info.dtype) && info.dtype != Dtype::bool_) continue;
    for (const Reduction step : {Reduction::add, Reduction::mul, Reduction::min, Reduction::max}) {
      const Fold fold{.step = step};
      const Tensor indices = random_indices(30, choices), updates = random_tensor(info.dtype, {30, row}, choices),
                   before = random_tensor(info.dtype, {places, row}, choices);
      Tensor forward = before.clone(), backward = before.clone();
      run(rows_op(forward, indices, updates, 0, 30, fold));
      for (std::int64_t i = 30; i > 0; --i) run(rows_op(backward, indices, updates, i - 1, i, fold));
      EXPECT_TRUE(same_bytes(forward, backward)) << info.name << " step " << static_cast<int>(step);
    }
  }
}

// NaN that propagates does so from anywhere; numbers without NaN and zeros have one minimum.
TEST(Folds, ExtremesOfFloatsAreOrderFreeWhereTheFormulaIs) {
  SeededChoices choices(4);
  for (const bool with_nan : {false, true}) {
    Tensor updates(Dtype::float64, {30, row}), before(Dtype::float64, {places, row});
    for (Tensor* tensor : {&updates, &before}) {
      for (double& x : tensor->values<double>())
        x = with_nan && choices.chance(10) ? NAN : static_cast<double>(choices.between(1, 1000)) - 500.5;
    }
    const Tensor indices = random_indices(30, choices);
    for (const Reduction step : {Reduction::min, Reduction::max}) {
      const Fold fold{.step = step, .compare = FoldCompare::propagate};
      Tensor forward = before.clone(), backward = before.clone();
      run(rows_op(forward, indices, updates, 0, 30, fold));
      for (std::int64_t i = 30; i > 0; --i) run(rows_op(backward, indices, updates, i - 1, i, fold));
      EXPECT_TRUE(same_bytes(forward, backward)) << "with NaN: " << with_nan;
    }
  }
}

TEST(Folds, GatherAfterAssignReadsTheLastWriter) {
  SeededChoices choices(5);
  for (int round = 0; round < 200; ++round) {
    const Tensor indices = random_indices(20, choices), updates = random_tensor(Dtype::float32, {20, row}, choices),
                 before = random_tensor(Dtype::float32, {places, row}, choices);
    const ConstTensorRef tuples(indices.data(), Dtype::int64, {20, 1});
    const Tensor out = onnx::scatter_nd(before, tuples, updates);
    const Tensor read = onnx::gather_nd(out, tuples);
    for (std::int64_t i = 0; i < 20; ++i) {
      std::int64_t last = i;
      for (std::int64_t j = i; j < 20; ++j) {
        if (indices.values<std::int64_t>()[static_cast<std::size_t>(j)] == indices.values<std::int64_t>()[static_cast<std::size_t>(i)])
          last = j;
      }
      const auto* got = static_cast<const std::byte*>(read.data()) + i * row * 4;
      const auto* wanted = static_cast<const std::byte*>(updates.data()) + last * row * 4;
      ASSERT_EQ(std::memcmp(got, wanted, row * 4), 0) << round << " " << i;
    }
  }
}

// Where two dialects have the same semantics, they give the same bits.
class Agreement : public testing::Test {
 protected:
  SeededChoices choices_{6};
  Tensor before_ = random_tensor(Dtype::float32, {places, row}, choices_);
  Tensor indices_ = random_indices(25, choices_);
  Tensor updates_ = random_tensor(Dtype::float32, {25, row}, choices_);
  ConstTensorRef tuples_{indices_.data(), Dtype::int64, {25, 1}};
  ConstTensorRef repeated_{indices_.data(), Dtype::int64, {25, row}, {1, 0}};
};

TEST_F(Agreement, AddAlongAnAxis) {
  const Tensor torch = pytorch::scatter_add(before_, 0, repeated_, updates_);
  EXPECT_TRUE(same_bytes(torch, onnx::scatter_elements(before_, repeated_, updates_, {.axis = 0, .reduction = "add"})));
  EXPECT_TRUE(same_bytes(torch, paddle::put_along_axis(before_, repeated_, updates_, 0, {.reduce = "add"})));
  EXPECT_TRUE(same_bytes(torch, pytorch::scatter_reduce(before_, 0, repeated_, updates_, "sum")));
  EXPECT_TRUE(same_bytes(torch, pytorch::index_add(before_, 0, indices_, updates_)));
}

TEST_F(Agreement, AddTuples) {
  const Tensor tensorflow_sum = tensorflow::tensor_scatter_nd_add(before_, tuples_, updates_);
  EXPECT_TRUE(same_bytes(tensorflow_sum, paddle::scatter_nd_add(before_, tuples_, updates_)));
  EXPECT_TRUE(same_bytes(tensorflow_sum, onnx::scatter_nd(before_, tuples_, updates_, {.reduction = "add"})));
  EXPECT_TRUE(same_bytes(tensorflow_sum, paddle::index_add(before_, indices_, 0, updates_)));
}

TEST_F(Agreement, Replace) {
  const Tensor tensorflow_update = tensorflow::tensor_scatter_nd_update(before_, tuples_, updates_);
  EXPECT_TRUE(same_bytes(tensorflow_update, onnx::scatter_nd(before_, tuples_, updates_)));
  EXPECT_TRUE(same_bytes(tensorflow_update, paddle::scatter(before_, indices_, updates_)));
  EXPECT_TRUE(same_bytes(tensorflow_update, pytorch::index_copy(before_, 0, indices_, updates_)));
  EXPECT_TRUE(same_bytes(tensorflow_update, pytorch::scatter(before_, 0, repeated_, updates_)));
  EXPECT_TRUE(same_bytes(tensorflow_update, onnx::scatter(before_, repeated_, updates_)));
}

TEST_F(Agreement, Sums) {
  const Tensor tensorflow_sum = tensorflow::scatter_nd(tuples_, updates_, {places, row});
  EXPECT_TRUE(same_bytes(tensorflow_sum, paddle::scatter_nd(tuples_, updates_, {places, row})));
}

TEST_F(Agreement, Gather) {
  const Tensor read = tensorflow::gather_nd(before_, tuples_);
  EXPECT_TRUE(same_bytes(read, onnx::gather_nd(before_, tuples_)));
  EXPECT_TRUE(same_bytes(read, paddle::gather_nd(before_, tuples_)));
  EXPECT_TRUE(same_bytes(read, pytorch::gather(before_, 0, repeated_)));
  EXPECT_TRUE(same_bytes(read, onnx::gather_elements(before_, repeated_)));
}

template <class T>
T first(const Tensor& y) {
  return y.values<T>()[0];
}

// Where they differ: 16-bit sums, NaN in max, the old content of a row.
TEST(Disagreement, IsKept) {
  const Tensor half({Half{0x6800}}, {1}), ones({Half{0x3c00}, Half{0x3c00}, Half{0x3c00}, Half{0x3c00}}, {4});
  const Tensor zeros({std::int64_t{0}, std::int64_t{0}, std::int64_t{0}, std::int64_t{0}}, {4});
  const ConstTensorRef tuples(zeros.data(), Dtype::int64, {4, 1});
  EXPECT_EQ(first<Half>(pytorch::scatter_add(half, 0, zeros, ones)).bits, 0x6802);  // 2052
  EXPECT_EQ(first<Half>(tensorflow::tensor_scatter_nd_add(half, tuples, ones)).bits, 0x6800);  // 2048
  const Tensor one({1.0f}, {1}), nan({NAN}, {1}), at({std::int64_t{0}}, {1});
  EXPECT_TRUE(std::isnan(first<float>(pytorch::scatter_reduce(one, 0, at, nan, "amax"))));
  EXPECT_EQ(first<float>(tensorflow::tensor_scatter_nd_max(one, {at.data(), Dtype::int64, {1, 1}}, nan)), 1.0f);
  EXPECT_EQ(first<float>(onnx::scatter_elements(nan, at, one, {.reduction = "max"})), 1.0f);
  const Tensor ten({10.0f}, {1});
  EXPECT_EQ(first<float>(paddle::scatter(ten, at, one, false)), 1.0f);
  EXPECT_EQ(first<float>(paddle::scatter_nd_add(ten, {at.data(), Dtype::int64, {1, 1}}, one)), 11.0f);
}

}  // namespace
}  // namespace strew::harness
