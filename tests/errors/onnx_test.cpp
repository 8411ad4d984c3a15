// Every check of ONNX's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

// What ScatterElements and Scatter check alike.
std::vector<Row> element_rows() {
  return {
      {{{"axis", n(2)}}, ErrorCode::axis, ""},
      {{{"axis", n(-3)}}, ErrorCode::axis, ""},
      {{{"data", f32({})}, {"indices", i64({})}, {"updates", f32({})}}, ErrorCode::axis, ""},
      {{{"updates", t(Dtype::float64, {2, 4})}}, ErrorCode::dtype, ""},
      {{{"indices", t(Dtype::int16, {2, 4})}}, ErrorCode::dtype, ""},
      {{{"updates", f32({2})}}, ErrorCode::shape, ""},
      {{{"updates", f32({2, 3})}}, ErrorCode::shape, ""},
      {{{"indices", i64({2})}, {"updates", f32({2})}}, ErrorCode::shape, ""},
      {{{"indices", i64({2, 5})}, {"updates", f32({2, 5})}}, ErrorCode::shape, ""},
      {{{"indices", i64({2, 4}, {0, 3})}}, ErrorCode::index, ""},
      {{{"indices", t(Dtype::int32, {2, 4}, {0, 0, 0, 0, 0, 0, 0, -4})}}, ErrorCode::index, ""},
      {{{"indices", i64({2, 4}, {0, (std::int64_t{1} << 32) + 1, INT64_MIN})}}, ErrorCode::index, ""},
      {{{"data", f32({0, 4})}}, ErrorCode::index, ""},
  };
}

const Arguments_ elements{{"data", f32({3, 4})}, {"indices", i64({2, 4})}, {"updates", f32({2, 4})}};

TEST(OnnxErrors, ScatterElements) {
  std::vector<Row> rows = element_rows();
  const std::vector<Row> more = {
      {{{"reduction", w("sum")}}, ErrorCode::word, ""},
      {{{"reduction", w("max")}, {"opset", n(16)}}, ErrorCode::word, ""},
      {{{"reduction", w("add")}, {"opset", n(13)}}, ErrorCode::word, ""},
      {{{"opset", n(17)}}, ErrorCode::word, ""},
      {{{"opset", n(11)}, {"data", t(Dtype::bfloat16, {3, 4})}, {"updates", t(Dtype::bfloat16, {2, 4})}}, ErrorCode::dtype, ""},
      {{{"reduction", w("mul")}, {"data", t(Dtype::string, {3, 4})}, {"updates", t(Dtype::string, {2, 4})}}, ErrorCode::unsupported, ""},
      {{{"reduction", w("min")}, {"data", t(Dtype::complex64, {3, 4})}, {"updates", t(Dtype::complex64, {2, 4})}}, ErrorCode::unsupported, ""},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  expect_rows({"onnx.scatter_elements", elements}, "onnx.ScatterElements", false, rows);
}

TEST(OnnxErrors, Scatter) {
  std::vector<Row> rows = element_rows();
  rows.push_back({{{"data", t(Dtype::bfloat16, {3, 4})}, {"updates", t(Dtype::bfloat16, {2, 4})}}, ErrorCode::dtype, ""});
  expect_rows({"onnx.scatter", elements}, "onnx.Scatter", false, rows);
}

TEST(OnnxErrors, ScatterNd) {
  expect_rows({"onnx.scatter_nd", {{"data", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}}, "onnx.ScatterND", false,
              {
                  {{{"reduction", w("sum")}}, ErrorCode::word, ""},
                  {{{"reduction", w("min")}, {"opset", n(16)}}, ErrorCode::word, ""},
                  {{{"opset", n(9)}}, ErrorCode::word, ""},
                  {{{"opset", n(11)}, {"data", t(Dtype::bfloat16, {5, 3})}, {"updates", t(Dtype::bfloat16, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"indices", t(Dtype::int32, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"updates", t(Dtype::float64, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"data", f32({})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 4})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({5})}}, ErrorCode::shape, ""},
                  {{{"reduction", w("max")}, {"data", t(Dtype::string, {5, 3})}, {"updates", t(Dtype::string, {2, 3})}}, ErrorCode::unsupported, ""},
                  {{{"indices", i64({2, 1}, {99, -6})}}, ErrorCode::index, ""},
                  {{{"indices", i64({1, 2}, {4, 3})}, {"updates", f32({1})}}, ErrorCode::index, ""},
                  {{{"data", f32({0, 3})}}, ErrorCode::index, ""},
              });
}

TEST(OnnxErrors, GatherElements) {
  expect_rows({"onnx.gather_elements", {{"data", f32({3, 4})}, {"indices", i64({2, 4})}}}, "onnx.GatherElements", false,
              {
                  {{{"axis", n(2)}}, ErrorCode::axis, ""},
                  {{{"indices", t(Dtype::uint32, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"indices", i64({2})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 5})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 4}, {0, 3})}}, ErrorCode::index, ""},
              });
}

TEST(OnnxErrors, GatherNd) {
  expect_rows({"onnx.gather_nd", {{"data", f32({5, 3})}, {"indices", i64({2, 1})}}}, "onnx.GatherND", false,
              {
                  {{{"indices", t(Dtype::int32, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"indices", i64({})}}, ErrorCode::shape, ""},
                  {{{"batch_dims", n(-1)}}, ErrorCode::axis, ""},
                  {{{"batch_dims", n(10)}}, ErrorCode::axis, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"batch_dims", n(1)}, {"indices", i64({2, 1})}}, ErrorCode::shape, ""},
                  {{{"batch_dims", n(1)}, {"indices", i64({5, 2})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 1}, {5, 0})}}, ErrorCode::index, ""},
              });
}

}  // namespace
}  // namespace strew::harness
