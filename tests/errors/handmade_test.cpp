// What a caller can make by hand from the public headers and no dialect makes: it is an Error, or it has the one right answer.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "errors/gathered_rows.h"
#include "errors/text_of.h"
#include "strew/gradient.h"
#include "strew/picture.h"
#include "strew/pieces.h"
#include "strew/places.h"
#include "strew/strew.h"

namespace strew {
namespace {

constexpr std::int64_t two_61 = std::int64_t{1} << 61;

// Neither copying nor moving an error throws, and nothing but a number is a Number.
static_assert(std::is_nothrow_copy_constructible_v<Error> && std::is_nothrow_copy_assignable_v<Error>);
static_assert(std::is_nothrow_constructible_v<Error, ErrorCode, const std::string&>);
static_assert(std::is_convertible_v<bool, Number> && std::is_convertible_v<int, Number> && std::is_convertible_v<std::uint64_t, Number>);
static_assert(std::is_convertible_v<float, Number> && std::is_convertible_v<std::complex<double>, Number>);
static_assert(!std::is_constructible_v<Number, const char*> && !std::is_constructible_v<Number, float*> &&
              !std::is_constructible_v<Number, std::nullptr_t> && !std::is_constructible_v<Number, const char (&)[4]>);
static_assert(!std::is_constructible_v<Source, const char*> && !std::is_constructible_v<Source, std::vector<float>*>);

// Rows of 4 elements of a [3, 4], named by one column of indices.
struct Rows {
  std::vector<float> out = std::vector<float>(12, 7), updates;
  std::vector<std::int64_t> index;
  ScatterOp op;

  explicit Rows(std::vector<std::int64_t> index_, std::int64_t width = 4) : index(std::move(index_)) {
    const auto points = static_cast<std::int64_t>(index.size());
    updates.assign(static_cast<std::size_t>(points * width), 1);
    op.where.points = {points};
    op.where.row = {width};
    op.where.axes = {{Axis::column, 0}, {Axis::row, 0}};
    op.where.columns.push_back(tensor(index));
    op.out = tensor(out, {3, 4});
    op.updates = tensor(updates, {points, width});
    op.fold.step = Reduction::add;
  }
  [[nodiscard]] bool unchanged() const { return out == std::vector<float>(12, 7); }
};

TEST(HandMade, EveryEnumeratorOfAnOp) {
  const auto refused = [](const char* text, auto change) {
    Rows rows({0, 2});
    change(rows.op);
    const std::string got = text_of([&] { run(rows.op); });
    EXPECT_EQ(got, text);
    EXPECT_EQ(text_of([&] { validate(rows.op); }), got);
    EXPECT_EQ(text_of([&] { static_cast<void>(compute(rows.op)); }), got);
    EXPECT_EQ(text_of([&] { static_cast<void>(explain(rows.op)); }), got);
    EXPECT_EQ(text_of([&] { static_cast<void>(plan(rows.op)); }), got);
    EXPECT_TRUE(rows.unchanged());
  };
  const char* const fold = "argument: scatter: the fold has a value that its type does not name";
  for (const int value : {6, 17, 64, 200, 255}) {
    refused(fold, [&](ScatterOp& op) { op.fold.step = static_cast<Reduction>(value); });
    refused(fold, [&](ScatterOp& op) { op.fold.begin = static_cast<FoldBegin>(value); });
    refused(fold, [&](ScatterOp& op) { op.fold.finish = static_cast<FoldFinish>(value); });
    refused(fold, [&](ScatterOp& op) { op.fold.round = static_cast<FoldRound>(value); });
    refused(fold, [&](ScatterOp& op) { op.fold.compare = static_cast<FoldCompare>(value); });
    // A number of another type asks whether the fold can step it.
    refused(fold, [&](ScatterOp& op) {
      op.scalar = Scalar{Dtype::float64, {}};
      op.fold.step = static_cast<Reduction>(value);
    });
  }
  refused("shape: scatter: axis 0 of out takes its coordinate from 3, which its type does not name",
          [](ScatterOp& op) { op.where.axes[0].from = static_cast<Axis::From>(3); });
  refused("shape: scatter: axis 1 of out takes its coordinate from 255, which its type does not name",
          [](ScatterOp& op) { op.where.axes[1].from = static_cast<Axis::From>(255); });
  refused("dtype: scatter: the number: there is no dtype 200", [](ScatterOp& op) { op.scalar = Scalar{static_cast<Dtype>(200), {}}; });
  refused("dtype: scatter: the scale: there is no dtype 16", [](ScatterOp& op) { op.scale = Scalar{static_cast<Dtype>(16), {}}; });
  refused("dtype: scatter: the number cannot be a string; a tensor of strings can", [](ScatterOp& op) {
    op.scalar = Scalar{Dtype::string, {}};
  });
  refused("dtype: scatter: updates: there is no dtype 99", [](ScatterOp& op) { op.updates.dtype = static_cast<Dtype>(99); });
  refused("dtype: scatter: indices: there is no dtype 99", [](ScatterOp& op) { op.where.columns[0].dtype = static_cast<Dtype>(99); });
  refused("dtype: scatter: input: there is no dtype 48", [](ScatterOp& op) {
    op.base = ConstTensorRef(op.out);
    std::get<ConstTensorRef>(op.base).dtype = static_cast<Dtype>(48);
  });
}

TEST(HandMade, EveryEnumeratorOfAGather) {
  GatheredRows rows;
  const GatherOp op = rows.op();
  const auto refused = [&](auto change) {
    GatherOp changed = op;
    change(changed);
    EXPECT_THROW(run(changed), Error);
    EXPECT_THROW(validate(changed), Error);
    EXPECT_THROW(static_cast<void>(compute(changed)), Error);
    EXPECT_THROW(static_cast<void>(explain(changed)), Error);
    EXPECT_EQ(rows.out, std::vector<float>(8, 7));
  };
  refused([](GatherOp& x) { x.where.axes[0].from = static_cast<Axis::From>(3); });
  refused([](GatherOp& x) { x.where.negative = static_cast<Negative>(2); });
  refused([](GatherOp& x) { x.where.out_of_range = static_cast<OutOfRange>(3); });
  refused([](GatherOp& x) { x.from.dtype = x.out.dtype = static_cast<Dtype>(16); });
  refused([](GatherOp& x) { x.where.columns[0].dtype = static_cast<Dtype>(36); });  // int64 in the lower five bits
}

TEST(HandMade, FunctionsOfEnumerators) {
  const auto no_dtype = static_cast<Dtype>(200);
  EXPECT_EQ(text_of([&] { static_cast<void>(to_string(no_dtype)); }), "dtype: there is no dtype 200");
  EXPECT_EQ(text_of([&] { static_cast<void>(size_of(no_dtype)); }), "dtype: there is no dtype 200");
  EXPECT_EQ(text_of([&] { static_cast<void>(dtype_info(no_dtype)); }), "dtype: there is no dtype 200");
  EXPECT_EQ(text_of([&] { static_cast<void>(is_integer(no_dtype)); }), "dtype: there is no dtype 200");
  EXPECT_EQ(text_of([] { static_cast<void>(to_string(static_cast<Reduction>(77))); }), "argument: there is no reduction 77");
  EXPECT_EQ(text_of([] { static_cast<void>(to_string(static_cast<ErrorCode>(77))); }), "argument: there is no error code 77");
  for (int value = 16; value < 256; ++value) EXPECT_FALSE(all_dtypes.has(static_cast<Dtype>(value))) << value;
  EXPECT_EQ(DtypeSet(static_cast<Dtype>(32)), DtypeSet());
  EXPECT_EQ(of_kind(static_cast<DtypeKind>(9)), DtypeSet());
  EXPECT_TRUE(supports({.step = Reduction::add}, Dtype::float32));
  for (int value = 16; value < 256; ++value) EXPECT_FALSE(supports({}, static_cast<Dtype>(value)));
  for (const int value : {6, 32, 255}) {
    EXPECT_FALSE(supports({.step = static_cast<Reduction>(value)}, Dtype::float32));
    EXPECT_FALSE(supports({.begin = static_cast<FoldBegin>(value)}, Dtype::float32));
    EXPECT_FALSE(supports({.finish = static_cast<FoldFinish>(value)}, Dtype::float32));
    EXPECT_FALSE(supports({.round = static_cast<FoldRound>(value)}, Dtype::float16));
    EXPECT_FALSE(supports({.compare = static_cast<FoldCompare>(value)}, Dtype::float32));
  }
  for (const int value : {16, 32, 255}) {
    const auto dtype = static_cast<Dtype>(value);
    EXPECT_THROW(Tensor(dtype, {2}), Error);
    EXPECT_THROW(static_cast<void>(Tensor::zeros(dtype, {2})), Error);
    EXPECT_THROW(static_cast<void>(Tensor::copy_of({&value, dtype, {1}})), Error);
  }
}

TEST(HandMade, EnumeratorsOfDirectML) {
  std::vector<float> input(16, 7), updates(1);
  const std::vector<std::int64_t> index(1);
  for (const int value : {1, 3, 200}) {
    const directml::AxisAttrs attrs{.axis = 0, .options = {.out_of_range = static_cast<OutOfRange>(value)}};
    EXPECT_THROW(static_cast<void>(directml::scatter(tensor(input), tensor(index), tensor(updates), attrs)), Error);
  }
  for (const int level : {0, 0x3001, 0x7000, -1}) {
    const directml::AxisAttrs attrs{.axis = 0, .options = {.feature_level = static_cast<directml::DML_FEATURE_LEVEL>(level)}};
    EXPECT_THROW(static_cast<void>(directml::scatter(tensor(input), tensor(index), tensor(updates), attrs)), Error);
  }
}

TEST(HandMade, NumbersOfAPlan) {
  Rows rows({0, 2});
  const Plan p = plan(rows.op);
  EXPECT_EQ(text_of([&] {
              p.apply(Scalar{static_cast<Dtype>(200), {}}, rows.op.out);
            }),
            "dtype: scatter: the number: there is no dtype 200");
  EXPECT_EQ(text_of([&] {
              p.apply(Scalar{Dtype::string, {}}, rows.op.out);
            }),
            "dtype: scatter: the number cannot be a string; a tensor of strings can");
  EXPECT_TRUE(rows.unchanged());

  // A plan of strings takes no number either: its bytes are no string.
  std::vector<std::string> out{"a", "b"}, updates{"x"};
  const std::vector<std::int64_t> index{1};
  ScatterOp op;
  op.where.points = {1};
  op.where.axes = {{Axis::column, 0}};
  op.where.columns.push_back(tensor(index));
  op.out = tensor(out);
  op.updates = tensor(updates);
  const Plan strings = plan(op);
  EXPECT_THROW(strings.apply(Scalar{Dtype::string, {}}, tensor(out)), Error);
  op.scalar = Scalar{Dtype::string, {}};
  EXPECT_THROW(run(op), Error);
  EXPECT_THROW(strings.apply(op), Error);
  EXPECT_EQ(out, (std::vector<std::string>{"a", "b"}));
}

TEST(HandMade, APlanThatWasMovedFromIsStillOne) {
  Rows rows({0, 2});
  Plan p = plan(rows.op);
  const Plan other = std::move(p);
  p.apply(rows.op.updates, rows.op.out);  // NOLINT(bugprone-use-after-move): that is the question
  other.apply(rows.op.updates, rows.op.out);
  EXPECT_EQ(rows.out[0], 9);
}

TEST(HandMade, ATensorThatWasMovedFromHasNoElements) {
  Tensor a({1.0f, 2.0f}, {2});
  const Tensor b = std::move(a);
  EXPECT_EQ(a.size(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(a.values<float>().empty());
  EXPECT_EQ(a.clone().size(), 0);
  EXPECT_EQ(b.values<float>()[1], 2);
}

// A bad index of rows without elements is reported, however many there are and whatever runs.
TEST(HandMade, RowsWithoutElementsReportTheirIndices) {
  for (const std::int64_t points : {1, 2, 511, 513, 4095, 4096, 4097, 20000, 300000}) {
    std::vector<std::int64_t> index(static_cast<std::size_t>(points), 1);
    index[static_cast<std::size_t>(points / 2)] = 3;
    Rows rows(index, 0);
    const std::string text = points == 1 ? "" : text_of([&] { run(rows.op); });
    for (const FoldFinish finish : {FoldFinish::keep, FoldFinish::mean}) {
      for (const FoldBegin begin : {FoldBegin::current, FoldBegin::identity, FoldBegin::first}) {
        rows.op.fold = {.step = Reduction::add, .begin = begin, .finish = finish};
        for (const int base : {0, 1, 2}) {
          const std::vector<float> input(12, 7);
          if (base == 0) rows.op.base = InPlace{};
          if (base == 1) rows.op.base = Zeros{};
          if (base == 2) rows.op.base = tensor(input, {3, 4});
          for (const char* strategy : {"", "serial", "elements"}) {
            EXPECT_NE(text_of([&] { run(rows.op, {.strategy = strategy}); }), "") << points << strategy;
          }
          EXPECT_NE(text_of([&] { run(rows.op); }).find("index 3 is out of bounds for axis 0 with size 3"), std::string::npos) << points;
          EXPECT_THROW(static_cast<void>(compute(rows.op)), Error);
          EXPECT_THROW(static_cast<void>(plan(rows.op)), Error);
          EXPECT_TRUE(rows.unchanged());
        }
      }
    }
    GatherOp gather;
    gather.where = rows.op.where;
    gather.from = rows.op.out;
    gather.out = TensorRef(nullptr, Dtype::float32, {points, 0});
    EXPECT_THROW(run(gather), Error);
    EXPECT_THROW(static_cast<void>(compute(gather)), Error);
  }
}

// No output, no points or no rows: nothing is read, whatever the fold.
TEST(HandMade, FoldsOfNoElements) {
  const std::vector<std::int64_t> index(5);
  for (const Dims& shape : {Dims{4, 0}, Dims{0, 4}, Dims{0, 0}}) {
    for (const FoldBegin begin : {FoldBegin::current, FoldBegin::identity, FoldBegin::first}) {
      for (const FoldFinish finish : {FoldFinish::keep, FoldFinish::mean}) {
        ScatterOp op;
        op.where.points = {5, 0};
        op.where.axes = {{Axis::column, 0}, {Axis::point, 1}};
        op.where.columns.push_back(ConstTensorRef(nullptr, Dtype::int64, {5, 0}));
        op.out = TensorRef(nullptr, Dtype::float32, shape);
        op.updates = ConstTensorRef(nullptr, Dtype::float32, {5, 0});
        op.fold = {.step = Reduction::add, .begin = begin, .finish = finish};
        run(op);
        EXPECT_EQ(compute(op).size(), 0);
        plan(op).apply(op.updates, op.out);
        // Every point is left out.
        op.where.points = {5};
        op.where.axes = {{Axis::column, 0}, {Axis::column, 1}};
        op.where.columns = {tensor(index), tensor(index)};
        op.where.out_of_range = OutOfRange::skip;
        const std::vector<float> updates(5);
        op.updates = tensor(updates);
        run(op);
        EXPECT_EQ(compute(op).size(), 0);
        plan(op).apply(op.updates, op.out);
      }
    }
  }
  // More rows than any memory could hold accumulators for.
  ScatterOp op;
  op.where.points = {3, 0};
  op.where.axes = {{Axis::column, 0}, {Axis::point, 1}};
  op.where.columns.push_back(ConstTensorRef(nullptr, Dtype::int64, {3, 0}));
  op.out = TensorRef(nullptr, Dtype::float32, {two_61 / 4, 0});
  op.updates = ConstTensorRef(nullptr, Dtype::float32, {3, 0});
  op.fold = {.step = Reduction::add, .finish = FoldFinish::mean};
  run(op);
}

TEST(HandMade, CopiesOfViewsThatCannotBe) {
  EXPECT_EQ(text_of([] {
              static_cast<void>(Tensor::copy_of({nullptr, Dtype::float32, {2}}));
            }),
            "shape: tensor: view: data is null, but shape [2] has elements");
  alignas(std::string) std::array<std::byte, 3 * sizeof(std::string)> memory{};
  EXPECT_EQ(text_of([&] {
              static_cast<void>(Tensor::copy_of({memory.data() + 1, Dtype::string, {1}}));
            }),
            "shape: tensor: view: strings must be aligned to 8 bytes");
  ConstTensorRef ragged(memory.data(), Dtype::int8, {2, 2});
  ragged.strides = {1};
  EXPECT_THROW(static_cast<void>(Tensor::copy_of(ragged)), Error);
  ConstTensorRef far(memory.data(), Dtype::int8, {2});
  far.strides = {INT64_MIN};
  EXPECT_THROW(static_cast<void>(Tensor::copy_of(far)), Error);
  ConstTensorRef high(reinterpret_cast<const void*>(UINTPTR_MAX - 7), Dtype::float64, {4});
  EXPECT_EQ(text_of([&] { static_cast<void>(Tensor::copy_of(high)); }),
            "shape: tensor: view: strides [1] of shape [4] would leave the address space");
  EXPECT_EQ(Tensor::copy_of({nullptr, Dtype::string, {0, 3}}).size(), 0);
}

TEST(HandMade, VectorsOfThemselves) {
  Dims dims{1, 2, 3, 4, 5};
  dims.append(dims);
  EXPECT_EQ(dims, (Dims{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}));
  for (int i = 0; i < 3; ++i) dims.append(dims);
  EXPECT_EQ(dims.size(), 80u);
  EXPECT_EQ(dims[79], 5);
  dims.append(std::span(dims.data() + 1, 70));
  EXPECT_EQ(dims.size(), 150u);
  EXPECT_EQ(dims[80], 2);
  dims = {1, 2, 3};
  dims.assign(20, dims[2]);
  EXPECT_EQ(dims, Dims(20, 3));
  dims.assign(3, dims.back());
  EXPECT_EQ(dims, Dims(3, 3));
  Dims& same = dims;
  dims = same;
  dims = std::move(same);
  EXPECT_EQ(dims, Dims(3, 3));
  while (dims.size() < 100) dims.push_back(dims[0]);
  dims.resize(200, dims[5]);
  EXPECT_EQ(dims, Dims(200, 3));
  SmallVector<std::string, 2> texts{std::string(40, 'a'), std::string(40, 'b')};
  texts.emplace_back(texts[1]);
  EXPECT_EQ(texts[2], std::string(40, 'b'));
  texts.append(texts);
  texts.assign(9, texts[0]);
  EXPECT_EQ(texts[8], std::string(40, 'a'));
}

TEST(HandMade, VectorsThatNoMemoryHolds) {
  for (const std::size_t count : {std::size_t{1} << 32, std::size_t{1} << 61, SIZE_MAX}) {
    Dims dims{1, 2};
    EXPECT_EQ(text_of([&] { Dims much(count, 0); }), "memory: not enough memory");
    EXPECT_EQ(text_of([&] { dims.reserve(count); }), "memory: not enough memory");
    EXPECT_EQ(text_of([&] { dims.resize(count); }), "memory: not enough memory");
    EXPECT_EQ(text_of([&] { dims.extend(count); }), "memory: not enough memory");
    EXPECT_EQ(dims, (Dims{1, 2}));
  }
}

// Names are text from anywhere.
TEST(HandMade, NamesThatAreNull) {
  Rows rows({0, 5});
  rows.op.name = OpNames(nullptr, nullptr, nullptr);
  rows.op.where.words = {nullptr, nullptr};
  EXPECT_THROW(run(rows.op), Error);
  EXPECT_THROW(static_cast<void>(plan(rows.op)), Error);
  rows.index[1] = 2;
  EXPECT_NE(plan(rows.op).describe(), "");
  EXPECT_NE(explain(rows.op), "");
  EXPECT_NE(picture(rows.op), "");
  Pieces pieces(rows.op);
  pieces.step(rows.op);
  pieces.finish();
  EXPECT_EQ(places(rows.op).size(), 2);
  const Tensor cotangent = Tensor::copy_of(rows.op.out);
  EXPECT_TRUE(vjp(rows.op, cotangent).updates);
  EXPECT_TRUE(plan(rows.op).gradient(rows.op, cotangent).updates);
  EXPECT_TRUE(vjp_jvp(rows.op, cotangent, {}, {}).updates);
  EXPECT_EQ(jvp(rows.op, {}).size(), 12);
  EXPECT_NE(picture_of_gradient(rows.op, cotangent), "");
  EXPECT_EQ(text_of([&] { static_cast<void>(winners(rows.op)); }),
            "argument: (null): only an assignment has winners; add combines all updates");
  rows.op.fold.step = Reduction::assign;
  EXPECT_EQ(winners(rows.op).size(), 2);
  Tensor to(Dtype::float32, {2, 4});
  GatherOp read;
  read.name = OpNames(nullptr, nullptr);
  read.where = rows.op.where;
  read.from = rows.op.out;
  read.out = to;
  run(read);
  EXPECT_EQ(places(read).size(), 2);
  EXPECT_NE(picture(read), "");
  EXPECT_EQ(vjp(read, to).size(), 12);
  rows.op.updates.data = nullptr;
  EXPECT_THROW(run(rows.op), Error);
  EXPECT_THROW(Pieces(rows.op).step(rows.op), Error);
}

// Names and sentences of a megabyte: the time is linear, and texts of a few lines stay short.
TEST(HandMade, NamesThatAreLong) {
  const std::string name(1 << 20, 'n');
  std::string sentence;
  for (int i = 0; i < 200'000; ++i) sentence += "{value}{shape}{tuple}{odd";
  Rows rows({0, 2});
  rows.op.name = OpNames(name.c_str(), name.c_str(), name.c_str());
  rows.op.where.words = {"index", sentence.c_str()};
  EXPECT_LT(explain(rows.op).size(), 3000U);
  EXPECT_LT(plan(rows.op).describe().size(), 3000U);
  EXPECT_LT(picture(rows.op).size(), 100'000U);
  rows.index[1] = 9;
  try {
    run(rows.op);
    ADD_FAILURE() << "index 9 is out of bounds";
  } catch (const Error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 1000U);
  }
  rows.op.name = "short";
  rows.op.where.words.sentence = "{value}{odd {low}{{high}{";
  EXPECT_EQ(text_of([&] { run(rows.op); }).substr(0, 40), "index: short: 9{odd 0{2{ (index[1] = 9 f");
}

// NumPy sees a mask without dimensions in a bool: a[True] is a with a new axis of size 1, a[False] one of size 0.
TEST(HandMade, ABoolBetweenTheBracketsIsAMask) {
  std::vector<float> a{1, 2, 3};
  numpy::add_at(tensor(a), {true}, 1.0);
  EXPECT_EQ(a, (std::vector<float>{2, 3, 4}));
  numpy::add_at(tensor(a), {false}, 1.0);
  EXPECT_EQ(a, (std::vector<float>{2, 3, 4}));
  const std::vector<std::int64_t> index{0, 2};
  numpy::add_at(tensor(a), {true, tensor(index)}, 1.0);
  EXPECT_EQ(a, (std::vector<float>{3, 3, 5}));
  numpy::add_at(tensor(a), {false, std::int64_t{1}}, 1.0);
  EXPECT_EQ(a, (std::vector<float>{3, 3, 5}));
  EXPECT_EQ(numpy::describe::add_at(tensor(a), {true}, 1.0).where.points, Dims{1});
  EXPECT_EQ(numpy::describe::add_at(tensor(a), {false}, 1.0).where.points, Dims{0});
  numpy::add_at(tensor(a), {1}, 1.0);
  EXPECT_EQ(a, (std::vector<float>{3, 4, 5}));
}

TEST(HandMade, SizesThatOverflow) {
  float cell = 7;
  std::int64_t index = 0;
  const std::int8_t good = 0;
  // An output that could only be seen to overlap itself element by element.
  ScatterOp overlap;
  overlap.where.axes = {{Axis::column, 0}, {Axis::column, 1}};
  overlap.where.columns = {ConstTensorRef(&index, Dtype::int64, {}), ConstTensorRef(&index, Dtype::int64, {})};
  overlap.out = TensorRef(&cell, Dtype::int8, {two_61, 2}, {2, two_61 + 1});
  overlap.scalar = Scalar{Dtype::int8, {}};
  EXPECT_NE(text_of([&] { run(overlap); }), "");

  // Rows whose bytes, or whose bytes on several threads, are more than 63 bits count.
  for (const char* layout : {"", "in_order", "grouped", "buckets"}) {
    for (const Reduction step : {Reduction::assign, Reduction::add}) {
      ScatterOp op;
      op.where.points = {3};
      op.where.row = {two_61};
      op.where.axes = {{Axis::column, 0}, {Axis::row, 0}};
      op.where.columns.push_back(ConstTensorRef(&index, Dtype::int64, {3}, {0}));
      op.out = TensorRef(nullptr, Dtype::int8, {2, two_61}, {0, 1});
      op.updates = ConstTensorRef(&cell, Dtype::int8, {3, two_61}, {0, 0});
      op.fold.step = step;
      try {
        EXPECT_GT(plan(op, {.threads = 8, .strategy = layout}).nbytes(), -1);
      } catch (const Error&) {  // a layout may decline
      }
      op.fold.finish = FoldFinish::mean;
      try {
        EXPECT_GT(plan(op, {.threads = 8, .strategy = layout}).nbytes(), -1);
      } catch (const Error&) {
      }
    }
  }
  // Rows that fit as elements of the output, and not as the number that is stepped or as its accumulators.
  const std::int64_t row = std::int64_t{1} << 60;
  for (const char* layout : {"", "in_order", "grouped", "buckets"}) {
    for (const bool is_wide : {false, true}) {
      ScatterOp op;
      op.where.points = {3};
      op.where.row = {row};
      op.where.axes = {{Axis::column, 0}, {Axis::row, 0}};
      op.where.columns.push_back(ConstTensorRef(&index, Dtype::int64, {3}, {0}));
      op.out = TensorRef(nullptr, is_wide ? Dtype::float16 : Dtype::int8, {2, row}, {0, 1});
      op.scalar = Scalar{is_wide ? Dtype::float16 : Dtype::float64, {}};
      op.fold = {.step = Reduction::add, .round = is_wide ? FoldRound::at_finish : FoldRound::every_step};
      try {
        EXPECT_GT(plan(op, {.threads = 8, .strategy = layout}).nbytes(), -1);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::argument) << error.what();  // a layout may decline
      }
      if (layout[0] == 0) {
        EXPECT_NE(explain(op, {.threads = 8}), "");
      }
    }
  }
  // A table of more indices than can be sampled by multiplying.
  ScatterOp table;
  const std::int8_t pair[] = {0, 0};
  table.where.points = {std::int64_t{1} << 60, 2};
  table.where.axes = {{Axis::column, 0}, {Axis::point, 1}};
  table.where.columns.push_back(ConstTensorRef(pair, Dtype::int8, table.where.points, {0, 1}));
  table.out = TensorRef(nullptr, Dtype::float32, {1, 2});
  table.scalar = Scalar{Dtype::float32, {}};
  table.fold.step = Reduction::add;
  static_cast<void>(text_of([&] { static_cast<void>(explain(table, {.threads = 4, .strategy = "shared"})); }));
  // More points than can be sampled by multiplying.
  for (const std::int64_t points : {std::int64_t{1} << 58, std::int64_t{1} << 59, std::int64_t{1} << 62}) {
    ScatterOp many;
    many.where.points = {points};
    many.where.axes = {{Axis::column, 0}};
    many.where.columns.push_back(ConstTensorRef(&good, Dtype::int8, {points}, {0}));
    many.out = TensorRef(&cell, Dtype::float32, {1});
    many.scalar = Scalar{Dtype::float32, {}};
    many.fold.step = Reduction::add;
    for (const FoldFinish finish : {FoldFinish::keep, FoldFinish::mean}) {
      many.fold.finish = finish;
      EXPECT_NE(explain(many, {.threads = 4}), "");
    }
  }
  EXPECT_EQ(cell, 7);
}

TEST(HandMade, RanksFromNoneToTheMost) {
  for (std::size_t rank = 0; rank <= max_rank; ++rank) {
    float cell = 1;
    const float update = 2;
    ScatterOp op;
    op.where.row = Dims(rank, 1);
    for (std::size_t d = 0; d < rank; ++d) op.where.axes.push_back({Axis::row, static_cast<std::uint8_t>(d)});
    op.out = TensorRef(&cell, Dtype::float32, Dims(rank, 1));
    op.updates = ConstTensorRef(&update, Dtype::float32, Dims(rank, 1));
    op.fold.step = Reduction::add;
    run(op);
    EXPECT_EQ(cell, 3);
    plan(op).apply(op.updates, op.out);
    EXPECT_EQ(cell, 5);
    op.scalar = Scalar{Dtype::float32, {}};
    run(op);
    EXPECT_EQ(cell, 5);
    // Points beside the row: of a number, the two together may have more dimensions than a tensor.
    for (const std::size_t points : {std::size_t{1}, max_rank}) {
      op.where.points = Dims(points, 1);
      run(op);
      EXPECT_NE(explain(op), "");
      EXPECT_GE(plan(op).nbytes(), 0);
    }
    op.where.points = Dims(max_rank + 1, 1);
    EXPECT_THROW(run(op), Error);
    EXPECT_EQ(cell, 5);
  }
}

// Both ends of a long message stay: what it is about, and what would be right.
TEST(HandMade, MessagesOfBoundedLength) {
  const std::string million(1'000'000, 'x');
  const auto expect_bounded = [](const auto& call, std::string_view begin) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      const std::string_view text = error.what();
      EXPECT_LE(text.size(), 1'000u);
      EXPECT_TRUE(text.starts_with(begin)) << text;
      EXPECT_NE(text.find(" [...] "), text.npos) << text;
    }
  };
  Rows rows({0, 7});
  rows.op.name = million.c_str();
  expect_bounded([&] { run(rows.op); }, "xxx");
  rows.op.name = "scatter";
  rows.op.where.words.sentence = million.c_str();
  expect_bounded([&] { run(rows.op); }, "scatter: xxx");
  Rows shapes({0, 2});
  shapes.op.out = TensorRef(shapes.out.data(), Dtype::float32, Dims(max_rank, two_61));
  expect_bounded([&] { run(shapes.op); }, "scatter: input: shape [2305843009213693952, ");
  expect_bounded([] { static_cast<void>(element_count(Dims(100'000, -1))); }, "tensor: sizes must be >= 0, got shape [-1, -1");

  std::vector<float> data{1, 2, 3}, updates{4};
  std::vector<std::int64_t> index{0};
  const auto scatter = [&](std::string_view reduction) {
    return text_of(
        [&] { static_cast<void>(onnx::scatter_elements(tensor(data), tensor(index), tensor(updates), {.reduction = reduction})); });
  };
  const std::string kind = "argument: ", short_one = scatter("xyz");
  const std::size_t word = short_one.find("xyz");
  ASSERT_NE(word, short_one.npos);
  const std::string long_one = scatter(million), least = scatter(million.substr(0, 987 - (short_one.size() - kind.size() - 3)));
  EXPECT_EQ(long_one.substr(0, word + 100), short_one.substr(0, word) + std::string(100, 'x'));
  EXPECT_EQ(long_one.size(), kind.size() + 700 + 7 + 280);
  EXPECT_EQ(least.size(), kind.size() + 987);
  EXPECT_EQ(least.find(" [...] "), least.npos);

  // No character of two, three or four bytes is cut, wherever it lies.
  for (const std::string_view character : {"\u00e9", "\u20ac", "\U0001f600"}) {
    for (std::size_t shift = 0; shift < character.size(); ++shift) {
      std::string text(shift, 'x');
      while (text.size() < 5'000) text += character;
      const Error error(ErrorCode::argument, text);
      const std::string_view what = error.what();
      const std::size_t gap = what.find(" [...] ");
      ASSERT_NE(gap, what.npos);
      EXPECT_EQ((gap - shift) % character.size(), 0u);
      EXPECT_TRUE(what.substr(gap + 7).starts_with(character));
      EXPECT_GT(what.size(), 980u);
    }
  }
}

}  // namespace
}  // namespace strew
