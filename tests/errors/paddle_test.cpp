// Every check of Paddle's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

TEST(PaddleErrors, ScatterNdAdd) {
  expect_rows({"paddle.scatter_nd_add", {{"x", f32({5, 3})}, {"index", i64({2, 1})}, {"updates", f32({2, 3})}}}, "paddle.scatter_nd_add", false,
              {
                  {{{"x", t(Dtype::string, {5, 3})}, {"updates", t(Dtype::string, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"updates", t(Dtype::float64, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"index", t(Dtype::int16, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"index", i64({})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 4})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 1}, {0, 5})}}, ErrorCode::index, ""},
                  {{{"index", i64({2, 1}, {-6, 5})}}, ErrorCode::index, ""},
              });
}

TEST(PaddleErrors, ScatterNd) {
  expect_rows({"paddle.scatter_nd", {{"index", i64({2, 1})}, {"updates", f32({2, 3})}, {"shape", Dims{5, 3}}}}, "paddle.scatter_nd", false,
              {
                  {{{"updates", t(Dtype::string, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"index", t(Dtype::int16, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"shape", Dims{-5, 3}}}, ErrorCode::shape, ""},
                  {{{"index", i64({})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 4})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 1}, {0, -6})}}, ErrorCode::index, ""},
              });
}

TEST(PaddleErrors, Scatter) {
  expect_rows({"paddle.scatter", {{"x", f32({5, 3})}, {"index", i64({2})}, {"updates", f32({2, 3})}}}, "paddle.scatter", true,
              {
                  {{{"x", t(Dtype::string, {5, 3})}, {"updates", t(Dtype::string, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"updates", t(Dtype::int64, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"index", t(Dtype::uint8, {2})}}, ErrorCode::dtype, ""},
                  {{{"index", i64({1, 2})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 1, 1})}}, ErrorCode::shape, ""},
                  {{{"x", f32({})}, {"updates", f32({})}}, ErrorCode::shape, ""},
                  {{{"index", i64({})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 3, 1})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 4})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({1, 3})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2}, {0, 5})}}, ErrorCode::index, ""},
                  {{{"index", i64({2}, {0, -6})}, {"overwrite", Number(false)}}, ErrorCode::index, ""},
              });
}

TEST(PaddleErrors, PutAlongAxis) {
  expect_rows({"paddle.put_along_axis", {{"arr", f32({3, 4})}, {"indices", i64({2, 4})}, {"values", f32({2, 4})}, {"axis", n(0)}}}, "paddle.put_along_axis", true,
              {
                  {{{"axis", n(2)}}, ErrorCode::axis, ""},
                  {{{"axis", n(-3)}}, ErrorCode::axis, ""},
                  {{{"arr", f32({})}, {"indices", i64({})}, {"values", f32({})}}, ErrorCode::axis, ""},
                  {{{"reduce", w("sum")}}, ErrorCode::word, ""},
                  {{{"arr", t(Dtype::string, {3, 4})}, {"values", t(Dtype::string, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"values", t(Dtype::float64, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"indices", t(Dtype::int8, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"indices", i64({2})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"arr", f32({1, 4, 1, 2})}, {"axis", n(1)}, {"indices", i64({1, 1, 2, 2})}}, ErrorCode::shape, ""},
                  {{{"values", f32({2, 3})}}, ErrorCode::shape, ""},
                  {{{"values", f32({2})}, {"broadcast", Number(false)}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 5})}, {"values", f32({2, 5})}, {"broadcast", Number(false)}}, ErrorCode::shape, ""},
                  {{{"values", f32({1, 4})}, {"broadcast", Number(false)}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 5})}, {"values", Number(1.5)}, {"broadcast", Number(false)}}, ErrorCode::shape, ""},
                  {{{"values", n(9)}}, ErrorCode::dtype, ""},
                  {{{"values", Number(9.5)}, {"arr", t(Dtype::float64, {3, 4})}}, ErrorCode::dtype, ""},
                  {{{"values", Number(1e20)}, {"arr", t(Dtype::int32, {3, 4})}, {"broadcast", Number(false)}}, ErrorCode::word, ""},
                  {{{"reduce", w("amax")}, {"arr", t(Dtype::complex64, {3, 4})}, {"values", t(Dtype::complex64, {2, 4})}}, ErrorCode::unsupported, ""},
                  {{{"reduce", w("mean")}, {"arr", t(Dtype::bool_, {3, 4})}, {"values", t(Dtype::bool_, {2, 4})}}, ErrorCode::unsupported, ""},
                  {{{"indices", i64({2, 4}, {0, 3})}}, ErrorCode::index, ""},
                  {{{"indices", i64({2, 4}, {0, 0, 0, 0, -4})}, {"broadcast", Number(false)}}, ErrorCode::index, ""},
              });
}

TEST(PaddleErrors, IndexAdd) {
  expect_rows({"paddle.index_add", {{"x", f32({3, 4})}, {"index", i64({2})}, {"axis", n(0)}, {"value", f32({2, 4})}}}, "paddle.index_add", true,
              {
                  {{{"x", t(Dtype::string, {3, 4})}, {"value", t(Dtype::string, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"value", t(Dtype::float64, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"index", t(Dtype::int16, {2})}}, ErrorCode::dtype, ""},
                  {{{"axis", n(2)}}, ErrorCode::axis, ""},
                  {{{"index", i64({2, 1})}}, ErrorCode::shape, ""},
                  {{{"value", f32({3, 4})}}, ErrorCode::shape, ""},
                  {{{"value", f32({2, 3})}}, ErrorCode::shape, ""},
                  {{{"value", f32({2})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2}, {-4, 3})}}, ErrorCode::index, ""},
              });
}

TEST(PaddleErrors, GatherNd) {
  expect_rows({"paddle.gather_nd", {{"x", f32({5, 3})}, {"index", i64({2, 1})}}}, "paddle.gather_nd", false,
              {
                  {{{"x", t(Dtype::string, {5, 3})}}, ErrorCode::dtype, ""},
                  {{{"index", t(Dtype::int16, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"index", i64({})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 1}, {5, -6})}}, ErrorCode::index, ""},
              });
}

}  // namespace
}  // namespace strew::harness
