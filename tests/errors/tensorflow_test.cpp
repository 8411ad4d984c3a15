// Every check of TensorFlow's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

const Dims deep(8, 1);

TEST(TensorflowErrors, TensorScatter) {
  for (const char* word : {"update", "add", "sub", "min", "max"}) {
    const std::string op = std::string("tensorflow.tensor_scatter_nd_") + word;
    expect_rows({op, {{"tensor", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}}, op, false,
                {
                    {{{"bad_indices_policy", w("bogus")}}, ErrorCode::word, ""},
                    {{{"updates", t(Dtype::float64, {2, 3})}}, ErrorCode::dtype, ""},
                    {{{"indices", i64({})}}, ErrorCode::shape, ""},
                    {{{"updates", f32({})}}, ErrorCode::shape, ""},
                    {{{"tensor", f32({0, 3})}}, ErrorCode::shape, ""},
                    {{{"tensor", f32({3, 0})}, {"updates", f32({2, 0})}}, ErrorCode::shape, ""},
                    {{{"indices", i64({2, 0})}, {"updates", f32({2, 5, 3})}}, ErrorCode::shape, ""},
                    {{{"updates", f32({3, 3})}}, ErrorCode::shape, ""},
                    {{{"indices", i64({4, 1, 1})}, {"updates", f32({4})}}, ErrorCode::shape, ""},
                    {{{"updates", f32({2, 3, 1})}}, ErrorCode::shape, ""},
                    {{{"indices", i64({2, 3})}, {"updates", f32({2})}}, ErrorCode::shape, ""},
                    {{{"tensor", f32({})}, {"indices", i64({1, 1})}, {"updates", f32({1})}}, ErrorCode::shape, ""},
                    {{{"updates", f32({2, 4})}}, ErrorCode::shape, ""},
                    {{{"indices", i64({1})}, {"updates", f32({3})}}, ErrorCode::shape, ""},
                    {{{"tensor", f32({4, 3, 0})}, {"indices", i64({0})}, {"updates", f32({4, 3, 0})}}, ErrorCode::shape, ""},
                    {{{"tensor", f32(deep)}, {"indices", i64({1, 8})}, {"updates", f32({1})}}, ErrorCode::shape, ""},
                    {{{"indices", i64({0, 0})}, {"updates", f32({0, 5, 3})}}, ErrorCode::shape, ""},
                    {{{"indices", i64({2, 1}, {0, 99})}}, ErrorCode::index, ""},
                    {{{"indices", i64({2, 1}, {-1, 5})}}, ErrorCode::index, ""},
                    {{{"indices", i64({2, 2}, {0, 0, 4, 3})}, {"updates", f32({2})}}, ErrorCode::index, ""},
                    {{{"indices", i64({1, 2, 1}, {0, 7})}, {"updates", f32({1, 2, 3})}}, ErrorCode::index, ""},
                });
  }
}

TEST(TensorflowErrors, TypesOfEach) {
  const auto call = [](const char* word) -> Call {
    return {std::string("tensorflow.tensor_scatter_nd_") + word, {{"tensor", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}};
  };
  const auto of = [](Dtype dtype) -> Arguments_ { return {{"tensor", t(dtype, {5, 3})}, {"updates", t(dtype, {2, 3})}}; };
  const Arguments_ small{{"indices", t(Dtype::int8, {2, 1})}};
  expect_rows(call("update"), "tensorflow.tensor_scatter_nd_update", false, {{small, ErrorCode::dtype, ""}});
  expect_rows(call("add"), "tensorflow.tensor_scatter_nd_add", false, {{small, ErrorCode::dtype, ""}});
  expect_rows(call("sub"), "tensorflow.tensor_scatter_nd_sub", false,
              {{small, ErrorCode::dtype, ""}, {of(Dtype::bool_), ErrorCode::unsupported, ""}, {of(Dtype::string), ErrorCode::unsupported, ""}});
  expect_rows(call("min"), "tensorflow.tensor_scatter_nd_min", false,
              {{small, ErrorCode::dtype, ""}, {of(Dtype::complex64), ErrorCode::unsupported, ""}, {of(Dtype::string), ErrorCode::unsupported, ""}});
  expect_rows(call("max"), "tensorflow.tensor_scatter_nd_max", false, {{small, ErrorCode::dtype, ""}, {of(Dtype::complex128), ErrorCode::unsupported, ""}});
}

TEST(TensorflowErrors, ScatterNd) {
  expect_rows({"tensorflow.scatter_nd", {{"indices", i64({2, 1})}, {"updates", f32({2, 3})}, {"shape", Dims{5, 3}}}}, "tensorflow.scatter_nd", false,
              {
                  {{{"bad_indices_policy", w("ignore")}}, ErrorCode::word, ""},
                  {{{"indices", t(Dtype::uint16, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"indices", i64({})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({})}}, ErrorCode::shape, ""},
                  {{{"shape", Dims{5, -1}}}, ErrorCode::shape, ""},
                  {{{"shape", Dims{}}, {"indices", i64({1, 0})}, {"updates", f32({1})}}, ErrorCode::shape, ""},
                  {{{"shape", Dims{}}, {"indices", i64({0, 0})}, {"updates", f32({0})}}, ErrorCode::shape, ""},
                  {{{"shape", Dims{0, 3}}}, ErrorCode::shape, ""},
                  {{{"updates", f32({3, 3})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 4})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({1})}, {"updates", f32({3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({4, 1, 1})}, {"updates", f32({4})}}, ErrorCode::shape, ""},
                  {{{"shape", deep}, {"indices", i64({1, 8})}, {"updates", f32({1})}}, ErrorCode::shape, ""},
                  {{{"shape", Dims{std::int64_t{1} << 32, 3}}, {"indices", i64({2, 1}, {0, std::int64_t{1} << 33})}}, ErrorCode::memory, ""},
                  {{{"shape", Dims{std::int64_t{1} << 32, std::int64_t{1} << 32}}, {"indices", i64({2, 2})}, {"updates", f32({2})}}, ErrorCode::shape, ""},
                  {{{"shape", Dims{std::int64_t{1} << 62, 4}}, {"indices", i64({2, 2})}, {"updates", f32({2})}}, ErrorCode::shape, ""},
                  {{{"shape", Dims{0, std::int64_t{1} << 62}}, {"indices", i64({0, 2})}, {"updates", f32({0})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 1}, {0, -5})}}, ErrorCode::index, ""},
              });
}

TEST(TensorflowErrors, GatherNd) {
  expect_rows({"tensorflow.gather_nd", {{"params", f32({5, 3})}, {"indices", i64({2, 1})}}}, "tensorflow.gather_nd", false,
              {
                  {{{"bad_indices_policy", w("bogus")}}, ErrorCode::word, ""},
                  {{{"indices", t(Dtype::uint16, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"params", f32({})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"params", f32({0, 3})}}, ErrorCode::shape, ""},
                  {{{"params", f32({3, 0})}}, ErrorCode::shape, ""},
                  {{{"params", f32(deep)}, {"indices", i64({1, 8})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 1}, {5, 9})}}, ErrorCode::index, ""},
                  {{{"indices", i64({1}, {-1})}}, ErrorCode::index, ""},
              });
}

}  // namespace
}  // namespace strew::harness
