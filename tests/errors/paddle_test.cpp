// Every check of Paddle's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

TEST(PaddleErrors, ScatterNdAdd) {
  expect_rows(
      {"paddle.scatter_nd_add", {{"x", f32({5, 3})}, {"index", i64({2, 1})}, {"updates", f32({2, 3})}}}, "paddle.scatter_nd_add", false,
      {
          {{{"x", t(Dtype::string, {5, 3})}, {"updates", t(Dtype::string, {2, 3})}},
           ErrorCode::dtype,
           "{op}: x must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
           "complex64, complex128, got string"},
          {{{"updates", t(Dtype::float64, {2, 3})}},
           ErrorCode::dtype,
           "{op}: x and updates must have same data type but x.dtype=float32, updates.dtype=float64"},
          {{{"index", t(Dtype::int16, {2, 1})}},
           ErrorCode::dtype,
           "{op}: Index holds the wrong type, it holds [int16], but desires to be [int32] or [int64]."},
          {{{"index", i64({})}},
           ErrorCode::shape,
           "{op}: The rank of Input(Index) should be greater than 1, but received the rank of Input(Index) is 0."},
          {{{"index", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: The last dimension of Input(Index)'s shape should be no greater than the rank of Input(X), but received the last "
           "dimension of Input(Index)'s shape is 3, the rank of Input(X) is 2."},
          {{{"updates", f32({2, 4})}},
           ErrorCode::shape,
           "{op}: Updates has wrong shape. It must be index.shape[:-1] + x.shape[index.shape[-1]:] = [2, 3], got [2, 4]"},
          {{{"updates", f32({})}},
           ErrorCode::shape,
           "{op}: Updates has wrong shape. It must be index.shape[:-1] + x.shape[index.shape[-1]:] = [2, 3], got []"},
          {{{"index", i64({2, 1}, {0, 5})}},
           ErrorCode::index,
           "{op}: The index is out of bounds, please check whether the dimensions of index and input meet the requirements. It should be "
           "less than [5] and greater or equal to [-5], but received [5] (index[1, 0] = 5 for axis 0 of size 5, valid: -5..4)"},
          {{{"index", i64({2, 1}, {-6, 5})}},
           ErrorCode::index,
           "{op}: The index is out of bounds, please check whether the dimensions of index and input meet the requirements. It should be "
           "less than [5] and greater or equal to [-5], but received [-6] (index[0, 0] = -6 for axis 0 of size 5, valid: -5..4; 1 more)"},
      });
}

TEST(PaddleErrors, ScatterNd) {
  expect_rows(
      {"paddle.scatter_nd", {{"index", i64({2, 1})}, {"updates", f32({2, 3})}, {"shape", Dims{5, 3}}}}, "paddle.scatter_nd", false,
      {
          {{{"updates", t(Dtype::string, {2, 3})}},
           ErrorCode::dtype,
           "{op}: updates must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, "
           "float64, complex64, complex128, got string"},
          {{{"index", t(Dtype::int16, {2, 1})}},
           ErrorCode::dtype,
           "{op}: Index holds the wrong type, it holds [int16], but desires to be [int32] or [int64]."},
          {{{"shape", Dims{-5, 3}}}, ErrorCode::shape, "{op}: sizes in shape must be >= 0, got [-5, 3]"},
          {{{"index", i64({})}},
           ErrorCode::shape,
           "{op}: The rank of Input(Index) should be greater than 1, but received the rank of Input(Index) is 0."},
          {{{"index", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: The last dimension of Input(Index)'s shape should be no greater than the rank of Input(X), but received the last "
           "dimension of Input(Index)'s shape is 3, the rank of Input(X) is 2."},
          {{{"updates", f32({2, 4})}},
           ErrorCode::shape,
           "{op}: Updates has wrong shape. It must be index.shape[:-1] + x.shape[index.shape[-1]:] = [2, 3], got [2, 4]"},
          {{{"index", i64({2, 1}, {0, -6})}},
           ErrorCode::index,
           "{op}: The index is out of bounds, please check whether the dimensions of index and input meet the requirements. It should be "
           "less than [5] and greater or equal to [-5], but received [-6] (index[1, 0] = -6 for axis 0 of size 5, valid: -5..4)"},
      });
}

TEST(PaddleErrors, Scatter) {
  expect_rows(
      {"paddle.scatter", {{"x", f32({5, 3})}, {"index", i64({2})}, {"updates", f32({2, 3})}}}, "paddle.scatter", true,
      {
          {{{"x", t(Dtype::string, {5, 3})}, {"updates", t(Dtype::string, {2, 3})}},
           ErrorCode::dtype,
           "{op}: x must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
           "complex64, complex128, got string"},
          {{{"updates", t(Dtype::int64, {2, 3})}},
           ErrorCode::dtype,
           "{op}: x and updates must have same data type but x.dtype=float32, updates.dtype=int64"},
          {{{"index", t(Dtype::uint8, {2})}},
           ErrorCode::dtype,
           "{op}: Index holds the wrong type, it holds [uint8], but desires to be [int32] or [int64]."},
          {{{"index", i64({1, 2})}},
           ErrorCode::shape,
           "{op}: The last dimension of the index should be 1 when the index is a 2D tensor, but we get 2."},
          {{{"index", i64({2, 1, 1})}},
           ErrorCode::shape,
           "{op}: The index should be a 0D or 1D tensor when the index is not a 2D tensor, but we get 3."},
          {{{"x", f32({})}, {"updates", f32({})}}, ErrorCode::shape, "{op}: x must have at least one axis, got shape []"},
          {{{"index", i64({})}},
           ErrorCode::shape,
           "{op}: When the index is a 0D tensor, the rank of updates should be that of x less one, got updates [2, 3] and x [5, 3]"},
          {{{"updates", f32({2, 3, 1})}},
           ErrorCode::shape,
           "{op}: Input(X) and Input(Updates) should have the same shape size, but received the size of Input(x)'s shape is 2, the size of "
           "Input(Updates)'s shape is 3."},
          {{{"updates", f32({2, 4})}}, ErrorCode::shape, "{op}: updates must have the shape of x behind the first axis, [3], got [2, 4]"},
          {{{"updates", f32({1, 3})}},
           ErrorCode::shape,
           "{op}: Input(Updates) must have at least as many rows as Input(Ids), but received the batch-size of Input(Ids) is 2, the "
           "batch-size of Input(Updates) is 1."},
          {{{"index", i64({2}, {0, 5})}},
           ErrorCode::index,
           "{op}: The index is out of bounds, each index should be less than 1st-dim size (5) of input and greater than or equal to [-5], "
           "but received [5] (index[1] = 5 for axis 0 of size 5, valid: -5..4)"},
          {{{"index", i64({2}, {0, -6})}, {"overwrite", Number(false)}},
           ErrorCode::index,
           "{op}: The index is out of bounds, each index should be less than 1st-dim size (5) of input and greater than or equal to [-5], "
           "but received [-6] (index[1] = -6 for axis 0 of size 5, valid: -5..4)"},
      });
}

TEST(PaddleErrors, PutAlongAxis) {
  expect_rows(
      {"paddle.put_along_axis", {{"arr", f32({3, 4})}, {"indices", i64({2, 4})}, {"values", f32({2, 4})}, {"axis", n(0)}}},
      "paddle.put_along_axis", true,
      {
          {{{"axis", n(2)}}, ErrorCode::axis, "{op}: 'axis'  must be in the range of [-2, 2), got 2"},
          {{{"axis", n(-3)}}, ErrorCode::axis, "{op}: 'axis'  must be in the range of [-2, 2), got -3"},
          {{{"arr", f32({})}, {"indices", i64({})}, {"values", f32({})}},
           ErrorCode::axis,
           "{op}: 'axis'  must be in the range of [-0, 0), got 0"},
          {{{"reduce", w("sum")}},
           ErrorCode::argument,
           "{op}: can not support reduce: 'sum' for scatter kernel, only support assign, add, mul, multiply, mean, amin, amax"},
          {{{"arr", t(Dtype::string, {3, 4})}, {"values", t(Dtype::string, {2, 4})}},
           ErrorCode::dtype,
           "{op}: arr must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
           "complex64, complex128, got string"},
          {{{"values", t(Dtype::float64, {2, 4})}},
           ErrorCode::dtype,
           "{op}: arr and values must have same data type but arr.dtype=float32, values.dtype=float64"},
          {{{"indices", t(Dtype::int8, {2, 4})}},
           ErrorCode::dtype,
           "{op}: Index holds the wrong type, it holds [int8], but desires to be [int32] or [int64]."},
          {{{"indices", i64({2})}}, ErrorCode::shape, "{op}: `indices` and `arr` must have the same number of dimensions, got 1 and 2"},
          {{{"indices", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: indices of shape [2, 3] cannot be broadcast to arr of shape [3, 4] apart from dimension 0"},
          {{{"arr", f32({1, 4, 1, 2})}, {"axis", n(1)}, {"indices", i64({1, 1, 2, 2})}},
           ErrorCode::shape,
           "{op}: indices of shape [1, 1, 2, 2] cannot be broadcast to arr of shape [1, 4, 1, 2] apart from dimension 1"},
          {{{"values", f32({2, 3})}}, ErrorCode::shape, "{op}: values of shape [2, 3] cannot be broadcast to indices of shape [2, 4]"},
          {{{"values", f32({2})}, {"broadcast", Number(false)}},
           ErrorCode::shape,
           "{op}: `values` and `arr` must have the same number of dimensions, got 1 and 2"},
          {{{"indices", i64({2, 5})}, {"values", f32({2, 5})}, {"broadcast", Number(false)}},
           ErrorCode::shape,
           "{op}: Size does not match at dimension 1 expected index [2, 5] to be smaller than self [3, 4] apart from dimension 0 and to be "
           "smaller size than values [2, 5]"},
          {{{"values", f32({1, 4})}, {"broadcast", Number(false)}},
           ErrorCode::shape,
           "{op}: Size does not match at dimension 0 expected index [2, 4] to be smaller than self [3, 4] apart from dimension 0 and to be "
           "smaller size than values [1, 4]"},
          {{{"indices", i64({2, 5})}, {"values", Number(1.5)}, {"broadcast", Number(false)}},
           ErrorCode::shape,
           "{op}: Size does not match at dimension 1 expected index [2, 5] to be smaller than self [3, 4] apart from dimension 0"},
          {{{"values", n(9)}},
           ErrorCode::dtype,
           "{op}: a number as values is int64 when it is broadcast, but arr is float32; pass a tensor, or broadcast=False"},
          {{{"values", Number(9.5)}, {"arr", t(Dtype::float64, {3, 4})}},
           ErrorCode::dtype,
           "{op}: a number as values is float32 when it is broadcast, but arr is float64; pass a tensor, or broadcast=False"},
          // Paddle takes the number as a float32.
          {{{"values", Number(1e20)}, {"arr", t(Dtype::int32, {3, 4})}, {"broadcast", Number(false)}},
           ErrorCode::argument,
           "{op}: value cannot be converted to type int32 without overflow, got 100000002004087734272"},
          {{{"reduce", w("amax")}, {"arr", t(Dtype::complex64, {3, 4})}, {"values", t(Dtype::complex64, {2, 4})}},
           ErrorCode::unsupported,
           "{op}: max is not defined for complex64"},
          {{{"reduce", w("mean")}, {"arr", t(Dtype::bool_, {3, 4})}, {"values", t(Dtype::bool_, {2, 4})}},
           ErrorCode::unsupported,
           "{op}: mean is not defined for bool"},
          {{{"indices", i64({2, 4}, {0, 3})}},
           ErrorCode::index,
           "{op}: Variable value (index) of scatter cpu kernel, expected >= -3 and < 3, but got 3. Please check the input value "
           "(indices[0, 1] = 3 for axis 0 of size 3, valid: -3..2)"},
          {{{"indices", i64({2, 4}, {0, 0, 0, 0, -4})}, {"broadcast", Number(false)}},
           ErrorCode::index,
           "{op}: Variable value (index) of scatter cpu kernel, expected >= -3 and < 3, but got -4. Please check the input value "
           "(indices[1, 0] = -4 for axis 0 of size 3, valid: -3..2)"},
      });
}

TEST(PaddleErrors, IndexAdd) {
  expect_rows({"paddle.index_add", {{"x", f32({3, 4})}, {"index", i64({2})}, {"axis", n(0)}, {"value", f32({2, 4})}}}, "paddle.index_add",
              true,
              {
                  {{{"x", t(Dtype::string, {3, 4})}, {"value", t(Dtype::string, {2, 4})}},
                   ErrorCode::dtype,
                   "{op}: x must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, "
                   "float64, complex64, complex128, got string"},
                  {{{"value", t(Dtype::float64, {2, 4})}},
                   ErrorCode::dtype,
                   "{op}: x and value must have same data type but x.dtype=float32, value.dtype=float64"},
                  {{{"index", t(Dtype::int16, {2})}},
                   ErrorCode::dtype,
                   "{op}: Index holds the wrong type, it holds [int16], but desires to be [int32] or [int64]."},
                  {{{"axis", n(2)}}, ErrorCode::axis, "{op}: The axis is out of range, expected in [-2, 2), but received 2"},
                  {{{"index", i64({2, 1})}}, ErrorCode::shape, "{op}: The dimension of Input(Index) should be 1, but received 2."},
                  {{{"value", f32({3, 4})}},
                   ErrorCode::shape,
                   "{op}: value must have the shape of x with the length of index on axis 0, [2, 4], got [3, 4]"},
                  {{{"value", f32({2, 3})}},
                   ErrorCode::shape,
                   "{op}: value must have the shape of x with the length of index on axis 0, [2, 4], got [2, 3]"},
                  {{{"value", f32({2})}},
                   ErrorCode::shape,
                   "{op}: value must have the shape of x with the length of index on axis 0, [2, 4], got [2]"},
                  {{{"index", i64({2}, {-4, 3})}},
                   ErrorCode::index,
                   "{op}: Variable value (index) of OP(index_add) expected >= -3 and < 3, but got -4. Please check input value (index[0] = "
                   "-4 for axis 0 of size 3, valid: -3..2; 1 more)"},
              });
}

TEST(PaddleErrors, GatherNd) {
  expect_rows({"paddle.gather_nd", {{"x", f32({5, 3})}, {"index", i64({2, 1})}}}, "paddle.gather_nd", false,
              {
                  {{{"x", t(Dtype::string, {5, 3})}},
                   ErrorCode::dtype,
                   "{op}: x must be one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, "
                   "float64, complex64, complex128, got string"},
                  {{{"index", t(Dtype::int16, {2, 1})}},
                   ErrorCode::dtype,
                   "{op}: Index holds the wrong type, it holds [int16], but desires to be [int32] or [int64]."},
                  {{{"index", i64({})}},
                   ErrorCode::shape,
                   "{op}: The rank of Input(Index) should be greater than 1, but received the rank of Input(Index) is 0."},
                  {{{"index", i64({2, 3})}},
                   ErrorCode::shape,
                   "{op}: The last dimension of Input(Index)'s shape should be no greater than the rank of Input(X), but received the last "
                   "dimension of Input(Index)'s shape is 3, the rank of Input(X) is 2."},
                  {{{"index", i64({2, 1}, {5, -6})}},
                   ErrorCode::index,
                   "{op}: Input(index[-1)] has wrong value, it is [5] (index[0, 0] = 5 for axis 0 of size 5, valid: -5..4; 1 more)"},
              });
}

}  // namespace
}  // namespace strew::harness
