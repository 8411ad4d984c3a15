// Every check of an op that a caller made by hand, and of tensors and views, with its text.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "errors/gathered_rows.h"
#include "errors/text_of.h"
#include "strew/strew.h"

namespace strew {
namespace {

constexpr std::int64_t two_62 = std::int64_t{1} << 62;

// Two rows of a [3, 4] named by one column of indices.
struct Rows {
  std::vector<float> out = std::vector<float>(12), updates = std::vector<float>(8, 1);
  std::vector<std::int64_t> index{0, 2};
  ScatterOp op;
  Rows() {
    op.where.points = {2};
    op.where.row = {4};
    op.where.axes = {{Axis::column, 0}, {Axis::row, 0}};
    op.where.columns.push_back(tensor(index));
    op.out = tensor(out, {3, 4});
    op.updates = tensor(updates, {2, 4});
  }
};

TEST(OpErrors, Scatter) {
  static const std::vector<std::int64_t> more{0, 0};
  static const std::vector<double> doubles(8);
  const Scalar number{Dtype::float32, {}}, other{Dtype::float64, {}};
  const struct {
    std::function<void(ScatterOp&)> change;
    const char* text;
  } cases[] = {
      {[](ScatterOp& op) { op.out.dtype = static_cast<Dtype>(99); }, "dtype: scatter: input: there is no dtype 99"},
      {[](ScatterOp& op) { op.out.shape = op.out.strides = Dims(65, 1); }, "shape: scatter: input: rank must be at most 64, got 65"},
      {[](ScatterOp& op) { op.updates.strides = {1}; },
       "shape: scatter: updates: strides must have one entry per dimension, got 1 for shape [2, 4]"},
      {[](ScatterOp& op) { op.where.columns[0].shape = {-2}; }, "shape: scatter: indices: sizes must be >= 0, got shape [-2]"},
      {[](ScatterOp& op) {
         op.updates.shape = {two_62, 4};
       },
       "shape: scatter: updates: shape [4611686018427387904, 4] would have more than 2**63 - 1 bytes"},
      {[](ScatterOp& op) {
         op.updates.strides = {two_62, 1};
       },
       "shape: scatter: updates: strides [4611686018427387904, 1] of shape [2, 4] would reach further than 2**63 - 1 bytes"},
      {[](ScatterOp& op) { op.updates.data = nullptr; }, "shape: scatter: updates: data is null, but shape [2, 4] has elements"},
      {[](ScatterOp& op) {
         op.where.axes = {{Axis::column, 0}};
       },
       "shape: scatter: out must have 1 axes, got shape [3, 4]"},
      {[](ScatterOp& op) { op.where.negative = static_cast<Negative>(7); },
       "argument: scatter: the addressing has a value that its type does not name"},
      {[](ScatterOp& op) {
         op.where.row = {1, 1, 4};
       },
       "shape: scatter: every dimension of row [1, 1, 4] must be an axis of out"},
      {[](ScatterOp& op) {
         op.where.row = {1, 4};
       },
       "shape: scatter: every dimension of row [1, 4] must be an axis of out"},
      {[](ScatterOp& op) { op.where.columns.push_back(tensor(more)); }, "shape: scatter: every column of indices must be an axis of out"},
      {[](ScatterOp& op) {
         op.where.axes[0] = {Axis::point, 0}, op.where.points = {4};
       },
       "shape: scatter: axis 0 of out must be at least as large as points [4][0], got 3"},
      {[](ScatterOp& op) { op.where.row = {5}; }, "shape: scatter: axis 1 of out must be at least as large as row [5][0], got 4"},
      {[](ScatterOp& op) {
         op.where.row = {3}, op.where.axes[0] = {Axis::row, 0};
       },
       "shape: scatter: axis 1 of out takes row dimension 0 a second time"},
      {[](ScatterOp& op) {
         op.where.axes[1] = {Axis::column, 0};
       },
       "shape: scatter: axis 1 of out takes column 0 a second time"},
      {[](ScatterOp& op) {
         op.where.axes[0] = {Axis::column, 3};
       },
       "shape: scatter: axis 0 of out takes column 3 of 1"},
      {[](ScatterOp& op) { op.where.columns[0].dtype = Dtype::float64; }, "dtype: scatter: indices must be integers, got float64"},
      {[](ScatterOp& op) { op.where.points = {1}; }, "shape: scatter: indices must have the shape of the points [1], got [2]"},
      {[](ScatterOp& op) {
         op.updates.shape = {2, 3};
       },
       "shape: scatter: updates must have shape [2, 4], got [2, 3]"},
      {[](ScatterOp& op) {
         op.updates = tensor(doubles, {2, 4}), op.fold.finish = FoldFinish::mean;
       },
       "dtype: scatter: updates must be float32, got float64"},
      {[&](ScatterOp& op) { op.scalar = other, op.fold.finish = FoldFinish::mean; },
       "dtype: scatter: the number must be float32, got float64"},
      {[&](ScatterOp& op) { op.scale = other; }, "dtype: scatter: the scale must be float32 and the updates a tensor"},
      {[&](ScatterOp& op) { op.scale = op.scalar = number; }, "dtype: scatter: the scale must be float32 and the updates a tensor"},
      {[](ScatterOp& op) { op.fold.begin = static_cast<FoldBegin>(9); },
       "argument: scatter: the fold has a value that its type does not name"},
      {[](ScatterOp& op) {
         op.base = ConstTensorRef(doubles.data(), Dtype::float64, {3, 4});
       },
       "dtype: scatter: out must be float64, got float32"},
      {[](ScatterOp& op) {
         op.base = ConstTensorRef(doubles.data(), Dtype::float32, {4, 3});
       },
       "shape: scatter: out must have shape [4, 3], got [3, 4]"},
  };
  for (const auto& c : cases) {
    Rows rows;
    c.change(rows.op);
    EXPECT_EQ(text_of([&] { run(rows.op); }), c.text);
    EXPECT_EQ(text_of([&] { validate(rows.op); }), c.text);
    EXPECT_EQ(rows.out, std::vector<float>(12));
  }
}

// Nothing but the points says how often a number is written.
TEST(OpErrors, PointsOfANumber) {
  float cell = 0;
  ScatterOp op;
  op.where.points = {two_62, 4};
  op.out = TensorRef(&cell, Dtype::float32, {});
  op.scalar = Scalar{Dtype::float32, {}};
  EXPECT_EQ(
      text_of([&] { run(op); }),
      "shape: scatter: points of shape [4611686018427387904, 4] and rows of shape [] must have sizes >= 0, at most 64 dimensions each and "
      "2**63 - 1 elements");
}

TEST(OpErrors, Gather) {
  GatheredRows rows;
  std::vector<double> doubles(8);
  GatherOp op = rows.op();
  op.out = tensor(doubles, {2, 4});
  EXPECT_EQ(text_of([&] { run(op); }), "dtype: gather: out must be float32, got float64");
  op.out = tensor(rows.out, {4, 2});
  EXPECT_EQ(text_of([&] { run(op); }), "shape: gather: out must have shape [2, 4], got [4, 2]");
  op.out = tensor(rows.out, {2, 4});
  op.where.columns[0].data = nullptr;
  EXPECT_EQ(text_of([&] { run(op); }), "shape: gather: indices: data is null, but shape [2] has elements");
  EXPECT_EQ(rows.out, std::vector<float>(8, 7));
}

TEST(TensorErrors, Texts) {
  std::vector<float> values(6);
  const Tensor t({1.5f, 2.5f}, {2});
  const struct {
    std::function<void()> call;
    const char* text;
  } cases[] = {
      {[] {
         static_cast<void>(element_count({2, -1}));
       },
       "shape: tensor: sizes must be >= 0, got shape [2, -1]"},
      {[] {
         static_cast<void>(element_count({0, two_62, 4}));
       },
       "shape: tensor: shape [0, 4611686018427387904, 4] would have more than 2**63 - 1 elements"},
      {[&] {
         static_cast<void>(ConstTensorRef(values.data(), Dtype::float32, {2, 3}, {1}));
       },
       "shape: tensor: strides must have one entry per dimension, got 1 for shape [2, 3]"},
      {[&] {
         static_cast<void>(TensorRef(values.data(), Dtype::float32, {2}, {1, 1}));
       },
       "shape: tensor: strides must have one entry per dimension, got 2 for shape [2]"},
      {[&] {
         static_cast<void>(tensor(values, {2, 4}));
       },
       "shape: tensor: the shape has 8 elements, the object 6"},
      {[] { Tensor(Dtype::float32, Dims(65, 1)); }, "shape: tensor: rank must be at most 64, got 65"},
      {[] { Tensor(Dtype::float64, {two_62}); }, "memory: tensor: float64 of shape [4611686018427387904] does not fit the address space"},
      {[] { Tensor(Dtype::float32, {std::int64_t{1} << 60}); },
       "memory: tensor: could not allocate 4611686018427387904 bytes for float32 of shape [1152921504606846976]"},
      {[] { Tensor({1.0f}, {2}); }, "shape: tensor: shape [2] needs 2 values, got 1"},
      {[&] { static_cast<void>(t.values<double>()); }, "dtype: tensor: values are float32, requested as float64"},
      {[] {
         std::vector<float> out{1, 2};
         const std::vector<float> update{3};
         const std::vector<std::int64_t> index{0};
         run(pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(update)), {.threads = -1});
       },
       "argument: RunOptions: threads must be >= 0 (0: what the machine allows), got -1"},
      {[] {
         std::vector<float> out{1, 2};
         const std::vector<std::int64_t> index{0};
         scatter_add(out, index, 1, {.block_points = -1});
       },
       "argument: RunOptions: block_points must be >= 0 (0: the default), got -1"},
      {[] { set_threads(-1); }, "argument: set_threads: threads must be >= 0 (0: what the machine allows), got -1"},
  };
  for (const auto& c : cases) EXPECT_EQ(text_of(c.call), c.text);
}

}  // namespace
}  // namespace strew
