// Ops that are built directly: malformed ones are rejected and never crash, and each policy works as documented.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/view.h"
#include "errors/text_of.h"
#include "harness/choices.h"
#include "harness/memory.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace strew::harness {
using namespace internal;
namespace {

// out[index[i]] = step(out[index[i]], updates[i]) on vectors, which must outlive the op.
template <class T, class I>
ScatterOp vector_op(std::vector<T>& out, const std::vector<I>& index, const std::vector<T>& updates, const Fold& fold = {}) {
  ScatterOp op;
  op.where.points = {static_cast<std::int64_t>(index.size())};
  op.where.axes = {{Axis::column, 0}};
  op.where.columns.push_back(tensor(index));
  op.out = tensor(out);
  op.updates = tensor(updates);
  op.fold = fold;
  return op;
}

std::string message_of(const ScatterOp& op, const RunOptions& options = {}) {
  try {
    run(op, options);
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

using IndexTypes =
    testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
template <class I>
class Indices : public testing::Test {};
TYPED_TEST_SUITE(Indices, IndexTypes, );

TYPED_TEST(Indices, AddressTheirPlaces) {
  using I = TypeParam;
  std::vector<float> out(5, 0);
  run(vector_op<float, I>(out, {I{4}, I{0}, I{2}, I{0}}, {1, 2, 3, 4}, {.step = Reduction::add}));
  EXPECT_EQ(out, (std::vector<float>{6, 0, 3, 0, 1}));
}

TYPED_TEST(Indices, OutsideAreRefused) {
  using I = TypeParam;
  for (const I bad : {I{5}, std::numeric_limits<I>::max(), std::numeric_limits<I>::lowest(), static_cast<I>(-1)}) {
    if (bad == 0) continue;  // the lowest unsigned number is in range
    std::vector<float> out{1, 2, 3, 4, 5};
    EXPECT_TRUE(message_of(vector_op<float, I>(out, {I{0}, bad}, {9, 9})).starts_with("index: ")) << +bad;
    EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4, 5}));
  }
}

TYPED_TEST(Indices, NegativeOnesWrapIfAsked) {
  using I = TypeParam;
  std::vector<float> out(3, 0);
  const std::vector<I> index{static_cast<I>(-1), static_cast<I>(-3)};
  const std::vector<float> updates{1, 2};
  ScatterOp op = vector_op(out, index, updates);
  op.where.negative = Negative::wrap;
  if (std::is_unsigned_v<I>) {
    EXPECT_TRUE(message_of(op).starts_with("index: "));
    EXPECT_EQ(out, (std::vector<float>{0, 0, 0}));
  } else {
    run(op);
    EXPECT_EQ(out, (std::vector<float>{2, 0, 1}));
  }
}

TYPED_TEST(Indices, SkipAndClamp) {
  using I = TypeParam;
  const std::vector<I> index{I{1}, I{7}, std::numeric_limits<I>::max(), I{0}, std::numeric_limits<I>::lowest()};
  const std::vector<float> updates{1, 2, 3, 4, 5};
  std::vector<float> skipped(3, 0), clamped(3, 0);
  ScatterOp op = vector_op<float, I>(skipped, index, updates);
  op.where.out_of_range = OutOfRange::skip;
  run(op);
  EXPECT_EQ(skipped, (std::vector<float>{std::is_signed_v<I> ? 4.0f : 5.0f, 1, 0}));
  op = vector_op<float, I>(clamped, index, updates);
  op.where.out_of_range = OutOfRange::clamp;
  run(op);
  EXPECT_EQ(clamped, (std::vector<float>{5, 1, 3}));
}

TEST(Policies, ClampAfterWrapping) {
  std::vector<float> out(3, 0);
  const std::vector<std::int64_t> index{-1, -4, 100, INT64_MIN};
  const std::vector<float> updates{1, 2, 3, 4};
  ScatterOp op = vector_op(out, index, updates);
  op.where.negative = Negative::wrap;
  op.where.out_of_range = OutOfRange::clamp;
  run(op);
  EXPECT_EQ(out, (std::vector<float>{4, 0, 3}));
}

TEST(Policies, AnEmptyAxisCannotClamp) {
  std::vector<float> out;
  const std::vector<std::int64_t> index{0};
  const std::vector<float> updates{1};
  ScatterOp op = vector_op(out, index, updates);
  op.where.out_of_range = OutOfRange::clamp;
  EXPECT_EQ(message_of(op),
            "index: scatter: index 0 is out of bounds for axis 0 with size 0 (indices[0] = 0 for axis 0 of size 0, no index is valid)");
}

TEST(Policies, AnEmptyAxisSkipsAll) {
  std::vector<float> out;
  const std::vector<std::int64_t> index(100, 0);
  const std::vector<float> updates(100, 1);
  for (const Strategy* strategy : strategies()) {
    ScatterOp op = vector_op(out, index, updates);
    op.where.out_of_range = OutOfRange::skip;
    op.fold.step = Reduction::add;
    const std::string message = message_of(op, {.strategy = strategy->name});
    EXPECT_TRUE(message == "no error" || message.find("declined") != std::string::npos) << strategy->name << ": " << message;
  }
}

TEST(Policies, SkippedPointsReadZero) {
  const std::vector<float> from{1, 2, 3};
  const std::vector<std::int32_t> index{2, 9, 0};
  std::vector<float> out(3, 7);
  GatherOp op;
  op.where.points = {3};
  op.where.axes = {{Axis::column, 0}};
  op.where.columns.push_back(tensor(index));
  op.where.out_of_range = OutOfRange::skip;
  op.from = tensor(from);
  op.out = tensor(out);
  run(op);
  EXPECT_EQ(out, (std::vector<float>{3, 0, 1}));
}

// Bytes other than 0 count as true, and become 1.
TEST(Bools, NeedNotBeZeroOrOne) {
  std::array<std::uint8_t, 3> out{2, 0, 0};
  const std::array<std::uint8_t, 2> updates{0xff, 4};
  const std::vector<std::int64_t> index{1, 0};
  ScatterOp op;
  op.where.points = {2};
  op.where.axes = {{Axis::column, 0}};
  op.where.columns.push_back(tensor(index));
  op.out = TensorRef(out.data(), Dtype::bool_, {3});
  op.updates = ConstTensorRef(updates.data(), Dtype::bool_, {2});
  op.fold.step = Reduction::mul;
  run(op);
  EXPECT_EQ(out, (std::array<std::uint8_t, 3>{1, 0, 0}));
  op.fold.step = Reduction::add;
  run(op);
  EXPECT_EQ(out, (std::array<std::uint8_t, 3>{1, 1, 0}));
}

TEST(Rank, UpToTheLimit) {
  for (const std::size_t rank : {std::size_t{9}, std::size_t{33}, max_rank}) {
    // One axis of size 3 at each end, ones between; tuples that name all axes.
    Dims shape(rank, 1);
    shape[0] = shape[rank - 1] = 3;
    Tensor out = Tensor::zeros(Dtype::float32, shape);
    std::vector<std::int64_t> indices(2 * rank, 0);
    indices[0] = 2;
    indices[2 * rank - 1] = 1;
    const std::vector<float> updates{5, 6};
    ScatterOp op;
    op.where.points = {2};
    for (std::size_t d = 0; d < rank; ++d) {
      op.where.axes.push_back({Axis::column, static_cast<std::uint8_t>(d)});
      op.where.columns.push_back({indices.data() + d, Dtype::int64, {2}, {static_cast<std::int64_t>(rank)}});
    }
    op.out = out;
    op.updates = tensor(updates);
    run(op);
    EXPECT_EQ(out.values<float>()[6], 5) << rank;
    EXPECT_EQ(out.values<float>()[1], 6) << rank;
  }
}

TEST(Rank, BeyondTheLimitIsRefused) {
  float value = 0;
  ScatterOp op;
  op.out = TensorRef(&value, Dtype::float32, Dims(65, 1));
  op.updates = ConstTensorRef(&value, Dtype::float32, {});
  op.where.axes = SmallVector<Axis, 8>(65, Axis{Axis::row, 0});
  EXPECT_TRUE(message_of(op).starts_with("shape: ")) << message_of(op);
}

TEST(Explain, SaysHowItRuns) {
  std::vector<float> out(10, 0), updates(4, 0);
  const std::vector<std::int64_t> index{1, 2, 3, 4};
  ScatterOp op = vector_op(out, index, updates, {.step = Reduction::add});
  const std::string text = explain(op);
  EXPECT_TRUE(text.starts_with("scatter on float32 [10]\n  points: 4 as [4], rows of 1 as [], 1 index column\n")) << text;
  EXPECT_NE(text.find("  strategy: "), std::string::npos) << text;
  EXPECT_NE(text.find("  indices: validated in one pass before the first write"), std::string::npos) << text;
  op.fold.finish = FoldFinish::mean;
  EXPECT_NE(explain(op).find("an accumulator per element and a count per row"), std::string::npos) << explain(op);
}

TEST(Explain, SaysWhatItTakesFromTheHeap) {
  const auto heap_of = [](const ScatterOp& op, const RunOptions& options) {
    const std::string text = explain(op, options);
    return text.substr(text.rfind("  scratch: "));
  };
  std::vector<float> out(1000, 0), updates(8000, 0);
  const std::vector<std::int64_t> index(8000, 1);
  ScatterOp op = vector_op(out, index, updates, {.step = Reduction::add});
  EXPECT_EQ(heap_of(op, {.threads = 1, .strategy = "serial"}), "  scratch: 8000 bytes for the draft\n");
  EXPECT_EQ(heap_of(op, {.threads = 1, .strategy = "sorted"}), "  scratch: none on the heap\n");
  op.fold.finish = FoldFinish::mean;
  EXPECT_EQ(heap_of(op, {.threads = 1, .strategy = "serial"}),
            "  scratch: 8000 bytes for an accumulator per element and a count per row\n");
}

TEST(Explain, DoesNotRun) {
  std::vector<float> out{1, 2};
  EXPECT_NE(explain(vector_op<float, std::int64_t>(out, {0}, {9})), "");
  EXPECT_EQ(out, (std::vector<float>{1, 2}));
}

TEST(Explain, ThrowsWhatTheRunWouldThrow) {
  std::vector<float> out{1, 2};
  const std::vector<float> updates{9};
  const std::vector<std::int64_t> bad{99};
  const ScatterOp scatter = vector_op(out, bad, updates);
  EXPECT_EQ(text_of([&] { static_cast<void>(explain(scatter)); }), message_of(scatter));
  EXPECT_TRUE(message_of(scatter).starts_with("index: scatter: index 99 is out of bounds")) << message_of(scatter);
  const std::vector<std::int64_t> good{0};
  ScatterOp shared = vector_op(out, good, updates);
  shared.updates = ConstTensorRef(out.data(), Dtype::float32, {1});
  EXPECT_EQ(text_of([&] { static_cast<void>(explain(shared)); }), message_of(shared));
  EXPECT_TRUE(message_of(shared).starts_with("overlap: ")) << message_of(shared);
  shared.out.data = nullptr;  // into a new tensor
  EXPECT_EQ(text_of([&] { static_cast<void>(explain(shared)); }), "no error");
  std::vector<float> gathered{0};
  const GatherOp gather{.where = scatter.where, .from = tensor(out), .out = tensor(gathered)};
  EXPECT_EQ(text_of([&] { static_cast<void>(explain(gather)); }), text_of([&] { run(gather); }));
  EXPECT_TRUE(text_of([&] { run(gather); }).starts_with("index: ")) << text_of([&] { run(gather); });
}

TEST(Options, AnUnknownStrategyIsRefused) {
  std::vector<float> out{1, 2};
  try {
    run(vector_op<float, std::int64_t>(out, {0}, {9}), {.strategy = "bogus"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
    EXPECT_TRUE(std::string_view(error.what()).starts_with("scatter: there is no strategy \"bogus\"; there are ")) << error.what();
    EXPECT_TRUE(std::string_view(error.what()).ends_with("elements, serial")) << error.what();
  }
  EXPECT_EQ(out, (std::vector<float>{1, 2}));
}

// All parts of an op may be invalid at once; memory is guarded, for the sanitizers.
class Malformed {
 public:
  explicit Malformed(Choices& choices) : choices_(choices), memory_(zeros(Dtype::uint8, bytes)) {}

  ConstTensorRef view(Dtype dtype) {
    ConstTensorRef v;
    v.dtype = dtype;
    v.shape = dims(0, 4);
    v.strides = choices_.chance(70) ? dense_strides(v.shape) : strides(v.shape);
    if (choices_.chance(5)) v.strides = dims(-3, 3);
    v.data = choices_.chance(4) ? nullptr : memory_.data();
    // A well-formed view must be within its memory: the library cannot check that.
    if (v.strides.size() == v.shape.size()) settle(v);
    return v;
  }
  Addressing addressing() {
    Addressing where;
    where.points = choices_.chance(90) ? dims(0, 4) : dims(-2, 4);
    where.row = dims(0, 3);
    const std::uint64_t columns = choices_.below(3);
    const bool fits = choices_.chance(60);
    if (fits) where.axes = fitting_axes(where, columns);
    const std::uint64_t axes = fits ? 0 : choices_.below(5);
    for (std::uint64_t a = 0; a < axes; ++a) {
      const auto from = static_cast<Axis::From>(choices_.below(3));
      where.axes.push_back({from, static_cast<std::uint8_t>(choices_.chance(95) ? choices_.below(3) : choices_.below(256))});
    }
    for (std::uint64_t c = 0; c < columns; ++c) {
      ConstTensorRef column = view(choices_.chance(90) ? Dtype::int64 : pick_dtype());
      if (choices_.chance(85)) {
        column.shape = where.points;
        column.strides = dense_strides(where.points);
        settle(column);
      }
      where.columns.push_back(column);
    }
    where.negative = static_cast<Negative>(choices_.below(2));
    where.out_of_range = static_cast<OutOfRange>(choices_.below(3));
    return where;
  }
  // Every column and every dimension of the row once, and some of the points, in any order.
  SmallVector<Axis, 8> fitting_axes(const Addressing& where, std::uint64_t columns) {
    SmallVector<Axis, 8> axes;
    for (std::uint64_t c = 0; c < columns; ++c) axes.push_back({Axis::column, static_cast<std::uint8_t>(c)});
    for (std::size_t r = 0; r < where.row.size(); ++r) axes.push_back({Axis::row, static_cast<std::uint8_t>(r)});
    for (std::size_t p = 0; p < where.points.size(); ++p) {
      if (choices_.chance(40)) axes.push_back({Axis::point, static_cast<std::uint8_t>(p)});
    }
    for (std::size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[choices_.below(i)]);
    return axes;
  }
  Dtype pick_dtype() { return dtypes[choices_.below(15)].dtype; }
  Dims fitting_out(const Addressing& where) {
    Dims shape;
    for (const Axis& axis : where.axes) {
      const Dims& from = axis.from == Axis::point ? where.points : where.row;
      shape.push_back(axis.from != Axis::column && axis.at < from.size()
                          ? std::min<std::int64_t>(from[axis.at], INT64_MAX - 1) + choices_.between(0, 1)
                          : choices_.between(0, 3));
    }
    return shape;
  }
  // Moves a view so that all its elements are within the memory; a view that is too large gets a null pointer.
  void settle(ConstTensorRef& v) {
    double reached = 1;
    for (std::size_t d = 0; d < v.shape.size(); ++d)
      reached += (std::abs(static_cast<double>(v.shape[d])) + 1) * std::abs(static_cast<double>(v.strides[d]));
    const std::int64_t size = size_of(v.dtype);
    if (reached * static_cast<double>(size) > static_cast<double>(bytes)) v.data = nullptr;
    if (v.data == nullptr) return;
    std::int64_t low = 0, high = 0;
    for (std::size_t d = 0; d < v.shape.size(); ++d) {
      const std::int64_t reach = (v.shape[d] - 1) * v.strides[d];
      (reach < 0 ? low : high) += reach;
    }
    const std::int64_t room = bytes - (high - low + 1) * size;
    v.data = static_cast<const std::byte*>(memory_.data()) + choices_.between(0, std::max<std::int64_t>(room, 0)) - low * size;
  }
  // Mostly zeros, so that most indices are in range.
  void fill() {
    std::memset(memory_.data(), 0, bytes);
    auto* at = static_cast<std::uint8_t*>(memory_.data());
    for (std::uint64_t i = 0; i < 200; ++i) at[choices_.below(bytes)] = static_cast<std::uint8_t>(choices_.below(4));
  }
  Choices& choices() { return choices_; }
  [[nodiscard]] bool intact() const { return memory_.intact(); }

 private:
  static constexpr std::int64_t bytes = 32768;
  Dims dims(std::int64_t low, std::int64_t high) {
    Dims d;
    const std::uint64_t rank = choices_.below(4);
    for (std::uint64_t i = 0; i < rank; ++i)
      d.push_back(choices_.chance(1) ? choices_.between(INT64_MAX - 2, INT64_MAX) : choices_.between(low, high));
    return d;
  }
  Dims strides(const Dims& shape) {
    Dims d;
    for (std::size_t i = 0; i < shape.size(); ++i) d.push_back(choices_.chance(1) ? INT64_MIN : choices_.between(-20, 20));
    return d;
  }

  Choices& choices_;
  GuardedBuffer memory_;
};

// An op of 2^60 points that all read one number is well formed, but would not finish.
bool is_endless(const Addressing& where) {
  double steps = 1;
  for (const Dims* dims : {&where.points, &where.row}) {
    for (const std::int64_t size : *dims) steps *= static_cast<double>(size);
  }
  return steps > 1e5;
}

TEST(Malformed, NeverCrashes) {
  SeededChoices choices(11);
  int ran = 0, refused = 0;
  Malformed make(choices);
  for (int i = 0; i < 100'000; ++i) {
    make.fill();
    const bool scatters = choices.chance(60);
    const Dtype dtype = make.pick_dtype();
    Addressing where = make.addressing();
    ConstTensorRef place = make.view(dtype);
    if (choices.chance(85)) {
      place.shape = make.fitting_out(where);
      place.strides = dense_strides(place.shape);
      make.settle(place);
    }
    ConstTensorRef stream = make.view(choices.chance(90) ? dtype : make.pick_dtype());
    if (choices.chance(85)) {
      stream.shape = where.points;
      stream.shape.append(where.row);
      stream.strides = dense_strides(stream.shape);
      make.settle(stream);
    }
    try {
      if (scatters) {
        ScatterOp op;
        op.where = where;
        op.out = writable(place);
        op.updates = stream;
        const std::uint64_t base = choices.below(4);
        if (base == 0) op.base = Zeros{};
        if (base == 1) op.base = make.view(dtype);
        if (choices.chance(10)) op.scalar = Scalar{choices.chance(80) ? dtype : make.pick_dtype(), {}};
        if (choices.chance(10)) op.scale = Scalar{choices.chance(80) ? dtype : make.pick_dtype(), {}};
        op.fold = {static_cast<Reduction>(choices.below(6)), static_cast<FoldBegin>(choices.below(3)),
                   static_cast<FoldFinish>(choices.below(2)), static_cast<FoldRound>(choices.below(2)),
                   static_cast<FoldCompare>(choices.below(3))};
        const bool explained = choices.chance(50);
        validate(op);
        if (explained && !is_endless(where)) static_cast<void>(explain(op));
        if (!is_endless(where)) run(op);
      } else {
        GatherOp op;
        op.where = where;
        op.from = place;
        op.out = writable(stream);
        const bool explained = choices.chance(50);
        validate(op);
        if (explained && !is_endless(where)) static_cast<void>(explain(op));
        if (!is_endless(where)) run(op);
      }
      ++ran;
    } catch (const Error&) {
      ++refused;
    }
    ASSERT_TRUE(make.intact()) << "op " << i << " of seed 11 wrote outside";
  }
  EXPECT_GT(ran, 3'000);
  EXPECT_GT(refused, 20'000);
}

}  // namespace
}  // namespace strew::harness
