// Inputs and ops that lie about themselves: every one is an Error, and the output keeps its bytes.
#include <gtest/gtest.h>

#include <vector>

#include "strew/strew.h"

namespace strew {
namespace {

template <class Call>
ErrorCode code_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::memory;
}

// One column that names places of a vector, and a number for each.
ScatterOp vector_op(std::vector<float>& out, const std::vector<std::int64_t>& index, const std::vector<float>& updates) {
  ScatterOp op;
  op.where.points = {static_cast<std::int64_t>(index.size())};
  op.where.axes.push_back({Axis::column, 0});
  op.where.columns.push_back(tensor(index));
  op.out = tensor(out);
  op.updates = tensor(updates);
  op.fold = {.step = Reduction::add};
  return op;
}

TEST(Hostile, NegativeSizesOfIndices) {
  std::vector<float> data(3), updates(2);
  std::vector<std::int64_t> cells(4);
  const ConstTensorRef x = tensor(data), u = tensor(updates);
  for (const std::int64_t size : {std::int64_t{-1}, std::int64_t{-100000000}, INT64_MIN}) {
    for (const Dims& shape : {Dims{2, size}, Dims{0, size}, Dims{size}}) {
      const ConstTensorRef indices(cells.data(), Dtype::int64, shape, Dims(shape.size(), 1));
      EXPECT_EQ(code_of([&] { static_cast<void>(onnx::scatter_nd(x, indices, u)); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(onnx::gather_nd(x, indices)); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(paddle::scatter_nd_add(x, indices, u)); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(paddle::scatter_nd(indices, u, {3})); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(paddle::gather_nd(x, indices)); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(tensorflow::tensor_scatter_nd_add(x, indices, u)); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(tensorflow::scatter_nd(indices, u, {3})); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(tensorflow::gather_nd(x, indices)); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(directml::scatter_nd(x, indices, u)); }), ErrorCode::shape);
      EXPECT_EQ(code_of([&] { static_cast<void>(directml::gather_nd(x, indices)); }), ErrorCode::shape);
    }
  }
}

TEST(Hostile, RowsAndColumnsThatCannotBe) {
  std::vector<float> out(3), updates(1);
  ScatterOp negative = vector_op(out, {}, {});
  negative.where.columns.clear();
  negative.where.points = {};
  negative.where.axes[0] = {Axis::row, 0};
  negative.where.row = {-3};
  negative.scalar = Scalar{Dtype::float32, {}};
  EXPECT_EQ(code_of([&] { run(negative); }), ErrorCode::shape);

  ScatterOp long_row = negative;
  long_row.where.row = Dims(70, 1);
  long_row.where.axes[0].at = 69;
  EXPECT_EQ(code_of([&] { run(long_row); }), ErrorCode::shape);

  const std::vector<std::int64_t> index{0};
  ScatterOp many_columns = vector_op(out, index, updates);
  for (int i = 0; i < 70; ++i) many_columns.where.columns.push_back(tensor(index));
  many_columns.where.axes[0].at = 69;
  EXPECT_EQ(code_of([&] { run(many_columns); }), ErrorCode::shape);
  EXPECT_EQ(out, std::vector<float>(3));
}

TEST(Hostile, EnumeratorsThatDoNotExist) {
  std::vector<float> out(3), updates{1};
  const std::vector<std::int64_t> index{0};
  ScatterOp step = vector_op(out, index, updates);
  step.fold.step = static_cast<Reduction>(200);
  EXPECT_EQ(code_of([&] { run(step); }), ErrorCode::argument);
  ScatterOp dtype = vector_op(out, index, updates);
  dtype.out.dtype = dtype.updates.dtype = static_cast<Dtype>(99);
  EXPECT_EQ(code_of([&] { run(dtype); }), ErrorCode::dtype);
  ScatterOp policy = vector_op(out, index, updates);
  policy.where.out_of_range = static_cast<OutOfRange>(9);
  EXPECT_EQ(code_of([&] { run(policy); }), ErrorCode::argument);
  EXPECT_EQ(out, std::vector<float>(3));
}

TEST(Hostile, AnUnknownStrategyWritesNothing) {
  std::vector<float> out{7, 7, 7}, data{1, 2, 3}, updates{9};
  const std::vector<std::int64_t> index{1};
  const RunOptions options{.strategy = "nosuch"};
  EXPECT_EQ(code_of([&] { run(onnx::describe::scatter_elements(tensor(out), tensor(data), tensor(index), tensor(updates)), options); }),
            ErrorCode::argument);
  EXPECT_EQ(out, (std::vector<float>{7, 7, 7}));
}

// Spoils an index once all of them have been checked.
struct Spoiler {
  std::vector<std::int64_t>* index;
  static void run(void* context, std::int64_t tasks, void (*task)(void*, std::int64_t), void* work) {
    for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
    static_cast<Spoiler*>(context)->index->back() = 99'000'000;
  }
};

TEST(Hostile, AnIndexThatTurnsBadAfterTheCheckIsSaidToHaveChanged) {
  std::vector<float> out(1000000);  // too large for a draft, in which indices are checked as they are used
  std::vector<std::int64_t> index(1000000, 3);
  const std::vector<float> updates(index.size(), 1);
  Spoiler spoiler{&index};
  const Executor executor{&spoiler, &Spoiler::run};
  try {
    run(vector_op(out, index, updates), {.executor = &executor, .strategy = "elements"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::changed);
    EXPECT_STREQ(error.what(), "scatter: indices changed while the call ran, the output may hold a part of the updates");
  }
}

TEST(Hostile, AnExecutorWithoutAFunctionIsNone) {
  std::vector<float> out(4);
  const std::vector<std::int64_t> index(1000000, 3);
  const std::vector<float> updates(index.size(), 1);
  const Executor executor{};
  run(vector_op(out, index, updates), {.executor = &executor});
  EXPECT_EQ(out[3], 1000000);
}

TEST(Hostile, AFoldLeavesWhatTheRowDoesNotReach) {
  std::vector<float> out{1, 2, 3}, updates{10, 20};
  for (const FoldBegin begin : {FoldBegin::current, FoldBegin::identity, FoldBegin::first}) {
    std::vector<float> result = out;
    ScatterOp op;
    op.where.points = {};
    op.where.row = {2};
    op.where.axes.push_back({Axis::row, 0});
    op.out = tensor(result);
    op.updates = tensor(updates);
    op.fold = {.step = Reduction::add, .begin = begin, .finish = FoldFinish::mean};
    run(op);
    EXPECT_EQ(result[2], 3);
    EXPECT_EQ(result[0], begin == FoldBegin::current ? 5.5f : 10.0f);
  }
}

TEST(Hostile, ComputingWhatIsDescribedInPlaceStartsFromTheOutput) {
  std::vector<float> x{1, 2, 3}, updates{9};
  const std::vector<std::int64_t> index{1};
  const Tensor y = compute(onnx::describe::scatter_elements(tensor(x), tensor(x), tensor(index), tensor(updates)));
  EXPECT_EQ(y.values<float>()[0], 1);
  EXPECT_EQ(y.values<float>()[1], 9);
  EXPECT_EQ(x[1], 2);
}

TEST(Hostile, MoreElementsThanPlacesOverlap) {
  float cell = 0;
  const std::int64_t index = 0;
  const std::int64_t large = std::int64_t{1} << 30;
  const TensorRef out(&cell, Dtype::float32, {large, large}, {1, 1});
  const ConstTensorRef none(&index, Dtype::int64, {0, 0});
  EXPECT_EQ(code_of([&] { pytorch::scatter_(out, 0, none, 1.0); }), ErrorCode::overlap);
}

TEST(Hostile, AnEmptyIndexAtTheHighestRank) {
  std::vector<float> x{5};
  const TensorRef self(x.data(), Dtype::float32, Dims(64, 1));
  pytorch::scatter_(self, 0, {nullptr, Dtype::int64, {0}}, 1.0);
  EXPECT_EQ(x[0], 5);
}

}  // namespace
}  // namespace strew
