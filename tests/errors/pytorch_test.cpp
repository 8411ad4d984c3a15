// Every check of PyTorch's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

// What scatter, scatter_add and scatter_reduce check alike.
std::vector<Row> common_rows() {
  return {
      {{{"dim", n(2)}}, ErrorCode::axis, ""},
      {{{"dim", n(-3)}}, ErrorCode::axis, ""},
      {{{"dim", n(INT64_MIN)}}, ErrorCode::axis, ""},
      {{{"input", t(Dtype::string, {3, 4})}, {"src", t(Dtype::string, {2, 4})}}, ErrorCode::dtype, ""},
      {{{"index", t(Dtype::int16, {2, 4})}}, ErrorCode::dtype, ""},
      {{{"src", t(Dtype::float64, {2, 4})}}, ErrorCode::dtype, ""},
      {{{"index", i64({0})}, {"src", t(Dtype::float64, {2, 4})}}, ErrorCode::dtype, ""},
      {{{"index", i64({2})}}, ErrorCode::shape, ""},
      {{{"src", f32({2})}}, ErrorCode::shape, ""},
      {{{"index", i64({2, 5})}, {"src", f32({2, 5})}}, ErrorCode::shape, ""},
      {{{"index", i64({3, 4})}}, ErrorCode::shape, ""},
      {{{"index", i64({2, 4}, {0, 0, 34})}}, ErrorCode::index, ""},
      {{{"index", i64({2, 4}, {0, 0, 0, 0, 0, -1, 3})}}, ErrorCode::index, ""},
      {{{"index", t(Dtype::int32, {2, 4}, {INT32_MIN})}}, ErrorCode::index, ""},
      {{{"input", f32({0, 4})}}, ErrorCode::index, ""},
  };
}

std::vector<Row> and_more(std::vector<Row> rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

const Arguments_ base{{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2, 4})}, {"src", f32({2, 4})}};

TEST(PytorchErrors, Scatter) {
  expect_rows({"pytorch.scatter", base}, "pytorch.scatter", true,
              and_more(common_rows(), {
                  {{{"reduce", w("sum")}}, ErrorCode::word, ""},
                  {{{"src", Number(1.0)}, {"index", i64({2, 5})}}, ErrorCode::shape, ""},
                  {{{"input", t(Dtype::uint8, {3, 4})}, {"src", n(300)}}, ErrorCode::word, ""},
                  {{{"input", t(Dtype::float16, {3, 4})}, {"src", Number(70000.0)}}, ErrorCode::word, ""},
                  {{{"src", Number(std::complex<double>(1, 2))}}, ErrorCode::word, ""},
              }));
}

TEST(PytorchErrors, ScatterAdd) { expect_rows({"pytorch.scatter_add", base}, "pytorch.scatter_add", true, common_rows()); }

TEST(PytorchErrors, ScatterReduce) {
  Arguments_ args = base;
  args.push_back({"reduce", w("sum")});
  expect_rows({"pytorch.scatter_reduce", args}, "pytorch.scatter_reduce", true,
              and_more(common_rows(), {
                  {{{"reduce", w("add")}}, ErrorCode::word, ""},
                  {{{"reduce", w("amax")}, {"input", t(Dtype::complex64, {3, 4})}, {"src", t(Dtype::complex64, {2, 4})}}, ErrorCode::unsupported, ""},
                  {{{"reduce", w("mean")}, {"input", t(Dtype::bool_, {3, 4})}, {"src", t(Dtype::bool_, {2, 4})}}, ErrorCode::unsupported, ""},
                  {{{"include_self", n(1)}}, ErrorCode::word, ""},
              }));
}

TEST(PytorchErrors, IndexAdd) {
  expect_rows({"pytorch.index_add", {{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2})}, {"source", f32({2, 4})}}}, "pytorch.index_add", true,
              {
                  {{{"dim", n(2)}}, ErrorCode::axis, ""},
                  {{{"input", t(Dtype::string, {3, 4})}, {"source", t(Dtype::string, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"index", i64({1, 2})}}, ErrorCode::shape, ""},
                  {{{"index", t(Dtype::int16, {2})}}, ErrorCode::dtype, ""},
                  {{{"source", t(Dtype::float64, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"dim", n(1)}, {"source", f32({2})}}, ErrorCode::axis, ""},
                  {{{"source", f32({1, 4})}}, ErrorCode::shape, ""},
                  {{{"source", f32({2, 3})}}, ErrorCode::shape, ""},
                  {{{"input", f32({})}, {"index", i64({1})}, {"source", f32({1, 1, 1})}}, ErrorCode::shape, ""},
                  {{{"input", t(Dtype::uint8, {3, 4})}, {"source", t(Dtype::uint8, {2, 4})}, {"alpha", n(300)}}, ErrorCode::word, ""},
                  {{{"index", i64({2}, {0, 7})}}, ErrorCode::index, ""},
                  {{{"index", t(Dtype::int32, {2}, {0, -1})}}, ErrorCode::index, ""},
                  {{{"input", f32({0})}, {"source", f32({2})}}, ErrorCode::index, ""},
              });
}

TEST(PytorchErrors, IndexCopy) {
  expect_rows({"pytorch.index_copy", {{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2})}, {"source", f32({2, 4})}}}, "pytorch.index_copy", true,
              {
                  {{{"dim", n(-3)}}, ErrorCode::axis, ""},
                  {{{"input", t(Dtype::string, {3, 4})}, {"source", t(Dtype::string, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"index", i64({2, 1})}}, ErrorCode::shape, ""},
                  {{{"source", f32({})}}, ErrorCode::shape, ""},
                  {{{"source", f32({2, 4, 1})}}, ErrorCode::shape, ""},
                  {{{"index", t(Dtype::int32, {2})}}, ErrorCode::dtype, ""},
                  {{{"source", t(Dtype::float64, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"source", f32({2, 3})}}, ErrorCode::shape, ""},
                  {{{"source", f32({3, 4})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2}, {7, -1})}}, ErrorCode::index, ""},
              });
}

TEST(PytorchErrors, Gather) {
  expect_rows({"pytorch.gather", {{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2, 4})}}}, "pytorch.gather", false,
              {
                  {{{"dim", n(2)}}, ErrorCode::axis, ""},
                  {{{"input", t(Dtype::string, {3, 4})}}, ErrorCode::dtype, ""},
                  {{{"index", t(Dtype::uint8, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"index", i64({2})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 5})}}, ErrorCode::shape, ""},
                  {{{"index", i64({2, 4}, {0, 3})}}, ErrorCode::index, ""},
              });
}

}  // namespace
}  // namespace strew::harness
