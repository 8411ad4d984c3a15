// Every check of PyTorch's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

// What scatter, scatter_add and scatter_reduce check alike.
std::vector<Row> common_rows() {
  return {
      {{{"dim", n(2)}}, ErrorCode::axis, "{op}: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
      {{{"dim", n(-3)}}, ErrorCode::axis, "{op}: Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
      {{{"dim", n(INT64_MIN)}},
       ErrorCode::axis,
       "{op}: Dimension out of range (expected to be in range of [-2, 1], but got -9223372036854775808)"},
      {{{"input", t(Dtype::string, {3, 4})}, {"src", t(Dtype::string, {2, 4})}},
       ErrorCode::dtype,
       "{op}: input must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
       "complex64, complex128, got string"},
      {{{"index", t(Dtype::int16, {2, 4})}}, ErrorCode::dtype, "{op}: scatter(): Expected dtype int32/int64 for index, got int16"},
      {{{"src", t(Dtype::float64, {2, 4})}},
       ErrorCode::dtype,
       "{op}: scatter(): Expected self.dtype to be equal to src.dtype, got float32 and float64"},
      {{{"index", i64({0})}, {"src", t(Dtype::float64, {2, 4})}},
       ErrorCode::dtype,
       "{op}: scatter(): Expected self.dtype to be equal to src.dtype, got float32 and float64"},
      {{{"index", i64({2})}}, ErrorCode::shape, "{op}: Index tensor must have the same number of dimensions as self tensor, got 1 and 2"},
      {{{"src", f32({2})}}, ErrorCode::shape, "{op}: Index tensor must have the same number of dimensions as src tensor, got 2 and 1"},
      {{{"index", i64({2, 5})}, {"src", f32({2, 5})}},
       ErrorCode::shape,
       "{op}: Expected index [2, 5] to be no larger than self [3, 4] apart from dimension 0 and to be no larger size than src [2, 5]"},
      {{{"index", i64({3, 4})}},
       ErrorCode::shape,
       "{op}: Expected index [3, 4] to be no larger than self [3, 4] apart from dimension 0 and to be no larger size than src [2, 4]"},
      {{{"index", i64({2, 4}, {0, 0, 34})}},
       ErrorCode::index,
       "{op}: index 34 is out of bounds for dimension 0 with size 3 (index[0, 2] = 34 for axis 0 of size 3, valid: 0..2)"},
      {{{"index", i64({2, 4}, {0, 0, 0, 0, 0, -1, 3})}},
       ErrorCode::index,
       "{op}: index -1 is out of bounds for dimension 0 with size 3 (index[1, 1] = -1 for axis 0 of size 3, valid: 0..2; 1 more)"},
      {{{"index", t(Dtype::int32, {2, 4}, {INT32_MIN})}},
       ErrorCode::index,
       "{op}: index -2147483648 is out of bounds for dimension 0 with size 3 (index[0, 0] = -2147483648 for axis 0 of size 3, valid: "
       "0..2)"},
      {{{"input", f32({0, 4})}},
       ErrorCode::index,
       "{op}: index 0 is out of bounds for dimension 0 with size 0 (index[0, 0] = 0 for axis 0 of size 0, no index is valid; 7 more)"},
  };
}

std::vector<Row> and_more(std::vector<Row> rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

const Arguments_ base{{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2, 4})}, {"src", f32({2, 4})}};

TEST(PytorchErrors, Scatter) {
  expect_rows(
      {"pytorch.scatter", base}, "pytorch.scatter", true,
      and_more(common_rows(),
               {
                   {{{"reduce", w("sum")}}, ErrorCode::argument, "{op}: reduce argument must be either add or multiply, got \"sum\""},
                   {{{"src", Number(1.0)}, {"index", i64({2, 5})}},
                    ErrorCode::shape,
                    "{op}: Expected index [2, 5] to be no larger than self [3, 4] apart from dimension 0"},
                   {{{"input", t(Dtype::uint8, {3, 4})}, {"src", n(300)}},
                    ErrorCode::argument,
                    "{op}: value cannot be converted to type uint8 without overflow, got 300"},
                   {{{"input", t(Dtype::float16, {3, 4})}, {"src", Number(70000.0)}},
                    ErrorCode::argument,
                    "{op}: value cannot be converted to type float16 without overflow, got 70000"},
                   {{{"src", Number(std::complex<double>(1, 2))}},
                    ErrorCode::argument,
                    "{op}: value cannot be converted to type float32 without overflow, got 1 + 2j"},
               }));
}

TEST(PytorchErrors, ScatterAdd) { expect_rows({"pytorch.scatter_add", base}, "pytorch.scatter_add", true, common_rows()); }

TEST(PytorchErrors, ScatterReduce) {
  Arguments_ args = base;
  args.push_back({"reduce", w("sum")});
  expect_rows(
      {"pytorch.scatter_reduce", args}, "pytorch.scatter_reduce", true,
      and_more(common_rows(), {
                                  {{{"reduce", w("add")}},
                                   ErrorCode::argument,
                                   "{op}: reduce argument must be either sum, prod, mean, amax or amin, got \"add\""},
                                  {{{"reduce", w("amax")}, {"input", t(Dtype::complex64, {3, 4})}, {"src", t(Dtype::complex64, {2, 4})}},
                                   ErrorCode::unsupported,
                                   "{op}: max is not defined for complex64"},
                                  {{{"reduce", w("mean")}, {"input", t(Dtype::bool_, {3, 4})}, {"src", t(Dtype::bool_, {2, 4})}},
                                   ErrorCode::unsupported,
                                   "{op}: mean is not defined for bool"},
                              }));
}

TEST(PytorchErrors, IndexAdd) {
  expect_rows(
      {"pytorch.index_add", {{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2})}, {"source", f32({2, 4})}}}, "pytorch.index_add",
      true,
      {
          {{{"dim", n(2)}}, ErrorCode::axis, "{op}: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
          {{{"input", t(Dtype::string, {3, 4})}, {"source", t(Dtype::string, {2, 4})}},
           ErrorCode::dtype,
           "{op}: input must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, "
           "float64, "
           "complex64, complex128, got string"},
          {{{"index", i64({1, 2})}}, ErrorCode::shape, "{op}: Index is supposed to be a vector, but got dim: 2"},
          {{{"index", t(Dtype::int16, {2})}}, ErrorCode::dtype, "{op}: Expected dtype int32/int64 for index but got: int16"},
          {{{"source", t(Dtype::float64, {2, 4})}},
           ErrorCode::dtype,
           "{op}: self (float32) and source (float64) must have the same scalar type"},
          {{{"dim", n(1)}, {"source", f32({2})}}, ErrorCode::axis, "{op}: Indexing dim 1 is out of bounds of source tensor of shape [2]"},
          {{{"source", f32({1, 4})}}, ErrorCode::shape, "{op}: Number of indices (2) should be equal to source.size(dim): (1), for dim: 0"},
          {{{"source", f32({2, 3})}},
           ErrorCode::shape,
           "{op}: source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [3, 4] "
           "source.shape = [2, 3]"},
          {{{"input", f32({})}, {"index", i64({1})}, {"source", f32({1, 1, 1})}},
           ErrorCode::shape,
           "{op}: source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [] source.shape = "
           "[1, 1, 1]"},
          {{{"input", t(Dtype::uint8, {3, 4})}, {"source", t(Dtype::uint8, {2, 4})}, {"alpha", n(300)}},
           ErrorCode::argument,
           "{op}: value cannot be converted to type uint8 without overflow, got 300"},
          {{{"index", i64({2}, {0, 7})}},
           ErrorCode::index,
           "{op}: index 7 is out of bounds for dimension 0 with size 3 (index[1] = 7 for axis 0 of size 3, valid: 0..2)"},
          {{{"index", t(Dtype::int32, {2}, {0, -1})}},
           ErrorCode::index,
           "{op}: index out of range in self (index[1] = -1 for axis 0 of size 3, valid: 0..2)"},
          {{{"input", f32({0})}, {"source", f32({2})}},
           ErrorCode::index,
           "{op}: index out of range in self (index[0] = 0 for axis 0 of size 0, no index is valid; 1 more)"},
      });
}

TEST(PytorchErrors, IndexCopy) {
  expect_rows({"pytorch.index_copy", {{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2})}, {"source", f32({2, 4})}}},
              "pytorch.index_copy", true,
              {
                  {{{"dim", n(-3)}}, ErrorCode::axis, "{op}: Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
                  {{{"input", t(Dtype::string, {3, 4})}, {"source", t(Dtype::string, {2, 4})}},
                   ErrorCode::dtype,
                   "{op}: input must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, "
                   "float64, complex64, complex128, got string"},
                  {{{"index", i64({2, 1})}}, ErrorCode::shape, "{op}: Index should have dimension 1 or 0 (got 2)"},
                  {{{"source", f32({})}}, ErrorCode::shape, "{op}: When source is scalar, index should have one element (got 2)"},
                  {{{"source", f32({2, 4, 1})}},
                   ErrorCode::shape,
                   "{op}: When source and destination are not scalars, their dimensionality must match. Source dimensionality (3), "
                   "destination dimensionality (2)"},
                  {{{"index", t(Dtype::int32, {2})}}, ErrorCode::dtype, "{op}: Expected a long tensor for index, but got int32"},
                  {{{"source", t(Dtype::float64, {2, 4})}},
                   ErrorCode::dtype,
                   "{op}: self and source expected to have the same dtype, but got (self) float32 and (source) float64"},
                  {{{"source", f32({2, 3})}},
                   ErrorCode::shape,
                   "{op}: Source/destination tensor must have same slice shapes. Destination slice shape: [4] at dimension 0 and source "
                   "slice shape: [3] at dimension 0"},
                  {{{"source", f32({3, 4})}}, ErrorCode::shape, "{op}: Number of indices (2) should be equal to source.size(dim) (3)"},
                  {{{"index", i64({2}, {7, -1})}},
                   ErrorCode::index,
                   "{op}: index_copy_(): index 7 is out of bounds for dimension 0 with size 3 (index[0] = 7 for axis 0 of size 3, valid: "
                   "0..2; 1 more)"},
              });
}

TEST(PytorchErrors, Gather) {
  expect_rows(
      {"pytorch.gather", {{"input", f32({3, 4})}, {"dim", n(0)}, {"index", i64({2, 4})}}}, "pytorch.gather", false,
      {
          {{{"dim", n(2)}}, ErrorCode::axis, "{op}: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
          {{{"input", t(Dtype::string, {3, 4})}},
           ErrorCode::dtype,
           "{op}: input must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, "
           "float64, "
           "complex64, complex128, got string"},
          {{{"index", t(Dtype::uint8, {2, 4})}}, ErrorCode::dtype, "{op}: gather(): Expected dtype int32/int64 for index, got uint8"},
          {{{"index", i64({2})}},
           ErrorCode::shape,
           "{op}: Index tensor must have the same number of dimensions as input tensor, got 1 and 2"},
          {{{"index", i64({2, 5})}},
           ErrorCode::shape,
           "{op}: Size does not match at dimension 1 expected index [2, 5] to be no larger than self [3, 4] apart from dimension 0"},
          {{{"index", i64({2, 4}, {0, 3})}},
           ErrorCode::index,
           "{op}: index 3 is out of bounds for dimension 0 with size 3 (index[0, 1] = 3 for axis 0 of size 3, valid: 0..2)"},
      });
}

}  // namespace
}  // namespace strew::harness
