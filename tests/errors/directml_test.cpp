// Every check of DirectML's operators on tensors.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

const Dims rank_9(9, 1);

TEST(DirectmlErrors, ScatterNd) {
  expect_rows({"directml.scatter_nd", {{"input", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}}, "directml.scatter_nd", false,
              {
                  {{{"feature_level", w("7_0")}}, ErrorCode::word, ""},
                  {{{"feature_level", w("2_0")}}, ErrorCode::unsupported, ""},
                  {{{"out_of_range", w("skip")}}, ErrorCode::word, ""},
                  {{{"input", t(Dtype::bool_, {5, 3})}, {"updates", t(Dtype::bool_, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"input", t(Dtype::float64, {5, 3})}, {"updates", t(Dtype::float64, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"indices", t(Dtype::float32, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"feature_level", w("2_1")}}, ErrorCode::dtype, ""},
                  {{{"updates", t(Dtype::float16, {2, 3})}}, ErrorCode::dtype, ""},
                  {{{"input", f32(rank_9)}}, ErrorCode::shape, ""},
                  {{{"indices", i64(rank_9)}}, ErrorCode::shape, ""},
                  {{{"updates", f32(rank_9)}}, ErrorCode::shape, ""},
                  {{{"input", f32({0, 3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 0})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({0, 3})}}, ErrorCode::shape, ""},
                  {{{"input_dimension_count", n(3)}}, ErrorCode::shape, ""},
                  {{{"input_dimension_count", n(0)}}, ErrorCode::shape, ""},
                  {{{"input_dimension_count", n(1)}}, ErrorCode::shape, ""},
                  {{{"indices_dimension_count", n(1)}}, ErrorCode::shape, ""},
                  {{{"indices_dimension_count", n(-1)}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({3, 3})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 1, 3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 1}, {0, 5})}}, ErrorCode::index, ""},
                  {{{"indices", t(Dtype::uint64, {2, 1}, {0, -1})}}, ErrorCode::index, ""},
                  {{{"indices", t(Dtype::uint32, {2, 1}, {0, -1})}}, ErrorCode::index, ""},
              });
}

TEST(DirectmlErrors, Scatter) {
  expect_rows({"directml.scatter", {{"input", f32({3, 4})}, {"indices", i64({2, 4})}, {"updates", f32({2, 4})}, {"axis", n(0)}}}, "directml.scatter", false,
              {
                  {{{"feature_level", w("bogus")}}, ErrorCode::word, ""},
                  {{{"out_of_range", w("wrap")}}, ErrorCode::word, ""},
                  {{{"input", t(Dtype::string, {3, 4})}, {"updates", t(Dtype::string, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"indices", t(Dtype::int8, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"updates", t(Dtype::int32, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"input", f32({})}, {"indices", i64({})}, {"updates", f32({})}}, ErrorCode::shape, ""},
                  {{{"feature_level", w("1_0")}, {"indices", t(Dtype::uint32, {2, 4})}}, ErrorCode::shape, ""},
                  {{{"input", f32({3, 0})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({0, 4})}, {"updates", f32({0, 4})}}, ErrorCode::shape, ""},
                  {{{"axis", n(2)}}, ErrorCode::axis, ""},
                  {{{"axis", n(-1)}}, ErrorCode::axis, ""},
                  {{{"indices", i64({2, 3})}, {"updates", f32({2, 3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2})}}, ErrorCode::shape, ""},
                  {{{"updates", f32({2, 3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 4}, {0, 0, -4, 3})}}, ErrorCode::index, ""},
              });
}

TEST(DirectmlErrors, GatherElements) {
  expect_rows({"directml.gather_elements", {{"input", f32({3, 4})}, {"indices", i64({2, 4})}, {"axis", n(0)}}}, "directml.gather_elements", false,
              {
                  {{{"feature_level", w("1_0")}}, ErrorCode::unsupported, ""},
                  {{{"input", t(Dtype::complex64, {3, 4})}}, ErrorCode::dtype, ""},
                  {{{"indices", t(Dtype::uint16, {2, 4})}}, ErrorCode::dtype, ""},
                  {{{"input", f32(rank_9)}}, ErrorCode::shape, ""},
                  {{{"input", f32({3, 0})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({0, 4})}}, ErrorCode::shape, ""},
                  {{{"axis", n(4)}}, ErrorCode::axis, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 4}, {3})}}, ErrorCode::index, ""},
              });
}

TEST(DirectmlErrors, GatherNd) {
  expect_rows({"directml.gather_nd", {{"input", f32({5, 3})}, {"indices", i64({2, 1})}}}, "directml.gather_nd", false,
              {
                  {{{"feature_level", w("2_0")}}, ErrorCode::unsupported, ""},
                  {{{"feature_level", w("2_1")}, {"indices", t(Dtype::uint32, {2, 1})}, {"batch_dimension_count", n(1)}}, ErrorCode::unsupported, ""},
                  {{{"input", t(Dtype::bool_, {5, 3})}}, ErrorCode::dtype, ""},
                  {{{"indices", t(Dtype::bool_, {2, 1})}}, ErrorCode::dtype, ""},
                  {{{"input", f32(rank_9)}}, ErrorCode::shape, ""},
                  {{{"indices", i64(rank_9)}}, ErrorCode::shape, ""},
                  {{{"input", f32({5, 0})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 0})}}, ErrorCode::shape, ""},
                  {{{"input_dimension_count", n(9)}}, ErrorCode::shape, ""},
                  {{{"indices_dimension_count", n(1)}}, ErrorCode::shape, ""},
                  {{{"batch_dimension_count", n(2)}}, ErrorCode::axis, ""},
                  {{{"batch_dimension_count", n(-1)}}, ErrorCode::axis, ""},
                  {{{"batch_dimension_count", n(1)}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 3})}}, ErrorCode::shape, ""},
                  {{{"indices", i64({2, 1}, {0, 5})}}, ErrorCode::index, ""},
              });
}

}  // namespace
}  // namespace strew::harness
