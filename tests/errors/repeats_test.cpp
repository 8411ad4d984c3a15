// Views that repeat few bytes as many elements, and shapes without elements: a call takes as long as its bytes and steps, not as its
 // shapes.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <vector>

#include "errors/text_of.h"
#include "strew/strew.h"

namespace strew::harness {
namespace {

constexpr std::int64_t many = std::int64_t{1} << 40;

// One second is far more than such a call needs, and far less than it takes to count to 2^40.
class Repeats : public testing::Test {
 protected:
  void TearDown() override { EXPECT_LT(std::chrono::steady_clock::now() - began_, std::chrono::seconds(1)); }

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

TEST_F(Repeats, ABadIndexIsCountedAsOftenAsItIsRepeated) {
  const TensorRef arr(nullptr, Dtype::float32, {many, 0});
  const std::vector<std::int64_t> index{5};
  EXPECT_EQ(
      text_of([&] {
        numpy::put_along_axis(arr, tensor(index, {1, 1}), 1.0, 1);
      }),
      "index: numpy.put_along_axis: index 5 is out of bounds for axis 1 with size 0 (indices[0, 0] = 5 for axis 1 of size 0, no index is "
      "valid; 1099511627775 more)");
}

// The smallest point, at it the smallest column, and the number of all: as a plain loop over points and columns finds them.
TEST_F(Repeats, TheFirstBadIndexIsThatOfAPlainLoop) {
  const std::vector<std::int64_t> indices{0, 9, 1, 2, 7, 0, 1, 8};
  const Dims strides[] = {{0, 1}, {1, 0}, {0, 0}, {2, 1}, {1, 1}};
  std::vector<float> out(6, 0), updates(6, 1);
  for (const Dims& first : strides) {
    for (const Dims& second : strides) {
      for (std::int64_t from = 0; from < 3; ++from) {
        ScatterOp op;
        op.where.points = {3, 2};
        op.where.axes = {{Axis::column, 0}, {Axis::column, 1}};
        op.where.columns = {ConstTensorRef(indices.data(), Dtype::int64, {3, 2}, first),
                            ConstTensorRef(indices.data() + from, Dtype::int64, {3, 2}, second)};
        op.out = tensor(out, {2, 3});
        op.updates = tensor(updates, {3, 2});
        Dims position;
        std::int64_t count = 0, value = 0;
        int axis = 0;
        for (std::int64_t i = 0; i < 3; ++i) {
          for (std::int64_t j = 0; j < 2; ++j) {
            const std::int64_t read[] = {indices[static_cast<std::size_t>(i * first[0] + j * first[1])],
                                         indices[static_cast<std::size_t>(from + i * second[0] + j * second[1])]};
            for (int column = 0; column < 2; ++column) {
              if (read[column] < 2 + column || count++ > 0) continue;
              position = {i, j};
              value = read[column];
              axis = column;
            }
          }
        }
        try {
          run(op);
          EXPECT_EQ(count, 0);
        } catch (const Error& error) {
          ASSERT_TRUE(error.bad_index());
          EXPECT_EQ(error.bad_index()->position, position);
          EXPECT_EQ(error.bad_index()->value, value);
          EXPECT_EQ(error.bad_index()->axis, axis);
          EXPECT_EQ(error.bad_index()->count, count);
        }
      }
    }
  }
}

// Points 2^40 times over whose rows have no elements: only their indices are read.
ScatterOp without_rows(const std::int64_t* index) {
  ScatterOp op;
  op.where.points = {many};
  op.where.row = {0};
  op.where.axes = {{Axis::column, 0}, {Axis::column, 1}, {Axis::row, 0}};
  op.where.columns = {ConstTensorRef(index, Dtype::int64, {many}, {0}), ConstTensorRef(index + 1, Dtype::int64, {many}, {0})};
  op.out = TensorRef(nullptr, Dtype::float32, {2, 2, 0});
  op.updates = ConstTensorRef(nullptr, Dtype::float32, {many, 0});
  return op;
}
TEST_F(Repeats, TuplesAreCheckedOnce) {
  const std::int64_t good[] = {1, 0}, bad[] = {1, 2};
  for (const Fold& fold : {Fold{}, Fold{.step = Reduction::add, .finish = FoldFinish::mean}}) {
    ScatterOp op = without_rows(good);
    op.fold = fold;
    EXPECT_EQ(text_of([&] { run(op); }), "no error");
    EXPECT_EQ(text_of([&] { static_cast<void>(explain(op)); }), "no error");
    EXPECT_EQ(text_of([&] { plan(op).apply(op); }), "no error");
    op = without_rows(bad);
    op.fold = fold;
    EXPECT_EQ(text_of([&] { run(op); }),
              "index: scatter: index 2 is out of bounds for axis 1 with size 2 (indices[0] = 2 for axis 1 of size 2, valid: 0..1; "
              "1099511627775 more)");
  }
}

TEST_F(Repeats, MasksOfNothing) {
  const TensorRef nothing(nullptr, Dtype::float32, {many, 0});
  const bool yes = true;
  const ConstTensorRef mask(&yes, Dtype::bool_, {many}, {0});
  const numpy::Index index[] = {mask};
  const double update = 1;
  EXPECT_EQ(text_of([&] { numpy::add_at(nothing, index, ConstTensorRef(&update, Dtype::float64, {many, 1}, {0, 0})); }), "no error");
  EXPECT_EQ(text_of([&] {
              numpy::add_at(nothing, index, ConstTensorRef(&update, Dtype::float64, {3, 1}, {0, 0}));
            }),
            "shape: numpy.add_at: array is not broadcastable to correct shape: b has shape (3,1), a[indices] has (1099511627776,0)");
  float one = 1;
  const TensorRef repeated(&one, Dtype::float32, {many}, {0});
  EXPECT_TRUE(text_of([&] { numpy::add_at(repeated, index, 1.0); }).starts_with("overlap: numpy.add_at: "));
  EXPECT_EQ(one, 1);
}

// What is gathered from may share memory with the output, so it is copied: the four elements, not their repeats.
TEST_F(Repeats, CopiesOfInputsHaveNoRepeats) {
  std::vector<float> memory(8);
  std::iota(memory.begin(), memory.end(), 0.0f);
  const std::vector<std::int64_t> index{3, 2, 1, 0};
  pytorch::gather_into(TensorRef(memory.data(), Dtype::float32, {1, 4}, {8, 2}),
                       ConstTensorRef(memory.data(), Dtype::float32, {many, 4}, {0, 1}), 0, tensor(index, {1, 4}));
  EXPECT_EQ(memory, (std::vector<float>{0, 1, 1, 3, 2, 5, 3, 7}));
}

}  // namespace
}  // namespace strew::harness
