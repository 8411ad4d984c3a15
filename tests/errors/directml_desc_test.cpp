// DirectML on descriptions: the page's example, and every way in which a description can be wrong.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "errors/text_of.h"
#include "strew/dialects/directml.h"

namespace strew::directml {
namespace {

// A buffer tensor with its description.
template <class T>
struct Bound {
  std::vector<UINT> sizes;
  std::vector<T> values;
  DML_BUFFER_TENSOR_DESC buffer{};
  DML_TENSOR_DESC desc{};

  Bound(DML_TENSOR_DATA_TYPE type, std::vector<UINT> sizes_, std::vector<T> values_)
      : sizes(std::move(sizes_)), values(std::move(values_)) {
    buffer = {type, DML_TENSOR_FLAG_NONE, static_cast<UINT>(sizes.size()), sizes.data(), nullptr, (values.size() * sizeof(T) + 3) / 4 * 4,
              0};
    desc = {DML_TENSOR_TYPE_BUFFER, &buffer};
  }
  Bound(const Bound&) = delete;
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(values)); }
};

std::vector<float> counting(std::size_t count, float from) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = from + static_cast<float>(i);
  return values;
}

struct ScatterNd {
  Bound<float> input{DML_TENSOR_DATA_TYPE_FLOAT32, {5, 3}, counting(15, 0)};
  Bound<std::int64_t> indices{DML_TENSOR_DATA_TYPE_INT64, {2, 1}, {4, -5}};
  Bound<float> updates{DML_TENSOR_DATA_TYPE_FLOAT32, {2, 3}, counting(6, 100)};
  Bound<float> output{DML_TENSOR_DATA_TYPE_FLOAT32, {5, 3}, std::vector<float>(15, -1)};
  DML_SCATTER_ND_OPERATOR_DESC desc{&input.desc, &indices.desc, &updates.desc, &output.desc, 2, 2};
  Options options;

  void run() { scatter_nd(desc, ScatterBuffers{input.bytes(), indices.bytes(), updates.bytes(), output.bytes()}, options); }
};

TEST(DirectmlDesc, ScatterNd) {
  ScatterNd call;
  call.run();
  EXPECT_EQ(call.output.values, (std::vector<float>{103, 104, 105, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100, 101, 102}));
}

// The sizes of the page's own example: a [1,2] array of 3-coordinate tuples into [3,4,5,6,7].
TEST(DirectmlDesc, ThePagesExample) {
  Bound<float> input(DML_TENSOR_DATA_TYPE_FLOAT32, {3, 4, 5, 6, 7}, counting(2520, 0));
  Bound<std::uint32_t> indices(DML_TENSOR_DATA_TYPE_UINT32, {1, 1, 1, 2, 3}, {0, 0, 1, 2, 3, 4});
  Bound<float> updates(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 1, 2, 6, 7}, counting(84, 5000));
  Bound<float> output(DML_TENSOR_DATA_TYPE_FLOAT32, {3, 4, 5, 6, 7}, std::vector<float>(2520, -1));
  scatter_nd(DML_SCATTER_ND_OPERATOR_DESC{&input.desc, &indices.desc, &updates.desc, &output.desc, 5, 3},
             ScatterBuffers{input.bytes(), indices.bytes(), updates.bytes(), output.bytes()});
  std::vector<float> expected = counting(2520, 0);
  for (std::size_t i = 0; i < 42; ++i) {
    expected[42 + i] = 5000 + static_cast<float>(i);                             // [0, 0, 1]
    expected[2 * 840 + 3 * 210 + 4 * 42 + i] = 5042 + static_cast<float>(i);     // [2, 3, 4]
  }
  EXPECT_EQ(output.values, expected);
}

TEST(DirectmlDesc, StridesRepeatAndPad) {
  ScatterNd call;
  const std::array<UINT, 2> repeat{0, 0}, padded{4, 1};
  call.updates.buffer.Strides = repeat.data();
  call.output.values.assign(20, -1);
  call.output.buffer.Strides = padded.data();
  call.output.buffer.TotalTensorSizeInBytes = 80;
  call.run();
  EXPECT_EQ(call.output.values, (std::vector<float>{100, 100, 100, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 100, 100, 100, -1}));
}

TEST(DirectmlDesc, ScatterAndGather) {
  Bound<float> input(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 3}, {1, 2, 3}), updates(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 2}, {8, 9});
  Bound<float> output(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 3}, {0, 0, 0}), read(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 2}, {0, 0});
  Bound<std::int32_t> indices(DML_TENSOR_DATA_TYPE_INT32, {1, 2}, {-1, 0});
  scatter(DML_SCATTER_OPERATOR_DESC{&input.desc, &indices.desc, &updates.desc, &output.desc, 1},
          ScatterBuffers{input.bytes(), indices.bytes(), updates.bytes(), output.bytes()});
  EXPECT_EQ(output.values, (std::vector<float>{9, 2, 8}));
  gather_elements(DML_GATHER_ELEMENTS_OPERATOR_DESC{&input.desc, &indices.desc, &read.desc, 1},
                  GatherBuffers{input.bytes(), indices.bytes(), read.bytes()});
  EXPECT_EQ(read.values, (std::vector<float>{3, 1}));
}

TEST(DirectmlDesc, GatherNd) {
  Bound<float> input(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 3}, {1, 2, 3, 4, 5, 6}), output(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 2}, {0, 0});
  Bound<std::uint32_t> pairs(DML_TENSOR_DATA_TYPE_UINT32, {2, 2}, {1, 2, 0, 0}), singles(DML_TENSOR_DATA_TYPE_UINT32, {2, 1}, {2, 1});
  gather_nd(DML_GATHER_ND_OPERATOR_DESC{&input.desc, &pairs.desc, &output.desc, 2, 2},
            GatherBuffers{input.bytes(), pairs.bytes(), output.bytes()});
  EXPECT_EQ(output.values, (std::vector<float>{6, 1}));
  gather_nd(DML_GATHER_ND1_OPERATOR_DESC{&input.desc, &singles.desc, &output.desc, 2, 2, 1},
            GatherBuffers{input.bytes(), singles.bytes(), output.bytes()});
  EXPECT_EQ(output.values, (std::vector<float>{3, 5}));
}

// The caller's own structs, as the real header declares them, are taken as they are.
namespace theirs {
enum TensorType : int { invalid, buffer };
struct TensorDesc {
  TensorType Type;
  const void* Desc;
};
struct ScatterNdDesc {
  const TensorDesc *InputTensor, *IndicesTensor, *UpdatesTensor, *OutputTensor;
  unsigned InputDimensionCount, IndicesDimensionCount;
};
struct ScatterDesc {
  const TensorDesc *InputTensor, *IndicesTensor, *UpdatesTensor, *OutputTensor;
  unsigned Axis;
};
struct GatherElementsDesc {
  const TensorDesc *InputTensor, *IndicesTensor, *OutputTensor;
  unsigned Axis;
};
struct GatherNdDesc {
  const TensorDesc *InputTensor, *IndicesTensor, *OutputTensor;
  unsigned InputDimensionCount, IndicesDimensionCount;
};
struct GatherNd1Desc {
  const TensorDesc *InputTensor, *IndicesTensor, *OutputTensor;
  unsigned InputDimensionCount, IndicesDimensionCount, BatchDimensionCount;
};
}  // namespace theirs

TEST(DirectmlDesc, TheCallersOwnStructs) {
  ScatterNd call;
  const theirs::TensorDesc input{theirs::buffer, &call.input.buffer}, indices{theirs::buffer, &call.indices.buffer},
      updates{theirs::buffer, &call.updates.buffer}, output{theirs::buffer, &call.output.buffer};
  scatter_nd(theirs::ScatterNdDesc{&input, &indices, &updates, &output, 2, 2},
             ScatterBuffers{call.input.bytes(), call.indices.bytes(), call.updates.bytes(), call.output.bytes()});
  EXPECT_EQ(call.output.values[0], 103);
}

TEST(DirectmlDesc, TheCallersOwnStructsOfEveryOperator) {
  Bound<float> input(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 3}, {1, 2, 3, 4, 5, 6}), updates(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 1}, {8, 9});
  Bound<float> output(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 3}, std::vector<float>(6)), read(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 1}, {0, 0});
  Bound<float> line(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 2}, {0, 0});
  Bound<std::uint32_t> indices(DML_TENSOR_DATA_TYPE_UINT32, {2, 1}, {2, 0}), pairs(DML_TENSOR_DATA_TYPE_UINT32, {2, 2}, {1, 1, 0, 2});
  const auto desc = [](const auto& bound) { return theirs::TensorDesc{theirs::buffer, &bound.buffer}; };
  const theirs::TensorDesc in = desc(input), at = desc(indices), what = desc(updates), to = desc(output), one = desc(read),
                           two = desc(line), both = desc(pairs);
  scatter(theirs::ScatterDesc{&in, &at, &what, &to, 1}, ScatterBuffers{input.bytes(), indices.bytes(), updates.bytes(), output.bytes()});
  EXPECT_EQ(output.values, (std::vector<float>{1, 2, 8, 9, 5, 6}));
  gather_elements(theirs::GatherElementsDesc{&in, &at, &one, 1}, GatherBuffers{input.bytes(), indices.bytes(), read.bytes()});
  EXPECT_EQ(read.values, (std::vector<float>{3, 4}));
  gather_nd(theirs::GatherNdDesc{&in, &both, &two, 2, 2}, GatherBuffers{input.bytes(), pairs.bytes(), line.bytes()});
  EXPECT_EQ(line.values, (std::vector<float>{5, 3}));
  gather_nd(theirs::GatherNd1Desc{&in, &at, &two, 2, 2, 1}, GatherBuffers{input.bytes(), indices.bytes(), line.bytes()});
  EXPECT_EQ(line.values, (std::vector<float>{3, 4}));
}

// What pages and conformance tests say of duplicates and of indices out of range, in numbers of theirs.
TEST(DirectmlDesc, DuplicatesAndClamping) {
  // DML_SCATTER_OPERATOR_DESC, example 1.
  Bound<float> input(DML_TENSOR_DATA_TYPE_FLOAT32, {5}, {0, 1, 2, 3, 4}), updates(DML_TENSOR_DATA_TYPE_FLOAT32, {4}, {5, 6, 7, 8});
  Bound<float> output(DML_TENSOR_DATA_TYPE_FLOAT32, {5}, std::vector<float>(5));
  Bound<std::uint32_t> indices(DML_TENSOR_DATA_TYPE_UINT32, {4}, {3, 1, 3, 0});
  scatter(DML_SCATTER_OPERATOR_DESC{&input.desc, &indices.desc, &updates.desc, &output.desc, 0},
          ScatterBuffers{input.bytes(), indices.bytes(), updates.bytes(), output.bytes()});
  EXPECT_EQ(output.values, (std::vector<float>{8, 6, 2, 7, 4}));

  // WebNN: INT32_MAX on int8 [2, 1] writes the last row, -10 on a size of 2 reads the first.
  const Options clamp{.out_of_range = OutOfRange::clamp};
  Bound<std::int8_t> small(DML_TENSOR_DATA_TYPE_INT8, {2, 1}, {1, 2}), one(DML_TENSOR_DATA_TYPE_INT8, {1, 1}, {9});
  Bound<std::int8_t> to(DML_TENSOR_DATA_TYPE_INT8, {2, 1}, {0, 0}), read(DML_TENSOR_DATA_TYPE_INT8, {1, 1}, {0});
  Bound<std::int32_t> far(DML_TENSOR_DATA_TYPE_INT32, {1, 1}, {INT32_MAX}), before(DML_TENSOR_DATA_TYPE_INT32, {1, 1}, {-10});
  scatter_nd(DML_SCATTER_ND_OPERATOR_DESC{&small.desc, &far.desc, &one.desc, &to.desc, 2, 2},
             ScatterBuffers{small.bytes(), far.bytes(), one.bytes(), to.bytes()}, clamp);
  EXPECT_EQ(to.values, (std::vector<std::int8_t>{1, 9}));
  gather_nd(DML_GATHER_ND_OPERATOR_DESC{&small.desc, &far.desc, &read.desc, 2, 2}, GatherBuffers{small.bytes(), far.bytes(), read.bytes()},
            clamp);
  EXPECT_EQ(read.values[0], 2);
  gather_elements(DML_GATHER_ELEMENTS_OPERATOR_DESC{&small.desc, &before.desc, &read.desc, 0},
                  GatherBuffers{small.bytes(), before.bytes(), read.bytes()}, clamp);
  EXPECT_EQ(read.values[0], 1);
}

TEST(DirectmlDesc, ErrorsThatOnlyAProgramCanMake) {
  Bound<float> input(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 3}, {1, 2, 3, 4, 5, 6}), output(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 1}, {7, 7});
  Bound<std::uint32_t> pairs(DML_TENSOR_DATA_TYPE_UINT32, {2, 2}, {1, 1, 0, 2});
  EXPECT_EQ(text_of([&] {
              gather_nd(DML_GATHER_ND_OPERATOR_DESC{&input.desc, &pairs.desc, &output.desc, 2, 2},
                        GatherBuffers{input.bytes(), pairs.bytes(), output.bytes()});
            }),
            "shape: directml.gather_nd: OutputTensor.Sizes must be [2] after leading ones, got [2, 1]");
  EXPECT_EQ(output.values, (std::vector<float>{7, 7}));
  const Tensor x({1.f, 2.f, 3.f}, {3}), indices({0, 1}, {2, 1}), updates({8.f, 9.f}, {2});
  EXPECT_EQ(text_of([&] { static_cast<void>(scatter_nd(x, indices, updates, {.batch_dimension_count = 1})); }),
            "unsupported: directml.scatter_nd: scatter has no batch dimensions, got batch_dimension_count 1");
  EXPECT_EQ(text_of([&] { static_cast<void>(scatter_nd(x, indices, updates, {.options = {.out_of_range = OutOfRange::skip}})); }),
            "argument: directml.scatter_nd: out_of_range must be error or clamp, got skip");
}

TEST(DirectmlDesc, Errors) {
  static const std::array<UINT, 2> far{0xffffffff, 0xffffffff}, none{5, 0}, wide{70000, 70000};
  static const std::array<UINT, 9> nine{1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const std::array<UINT, 3> three{1, 5, 3};
  const struct {
    std::function<void(ScatterNd&)> change;
    ErrorCode code;
    const char* text;
  } rows[] = {
      {[](ScatterNd& c) { c.desc.InputTensor = nullptr; }, ErrorCode::shape, "directml.scatter_nd: InputTensor is null"},
      {[](ScatterNd& c) { c.indices.desc.Desc = nullptr; }, ErrorCode::shape, "directml.scatter_nd: IndicesTensor is null"},
      {[](ScatterNd& c) { c.updates.desc.Type = DML_TENSOR_TYPE_INVALID; }, ErrorCode::shape,
       "directml.scatter_nd: UpdatesTensor.Type must be DML_TENSOR_TYPE_BUFFER, got 0"},
      {[](ScatterNd& c) { c.output.buffer.DataType = DML_TENSOR_DATA_TYPE_UNKNOWN; }, ErrorCode::dtype,
       "directml.scatter_nd: OutputTensor.DataType is unknown: 0"},
      {[](ScatterNd& c) { c.input.buffer.DataType = static_cast<DML_TENSOR_DATA_TYPE>(99); }, ErrorCode::dtype,
       "directml.scatter_nd: InputTensor.DataType is unknown: 99"},
      {[](ScatterNd& c) { c.input.buffer.DimensionCount = 0; }, ErrorCode::shape,
       "directml.scatter_nd: InputTensor.DimensionCount must be 1 to 8, got 0"},
      {[](ScatterNd& c) { c.input.buffer.DimensionCount = 9, c.input.buffer.Sizes = nine.data(); }, ErrorCode::shape,
       "directml.scatter_nd: InputTensor.DimensionCount must be 1 to 8, got 9"},
      {[](ScatterNd& c) { c.input.buffer.Sizes = nullptr; }, ErrorCode::shape, "directml.scatter_nd: InputTensor.Sizes is null"},
      {[](ScatterNd& c) { c.input.buffer.Sizes = none.data(); }, ErrorCode::shape,
       "directml.scatter_nd: InputTensor.Sizes: specifying a size of zero in any dimension is invalid, got [5, 0]"},
      {[](ScatterNd& c) { c.input.buffer.GuaranteedBaseOffsetAlignment = 24; }, ErrorCode::shape,
       "directml.scatter_nd: InputTensor.GuaranteedBaseOffsetAlignment must be 0 or a power of two, got 24"},
      {[](ScatterNd& c) { c.input.buffer.Sizes = wide.data(); }, ErrorCode::shape,
       "directml.scatter_nd: InputTensor.Sizes: a tensor has at most 2^32 - 1 elements, got [70000, 70000]"},
      {[](ScatterNd& c) { c.input.buffer.Strides = far.data(); }, ErrorCode::shape,
       "directml.scatter_nd: InputTensor.TotalTensorSizeInBytes must be at least 103079215084 for these Sizes and Strides, got 60"},
      {[](ScatterNd& c) { c.output.buffer.TotalTensorSizeInBytes = 56; }, ErrorCode::shape,
       "directml.scatter_nd: OutputTensor.TotalTensorSizeInBytes must be at least 60 for these Sizes and Strides, got 56"},
      {[](ScatterNd& c) { c.output.values.resize(14); }, ErrorCode::shape,
       "directml.scatter_nd: OutputTensor: the buffer must hold at least 60 bytes, got 56"},
      {[](ScatterNd& c) { c.input.buffer.Sizes = three.data(), c.input.buffer.DimensionCount = 3; }, ErrorCode::shape,
       "directml.scatter_nd: all tensors must have the same DimensionCount, got 3 and 2"},
      {[](ScatterNd& c) { c.options.feature_level = DML_FEATURE_LEVEL_2_1; }, ErrorCode::shape,
       "directml.scatter_nd: DimensionCount must be 4 below feature level 3_0, got 2"},
      {[](ScatterNd& c) { c.options.feature_level = static_cast<DML_FEATURE_LEVEL>(0x7000); }, ErrorCode::argument,
       "directml.scatter_nd: feature level must be one of DML_FEATURE_LEVEL_1_0 to 6_4, got 28672"},
      {[](ScatterNd& c) { c.desc.InputDimensionCount = 0; }, ErrorCode::shape,
       "directml.scatter_nd: InputDimensionCount must be in [1, InputTensor.DimensionCount] = [1, 2], got 0"},
      {[](ScatterNd& c) { c.desc.IndicesDimensionCount = 0xffffffff; }, ErrorCode::shape,
       "directml.scatter_nd: IndicesDimensionCount must be in [1, IndicesTensor.DimensionCount] = [1, 2], got 4294967295"},
      {[](ScatterNd& c) { c.output.buffer.DataType = DML_TENSOR_DATA_TYPE_INT32; }, ErrorCode::dtype,
       "directml.scatter_nd: OutputTensor.DataType must be float32, got int32"},
      {[](ScatterNd& c) { c.indices.values[1] = 5; }, ErrorCode::index,
       "directml.scatter_nd: index 5 is out of range (IndicesTensor[1, 0] = 5 for axis 0 of size 5, valid: -5..4)"},
  };
  for (const auto& row : rows) {
    ScatterNd call;
    row.change(call);
    const std::vector<float> before = call.output.values;
    try {
      call.run();
      ADD_FAILURE() << "no error, but expected: " << row.text;
    } catch (const Error& error) {
      EXPECT_EQ(to_string(error.code()), to_string(row.code)) << error.what();
      EXPECT_STREQ(error.what(), row.text);
    }
    EXPECT_EQ(call.output.values, before);
  }
}

}  // namespace
}  // namespace strew::directml
