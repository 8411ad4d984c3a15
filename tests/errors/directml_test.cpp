// Every check of DirectML's operators on tensors.
#include <gtest/gtest.h>

#include <algorithm>

#include "errors/rows.h"
#include "harness/runner.h"

namespace strew::harness {
namespace {

const Dims rank_9(9, 1);

TEST(DirectmlErrors, ScatterNd) {
  expect_rows(
      {"directml.scatter_nd", {{"input", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}}, "directml.scatter_nd", false,
      {
          {{{"feature_level", w("7_0")}}, ErrorCode::argument, "{op}: feature_level must be one of 1_0 to 6_4, got \"7_0\""},
          {{{"feature_level", w("2_0")}}, ErrorCode::unsupported, "{op}: this operator was introduced in DML_FEATURE_LEVEL_2_1, got 2_0"},
          {{{"out_of_range", w("skip")}}, ErrorCode::argument, "{op}: out_of_range must be error or clamp, got \"skip\""},
          {{{"input", t(Dtype::bool_, {5, 3})}, {"updates", t(Dtype::bool_, {2, 3})}},
           ErrorCode::dtype,
           "{op}: InputTensor.DataType must be one of int8, int16, int32, uint8, uint16, uint32, float16, float32 at feature level 3_0, "
           "got bool"},
          {{{"input", t(Dtype::float64, {5, 3})}, {"updates", t(Dtype::float64, {2, 3})}},
           ErrorCode::dtype,
           "{op}: InputTensor.DataType must be one of int8, int16, int32, uint8, uint16, uint32, float16, float32 at feature level 3_0, "
           "got float64"},
          {{{"indices", t(Dtype::float32, {2, 1})}},
           ErrorCode::dtype,
           "{op}: IndicesTensor.DataType must be one of int32, int64, uint32, uint64 at feature level 3_0, got float32"},
          {{{"feature_level", w("2_1")}}, ErrorCode::dtype, "{op}: IndicesTensor.DataType must be uint32 at feature level 2_1, got int64"},
          {{{"updates", t(Dtype::float16, {2, 3})}},
           ErrorCode::dtype,
           "{op}: InputTensor and UpdatesTensor must have the same DataType, got float32 and float16"},
          {{{"input", f32(rank_9)}}, ErrorCode::shape, "{op}: InputTensor.DimensionCount must be 1 to 8 at feature level 3_0, got 9"},
          {{{"indices", i64(rank_9)}}, ErrorCode::shape, "{op}: IndicesTensor.DimensionCount must be 1 to 8 at feature level 3_0, got 9"},
          {{{"updates", f32(rank_9)}}, ErrorCode::shape, "{op}: UpdatesTensor.DimensionCount must be 1 to 8 at feature level 3_0, got 9"},
          {{{"input", f32({0, 3})}},
           ErrorCode::shape,
           "{op}: InputTensor.Sizes: specifying a size of zero in any dimension is invalid, got [0, 3]"},
          {{{"indices", i64({2, 0})}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes: specifying a size of zero in any dimension is invalid, got [2, 0]"},
          {{{"updates", f32({0, 3})}},
           ErrorCode::shape,
           "{op}: UpdatesTensor.Sizes: specifying a size of zero in any dimension is invalid, got [0, 3]"},
          {{{"input_dimension_count", n(3)}},
           ErrorCode::shape,
           "{op}: InputDimensionCount must be in [1, InputTensor.DimensionCount] = [1, 2], got 3"},
          {{{"input_dimension_count", n(0)}},
           ErrorCode::shape,
           "{op}: InputDimensionCount must be in [1, InputTensor.DimensionCount] = [1, 2], got 0"},
          {{{"input_dimension_count", n(1)}},
           ErrorCode::shape,
           "{op}: InputTensor.Sizes before the last 1 dimensions must be 1, got [5, 3]"},
          {{{"indices_dimension_count", n(1)}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes before the last 1 dimensions must be 1, got [2, 1]"},
          {{{"indices_dimension_count", n(-1)}},
           ErrorCode::shape,
           "{op}: IndicesDimensionCount must be in [1, IndicesTensor.DimensionCount] = [1, 2], got -1"},
          {{{"indices", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: the last dimension of IndicesTensor, the number of coordinates per index tuple, mustn't exceed the 2 dimensions of "
           "InputTensor, got 3"},
          {{{"updates", f32({3, 3})}}, ErrorCode::shape, "{op}: UpdatesTensor.Sizes must be [2, 3] after leading ones, got [3, 3]"},
          {{{"updates", f32({2, 1, 3})}}, ErrorCode::shape, "{op}: UpdatesTensor.Sizes must be [2, 3] after leading ones, got [2, 1, 3]"},
          {{{"indices", i64({2, 1}, {0, 5})}},
           ErrorCode::index,
           "{op}: index 5 is out of range (IndicesTensor[1, 0] = 5 for axis 0 of size 5, valid: -5..4)"},
          {{{"indices", t(Dtype::uint64, {2, 1}, {0, -1})}},
           ErrorCode::index,
           "{op}: index 18446744073709551615 is out of range (IndicesTensor[1, 0] = 18446744073709551615 for axis 0 of size 5, valid: "
           "0..4)"},
          {{{"indices", t(Dtype::uint32, {2, 1}, {0, -1})}},
           ErrorCode::index,
           "{op}: index 4294967295 is out of range (IndicesTensor[1, 0] = 4294967295 for axis 0 of size 5, valid: 0..4)"},
      });
}

TEST(DirectmlErrors, Scatter) {
  expect_rows(
      {"directml.scatter", {{"input", f32({3, 4})}, {"indices", i64({2, 4})}, {"updates", f32({2, 4})}, {"axis", n(0)}}},
      "directml.scatter", false,
      {
          {{{"feature_level", w("bogus")}}, ErrorCode::argument, "{op}: feature_level must be one of 1_0 to 6_4, got \"bogus\""},
          {{{"out_of_range", w("wrap")}}, ErrorCode::argument, "{op}: out_of_range must be error or clamp, got \"wrap\""},
          {{{"input", t(Dtype::string, {3, 4})}, {"updates", t(Dtype::string, {2, 4})}},
           ErrorCode::dtype,
           "{op}: InputTensor.DataType must be one of int8, int16, int32, uint8, uint16, uint32, float16, float32 at feature level 3_0, "
           "got string"},
          {{{"indices", t(Dtype::int8, {2, 4})}},
           ErrorCode::dtype,
           "{op}: IndicesTensor.DataType must be one of int32, int64, uint32, uint64 at feature level 3_0, got int8"},
          {{{"updates", t(Dtype::int32, {2, 4})}},
           ErrorCode::dtype,
           "{op}: InputTensor and UpdatesTensor must have the same DataType, got float32 and int32"},
          {{{"input", f32({})}, {"indices", i64({})}, {"updates", f32({})}},
           ErrorCode::shape,
           "{op}: InputTensor.DimensionCount must be 1 to 8 at feature level 3_0, got 0"},
          {{{"feature_level", w("1_0")}, {"indices", t(Dtype::uint32, {2, 4})}},
           ErrorCode::shape,
           "{op}: InputTensor.DimensionCount must be 4 at feature level 1_0, got 2"},
          {{{"input", f32({3, 0})}},
           ErrorCode::shape,
           "{op}: InputTensor.Sizes: specifying a size of zero in any dimension is invalid, got [3, 0]"},
          {{{"indices", i64({0, 4})}, {"updates", f32({0, 4})}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes: specifying a size of zero in any dimension is invalid, got [0, 4]"},
          {{{"axis", n(2)}}, ErrorCode::axis, "{op}: Axis must be in [0, InputTensor.DimensionCount) = [0, 2), got 2"},
          {{{"axis", n(-1)}}, ErrorCode::axis, "{op}: Axis must be in [0, InputTensor.DimensionCount) = [0, 2), got -1"},
          {{{"indices", i64({2, 3})}, {"updates", f32({2, 3})}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes must match InputTensor.Sizes for every dimension except Axis 0, got [2, 3] and [3, 4]"},
          {{{"indices", i64({2})}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes must match InputTensor.Sizes for every dimension except Axis 0, got [2] and [3, 4]"},
          {{{"updates", f32({2, 3})}}, ErrorCode::shape, "{op}: UpdatesTensor.Sizes must match IndicesTensor.Sizes [2, 4], got [2, 3]"},
          {{{"indices", i64({2, 4}, {0, 0, -4, 3})}},
           ErrorCode::index,
           "{op}: index -4 is out of range (IndicesTensor[0, 2] = -4 for axis 0 of size 3, valid: -3..2; 1 more)"},
      });
}

TEST(DirectmlErrors, GatherElements) {
  expect_rows(
      {"directml.gather_elements", {{"input", f32({3, 4})}, {"indices", i64({2, 4})}, {"axis", n(0)}}}, "directml.gather_elements", false,
      {
          {{{"feature_level", w("1_0")}}, ErrorCode::unsupported, "{op}: this operator was introduced in DML_FEATURE_LEVEL_2_1, got 1_0"},
          {{{"input", t(Dtype::complex64, {3, 4})}},
           ErrorCode::dtype,
           "{op}: InputTensor.DataType must be one of int8, int16, int32, uint8, uint16, uint32, float16, float32 at feature level 3_0, "
           "got complex64"},
          {{{"indices", t(Dtype::uint16, {2, 4})}},
           ErrorCode::dtype,
           "{op}: IndicesTensor.DataType must be one of int32, int64, uint32, uint64 at feature level 3_0, got uint16"},
          {{{"input", f32(rank_9)}}, ErrorCode::shape, "{op}: InputTensor.DimensionCount must be 1 to 8 at feature level 3_0, got 9"},
          {{{"input", f32({3, 0})}},
           ErrorCode::shape,
           "{op}: InputTensor.Sizes: specifying a size of zero in any dimension is invalid, got [3, 0]"},
          {{{"indices", i64({0, 4})}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes: specifying a size of zero in any dimension is invalid, got [0, 4]"},
          {{{"axis", n(4)}}, ErrorCode::axis, "{op}: Axis must be in [0, InputTensor.DimensionCount) = [0, 2), got 4"},
          {{{"indices", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes must match InputTensor.Sizes for every dimension except Axis 0, got [2, 3] and [3, 4]"},
          {{{"indices", i64({2, 4}, {3})}},
           ErrorCode::index,
           "{op}: index 3 is out of range (IndicesTensor[0, 0] = 3 for axis 0 of size 3, valid: -3..2)"},
      });
}

TEST(DirectmlErrors, GatherNd) {
  expect_rows(
      {"directml.gather_nd", {{"input", f32({5, 3})}, {"indices", i64({2, 1})}}}, "directml.gather_nd", false,
      {
          {{{"feature_level", w("2_0")}}, ErrorCode::unsupported, "{op}: this operator was introduced in DML_FEATURE_LEVEL_2_1, got 2_0"},
          {{{"feature_level", w("2_1")}, {"indices", t(Dtype::uint32, {2, 1})}, {"batch_dimension_count", n(1)}},
           ErrorCode::unsupported,
           "{op}: this operator was introduced in DML_FEATURE_LEVEL_3_0, got 2_1"},
          {{{"input", t(Dtype::bool_, {5, 3})}},
           ErrorCode::dtype,
           "{op}: InputTensor.DataType must be one of int8, int16, int32, uint8, uint16, uint32, float16, float32 at feature level 3_0, "
           "got bool"},
          {{{"indices", t(Dtype::bool_, {2, 1})}},
           ErrorCode::dtype,
           "{op}: IndicesTensor.DataType must be one of int32, int64, uint32, uint64 at feature level 3_0, got bool"},
          {{{"input", f32(rank_9)}}, ErrorCode::shape, "{op}: InputTensor.DimensionCount must be 1 to 8 at feature level 3_0, got 9"},
          {{{"indices", i64(rank_9)}}, ErrorCode::shape, "{op}: IndicesTensor.DimensionCount must be 1 to 8 at feature level 3_0, got 9"},
          {{{"input", f32({5, 0})}},
           ErrorCode::shape,
           "{op}: InputTensor.Sizes: specifying a size of zero in any dimension is invalid, got [5, 0]"},
          {{{"indices", i64({2, 0})}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes: specifying a size of zero in any dimension is invalid, got [2, 0]"},
          {{{"input_dimension_count", n(9)}},
           ErrorCode::shape,
           "{op}: InputDimensionCount must be in [1, InputTensor.DimensionCount] = [1, 2], got 9"},
          {{{"indices_dimension_count", n(1)}},
           ErrorCode::shape,
           "{op}: IndicesTensor.Sizes before the last 1 dimensions must be 1, got [2, 1]"},
          {{{"batch_dimension_count", n(2)}},
           ErrorCode::axis,
           "{op}: BatchDimensionCount must be in [0, min(InputDimensionCount, IndicesDimensionCount)) = [0, 2), got 2"},
          {{{"batch_dimension_count", n(-1)}},
           ErrorCode::axis,
           "{op}: BatchDimensionCount must be in [0, min(InputDimensionCount, IndicesDimensionCount)) = [0, 2), got -1"},
          {{{"batch_dimension_count", n(1)}},
           ErrorCode::shape,
           "{op}: the first 1 dimensions of InputTensor [5, 3] and IndicesTensor [2, 1] must be equal (BatchDimensionCount)"},
          {{{"indices", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: the last dimension of IndicesTensor, the number of coordinates per index tuple, mustn't exceed the 2 dimensions of "
           "InputTensor, got 3"},
          {{{"indices", i64({2, 1}, {0, 5})}},
           ErrorCode::index,
           "{op}: index 5 is out of range (IndicesTensor[1, 0] = 5 for axis 0 of size 5, valid: -5..4)"},
      });
}

// The documents' table of feature levels: from which on each operator and each type is there.
TEST(DirectmlErrors, FeatureLevels) {
  const std::vector<std::string> levels{"1_0", "2_0", "2_1", "3_0", "3_1", "4_0", "4_1", "5_0", "6_4"};
  const auto at_least = [&](const std::string& level, const char* since) {
    const auto place = [&](const std::string& name) { return std::find(levels.begin(), levels.end(), name); };
    return place(level) >= place(since);
  };
  const auto has = [](std::initializer_list<Dtype> list, Dtype dtype) { return std::find(list.begin(), list.end(), dtype) != list.end(); };
  const auto data_fits = [&](const std::string& level, Dtype dtype) {
    return has({Dtype::float32, Dtype::float16}, dtype) ||
           (at_least(level, "2_1") && has({Dtype::int8, Dtype::int16, Dtype::int32, Dtype::uint8, Dtype::uint16, Dtype::uint32}, dtype)) ||
           (at_least(level, "4_1") && has({Dtype::float64, Dtype::int64, Dtype::uint64}, dtype));
  };
  const auto index_fits = [&](const std::string& level, Dtype dtype) {
    return dtype == Dtype::uint32 || (at_least(level, "3_0") && has({Dtype::int64, Dtype::int32, Dtype::uint64}, dtype));
  };
  const struct {
    const char* name;
    const char* since;
    bool scatters, has_axis;
  } operators[] = {{"scatter", "1_0", true, true},
                   {"scatter_nd", "2_1", true, false},
                   {"gather_elements", "2_1", false, true},
                   {"gather_nd", "2_1", false, false}};
  for (const auto& op : operators) {
    for (const std::string& level : levels) {
      for (const DtypeInfo& data : dtypes) {
        for (const DtypeInfo& index : dtypes) {
          Case c;
          c.id = std::string(op.name) + " " + level + " " + std::string(data.name) + " " + std::string(index.name);
          c.system = "directml";
          c.op = op.name;
          const Dims indices = op.has_axis ? Dims{1, 1, 1, 2} : Dims{1, 1, 1, 4};
          c.args = {{"input", t(data.dtype, {1, 1, 3, 2})}, {"indices", t(index.dtype, indices)}, {"feature_level", level}};
          if (op.has_axis) c.args.push_back({"axis", n(2)});
          if (op.scatters) c.args.push_back({"updates", t(data.dtype, op.has_axis ? Dims{1, 1, 1, 2} : Dims{1, 1, 1, 1})});
          const bool fits = at_least(level, op.since) && data_fits(level, data.dtype) && index_fits(level, index.dtype);
          EXPECT_EQ(run_case(c).result.has_value(), fits) << c.id;
        }
      }
    }
  }
}

// Negative indices came with the signed types, in 3_0; from there on shapes have 1 to 8 dimensions, before it 4.
TEST(DirectmlErrors, DimensionsOfEachFeatureLevel) {
  for (const char* level : {"1_0", "2_1", "3_0", "4_1"}) {
    for (std::size_t rank = 1; rank <= 9; ++rank) {
      Dims shape(rank, 1);
      shape.back() = 3;
      Dims indices(rank, 1);
      Case c;
      c.id = std::string(level) + ", rank " + std::to_string(rank);
      c.system = "directml";
      c.op = "scatter";
      c.args = {{"input", f32(shape)},
                {"indices", t(Dtype::uint32, indices)},
                {"updates", f32(indices)},
                {"axis", n(static_cast<std::int64_t>(rank) - 1)},
                {"feature_level", w(level)}};
      const bool late = std::string_view(level) >= "3_0";
      EXPECT_EQ(run_case(c).result.has_value(), late ? rank <= 8 : rank == 4) << c.id;
    }
  }
}

}  // namespace
}  // namespace strew::harness
