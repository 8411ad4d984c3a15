// Every check of ONNX's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

// What ScatterElements and Scatter check alike.
std::vector<Row> element_rows() {
  return {
      {{{"axis", n(2)}}, ErrorCode::axis, "{op}: axis 2 is not in valid range [-2,1]"},
      {{{"axis", n(-3)}}, ErrorCode::axis, "{op}: axis -3 is not in valid range [-2,1]"},
      {{{"data", f32({})}, {"indices", i64({})}, {"updates", f32({})}},
       ErrorCode::axis,
       "{op}: axis 0 is not in valid range: data has rank 0 and no axis"},
      {{{"updates", t(Dtype::float64, {2, 4})}},
       ErrorCode::dtype,
       "{op}: data type is different from updates type, got float32 and float64"},
      {{{"indices", t(Dtype::int16, {2, 4})}}, ErrorCode::dtype, "{op}: indices must be one of int32, int64, got int16"},
      {{{"updates", f32({2})}}, ErrorCode::shape, "{op}: Indices and updates must have the same rank, got 2 and 1"},
      {{{"updates", f32({2, 3})}}, ErrorCode::shape, "{op}: Indices vs updates dimensions differs at position=1 4 vs 3"},
      {{{"indices", i64({2})}, {"updates", f32({2})}},
       ErrorCode::shape,
       "{op}: Indices must have the same rank as Input. Indices rank=1. Input rank=2"},
      {{{"indices", i64({2, 5})}, {"updates", f32({2, 5})}}, ErrorCode::shape, "{op}: Indices dim=5 at pos=1 is greater than input dim=4"},
      {{{"indices", i64({2, 4}, {0, 3})}},
       ErrorCode::index,
       "{op}: indices element out of data bounds, idx=3 must be within the inclusive range [-3,2] (indices[0, 1] = 3 for axis 0 of size 3, "
       "valid: -3..2)"},
      {{{"indices", t(Dtype::int32, {2, 4}, {0, 0, 0, 0, 0, 0, 0, -4})}},
       ErrorCode::index,
       "{op}: indices element out of data bounds, idx=-4 must be within the inclusive range [-3,2] (indices[1, 3] = -4 for axis 0 of size "
       "3, valid: -3..2)"},
      {{{"indices", i64({2, 4}, {0, (std::int64_t{1} << 32) + 1, INT64_MIN})}},
       ErrorCode::index,
       "{op}: indices element out of data bounds, idx=4294967297 must be within the inclusive range [-3,2] (indices[0, 1] = 4294967297 for "
       "axis 0 of size 3, valid: -3..2; 1 more)"},
      {{{"data", f32({0, 4})}},
       ErrorCode::index,
       "{op}: indices element out of data bounds, idx=0 must be within the inclusive range [0,-1] (indices[0, 0] = 0 for axis 0 of size 0, "
       "no index is valid; 7 more)"},
  };
}

const Arguments_ elements{{"data", f32({3, 4})}, {"indices", i64({2, 4})}, {"updates", f32({2, 4})}};

TEST(OnnxErrors, ScatterElements) {
  std::vector<Row> rows = element_rows();
  const std::vector<Row> more = {
      {{{"reduction", w("sum")}}, ErrorCode::argument, "{op}: reduction must be one of none, add, mul, max, min in opset 18, got \"sum\""},
      {{{"reduction", w("max")}, {"opset", n(16)}},
       ErrorCode::argument,
       "{op}: reduction must be one of none, add, mul in opset 16, got \"max\""},
      {{{"reduction", w("add")}, {"opset", n(13)}}, ErrorCode::argument, "{op}: reduction must be none in opset 13, got \"add\""},
      {{{"opset", n(10)}}, ErrorCode::argument, "{op}: opset must be in [11, 28], got 10"},
      {{{"opset", n(11)}, {"data", t(Dtype::bfloat16, {3, 4})}, {"updates", t(Dtype::bfloat16, {2, 4})}},
       ErrorCode::dtype,
       "{op}: data must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, "
       "complex128, string, got bfloat16"},
      {{{"reduction", w("mul")}, {"data", t(Dtype::string, {3, 4})}, {"updates", t(Dtype::string, {2, 4})}},
       ErrorCode::unsupported,
       "{op}: mul is not defined for string"},
      {{{"reduction", w("min")}, {"data", t(Dtype::complex64, {3, 4})}, {"updates", t(Dtype::complex64, {2, 4})}},
       ErrorCode::unsupported,
       "{op}: min is not defined for complex64"},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  expect_rows({"onnx.scatter_elements", elements}, "onnx.ScatterElements", false, rows);
}

TEST(OnnxErrors, Scatter) {
  std::vector<Row> rows = element_rows();
  rows.push_back({{{"data", t(Dtype::bfloat16, {3, 4})}, {"updates", t(Dtype::bfloat16, {2, 4})}},
                  ErrorCode::dtype,
                  "{op}: data must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, "
                  "complex64, complex128, string, got bfloat16"});
  expect_rows({"onnx.scatter", elements}, "onnx.Scatter", false, rows);
}

TEST(OnnxErrors, ScatterNd) {
  expect_rows(
      {"onnx.scatter_nd", {{"data", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}}, "onnx.ScatterND", false,
      {
          {{{"reduction", w("sum")}},
           ErrorCode::argument,
           "{op}: reduction must be one of none, add, mul, max, min in opset 18, got \"sum\""},
          {{{"reduction", w("min")}, {"opset", n(16)}},
           ErrorCode::argument,
           "{op}: reduction must be one of none, add, mul in opset 16, got \"min\""},
          {{{"opset", n(9)}}, ErrorCode::argument, "{op}: opset must be in [11, 28], got 9"},
          {{{"opset", n(29)}}, ErrorCode::argument, "{op}: opset must be in [11, 28], got 29"},
          {{{"opset", n(11)}, {"data", t(Dtype::bfloat16, {5, 3})}, {"updates", t(Dtype::bfloat16, {2, 3})}},
           ErrorCode::dtype,
           "{op}: data must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, "
           "complex64, complex128, string, got bfloat16"},
          {{{"indices", t(Dtype::int32, {2, 1})}}, ErrorCode::dtype, "{op}: indices must be int64, got int32"},
          {{{"updates", t(Dtype::float64, {2, 3})}},
           ErrorCode::dtype,
           "{op}: data type is different from updates type, got float32 and float64"},
          {{{"data", f32({})}},
           ErrorCode::shape,
           "{op}: input tensor and indices tensor must have rank larger than 0. input shape: [], indices shape: [2, 1]"},
          {{{"indices", i64({})}},
           ErrorCode::shape,
           "{op}: input tensor and indices tensor must have rank larger than 0. input shape: [5, 3], indices shape: []"},
          {{{"indices", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: last dimension of indices must not be larger than rank of input tensor, got 3 and 2"},
          {{{"updates", f32({2, 4})}},
           ErrorCode::shape,
           "{op}: updates tensor should have shape equal to indices.shape[:-1] + data.shape[indices.shape[-1]:] = [2, 3]. updates shape: "
           "[2, 4], indices shape: [2, 1], data shape: [5, 3]"},
          {{{"updates", f32({5})}},
           ErrorCode::shape,
           "{op}: updates tensor should have shape equal to indices.shape[:-1] + data.shape[indices.shape[-1]:] = [2, 3]. updates shape: "
           "[5], indices shape: [2, 1], data shape: [5, 3]"},
          {{{"reduction", w("max")}, {"data", t(Dtype::string, {5, 3})}, {"updates", t(Dtype::string, {2, 3})}},
           ErrorCode::unsupported,
           "{op}: max is not defined for string"},
          {{{"indices", i64({2, 1}, {99, -6})}},
           ErrorCode::index,
           "{op}: invalid indice found, indice = 99 (indices[0, 0] = 99 for axis 0 of size 5, valid: -5..4; 1 more)"},
          {{{"indices", i64({1, 2}, {4, 3})}, {"updates", f32({1})}},
           ErrorCode::index,
           "{op}: invalid indice found, indice = 3 (indices[0, 1] = 3 for axis 1 of size 3, valid: -3..2)"},
          {{{"data", f32({0, 3})}},
           ErrorCode::index,
           "{op}: invalid indice found, indice = 0 (indices[0, 0] = 0 for axis 0 of size 0, no index is valid; 1 more)"},
      });
}

TEST(OnnxErrors, GatherElements) {
  expect_rows({"onnx.gather_elements", {{"data", f32({3, 4})}, {"indices", i64({2, 4})}}}, "onnx.GatherElements", false,
              {
                  {{{"axis", n(2)}}, ErrorCode::axis, "{op}: axis 2 is not in valid range [-2,1]"},
                  {{{"indices", t(Dtype::uint32, {2, 4})}}, ErrorCode::dtype, "{op}: indices must be one of int32, int64, got uint32"},
                  {{{"indices", i64({2})}},
                   ErrorCode::shape,
                   "{op}: Rank of input 'data' needs to be equal to rank of input 'indices', got 2 and 1"},
                  {{{"indices", i64({2, 5})}},
                   ErrorCode::shape,
                   "{op}: 'indices' shape should have values within bounds of 'data' shape. Invalid value in indices shape is: 5 at "
                   "dimension 1 of data shape [3, 4]"},
                  {{{"indices", i64({2, 4}, {0, 3})}},
                   ErrorCode::index,
                   "{op}: Out of range value in index tensor (indices[0, 1] = 3 for axis 0 of size 3, valid: -3..2)"},
              });
}

TEST(OnnxErrors, GatherNd) {
  expect_rows({"onnx.gather_nd", {{"data", f32({5, 3})}, {"indices", i64({2, 1})}}}, "onnx.GatherND", false,
              {
                  {{{"indices", t(Dtype::int32, {2, 1})}}, ErrorCode::dtype, "{op}: indices must be int64, got int32"},
                  {{{"indices", i64({})}}, ErrorCode::shape, "{op}: indices tensor must has rank larger than 0, got shape []"},
                  {{{"batch_dims", n(-1)}},
                   ErrorCode::axis,
                   "{op}: batch_dims must be at least 0 and less than min(rank of indices, rank of data) = 2, got -1"},
                  {{{"batch_dims", n(10)}},
                   ErrorCode::axis,
                   "{op}: batch_dims must be at least 0 and less than min(rank of indices, rank of data) = 2, got 10"},
                  {{{"indices", i64({2, 3})}},
                   ErrorCode::shape,
                   "{op}: last dimension of indices must not be larger than rank of input tensor (less batch_dims), got 3 and 2"},
                  {{{"batch_dims", n(1)}, {"indices", i64({2, 1})}},
                   ErrorCode::shape,
                   "{op}: the first 1 dimensions of indices [2, 1] and data [5, 3] must be equal (batch_dims)"},
                  {{{"batch_dims", n(1)}, {"indices", i64({5, 2})}},
                   ErrorCode::shape,
                   "{op}: last dimension of indices must not be larger than rank of input tensor (less batch_dims), got 2 and 1"},
                  {{{"indices", i64({2, 1}, {5, 0})}},
                   ErrorCode::index,
                   "{op}: invalid index found, index = 5 (indices[0, 0] = 5 for axis 0 of size 5, valid: -5..4)"},
              });
}

}  // namespace
}  // namespace strew::harness
