// Every check of TensorFlow's operators.
#include <gtest/gtest.h>

#include "errors/rows.h"

namespace strew::harness {
namespace {

const Dims deep(8, 1);

TEST(TensorflowErrors, TensorScatter) {
  for (const char* word : {"update", "add", "sub", "min", "max"}) {
    const std::string op = std::string("tensorflow.tensor_scatter_nd_") + word;
    expect_rows(
        {op, {{"tensor", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}}, op, false,
        {
            {{{"bad_indices_policy", w("bogus")}},
             ErrorCode::argument,
             "{op}: Unknown bad indices handling attribute: bogus (one of DEFAULT, ERROR, IGNORE)"},
            {{{"updates", t(Dtype::float64, {2, 3})}},
             ErrorCode::dtype,
             "{op}: tensor and updates must have the same dtype, got float32 and float64"},
            {{{"indices", i64({})}}, ErrorCode::shape, "{op}: Indices shape must have rank at least one. Found:[]"},
            {{{"updates", f32({})}}, ErrorCode::shape, "{op}: Updates shape must have rank at least one. Found:[]"},
            {{{"tensor", f32({0, 3})}},
             ErrorCode::shape,
             "{op}: Indices and updates specified for empty output shape. Output: [0,3] indices: [2,1] updates: [2,3]"},
            {{{"tensor", f32({3, 0})}, {"updates", f32({2, 0})}},
             ErrorCode::shape,
             "{op}: Indices and updates specified for empty output shape. Output: [3,0] indices: [2,1] updates: [2,0]"},
            {{{"indices", i64({2, 0})}, {"updates", f32({2, 5, 3})}},
             ErrorCode::shape,
             "{op}: Indices and updates specified for empty output shape. Output: [5,3] indices: [2,0] updates: [2,5,3]"},
            {{{"updates", f32({3, 3})}},
             ErrorCode::shape,
             "{op}: Outer dimensions of indices and update must match. Indices shape: [2,1], updates shape:[3,3]"},
            {{{"indices", i64({4, 1, 1})}, {"updates", f32({4})}},
             ErrorCode::shape,
             "{op}: Outer dimensions of indices and update must match. Indices shape: [4,1,1], updates shape:[4]"},
            {{{"updates", f32({2, 3, 1})}},
             ErrorCode::shape,
             "{op}: Inner dimensions of output shape must match inner dimensions of updates shape. Output: [5,3] updates: [2,3,1]"},
            {{{"indices", i64({2, 3})}, {"updates", f32({2})}},
             ErrorCode::shape,
             "{op}: Inner dimensions of output shape must match inner dimensions of updates shape. Output: [5,3] updates: [2]"},
            {{{"tensor", f32({})}, {"indices", i64({1, 1})}, {"updates", f32({1})}},
             ErrorCode::shape,
             "{op}: Inner dimensions of output shape must match inner dimensions of updates shape. Output: [] updates: [1]"},
            {{{"updates", f32({2, 4})}},
             ErrorCode::shape,
             "{op}: The inner 1 dimensions of output.shape=[5,3] must match the inner 1 dimensions of updates.shape=[2,4]"},
            {{{"indices", i64({1})}, {"updates", f32({3})}},
             ErrorCode::shape,
             "{op}: Dimensions [0,1) of indices[shape=[1]] = 1 must match dimensions [0,1) of updates[shape=[3]] = 3: indices must have at "
             "least two axes"},
            {{{"tensor", f32({4, 3, 0})}, {"indices", i64({0})}, {"updates", f32({4, 3, 0})}},
             ErrorCode::shape,
             "{op}: Dimensions [0,1) of indices[shape=[0]] = 0 must match dimensions [0,1) of updates[shape=[4,3,0]] = 4: indices must "
             "have at least two axes"},
            {{{"tensor", f32(deep)}, {"indices", i64({1, 8})}, {"updates", f32({1})}},
             ErrorCode::shape,
             "{op}: Only indices.shape[-1] values between 1 and 7 are currently supported.  Requested rank: 8"},
            {{{"indices", i64({0, 0})}, {"updates", f32({0, 5, 3})}},
             ErrorCode::shape,
             "{op}: Only indices.shape[-1] values between 1 and 7 are currently supported.  Requested rank: 0"},
            {{{"indices", i64({2, 1}, {0, 99})}},
             ErrorCode::index,
             "{op}: indices[1] = [99] does not index into shape [5,3] (indices[1, 0] = 99 for axis 0 of size 5, valid: 0..4)"},
            {{{"indices", i64({2, 1}, {-1, 5})}},
             ErrorCode::index,
             "{op}: indices[0] = [-1] does not index into shape [5,3] (indices[0, 0] = -1 for axis 0 of size 5, valid: 0..4; 1 more)"},
            {{{"indices", i64({2, 2}, {0, 0, 4, 3})}, {"updates", f32({2})}},
             ErrorCode::index,
             "{op}: indices[1] = [4, 3] does not index into shape [5,3] (indices[1, 1] = 3 for axis 1 of size 3, valid: 0..2)"},
            {{{"indices", i64({1, 2, 1}, {0, 7})}, {"updates", f32({1, 2, 3})}},
             ErrorCode::index,
             "{op}: indices[0,1] = [7] does not index into shape [5,3] (indices[0, 1, 0] = 7 for axis 0 of size 5, valid: 0..4)"},
        });
  }
}

TEST(TensorflowErrors, TypesOfEach) {
  const auto call = [](const char* word) -> Call {
    return {std::string("tensorflow.tensor_scatter_nd_") + word,
            {{"tensor", f32({5, 3})}, {"indices", i64({2, 1})}, {"updates", f32({2, 3})}}};
  };
  const auto of = [](Dtype dtype) -> Arguments_ { return {{"tensor", t(dtype, {5, 3})}, {"updates", t(dtype, {2, 3})}}; };
  const Arguments_ small{{"indices", t(Dtype::int8, {2, 1})}};
  expect_rows(call("update"), "tensorflow.tensor_scatter_nd_update", false,
              {{small, ErrorCode::dtype, "{op}: indices must be one of int16, int32, int64, uint16, got int8"}});
  expect_rows(call("add"), "tensorflow.tensor_scatter_nd_add", false,
              {{small, ErrorCode::dtype, "{op}: indices must be one of int32, int64, got int8"}});
  expect_rows(call("sub"), "tensorflow.tensor_scatter_nd_sub", false,
              {{small, ErrorCode::dtype, "{op}: indices must be one of int32, int64, got int8"},
               {of(Dtype::bool_), ErrorCode::unsupported, "{op}: sub is not defined for bool"},
               {of(Dtype::string), ErrorCode::unsupported, "{op}: sub is not defined for string"}});
  expect_rows(call("min"), "tensorflow.tensor_scatter_nd_min", false,
              {{small, ErrorCode::dtype, "{op}: indices must be one of int32, int64, got int8"},
               {of(Dtype::complex64), ErrorCode::unsupported, "{op}: min is not defined for complex64"},
               {of(Dtype::string), ErrorCode::unsupported, "{op}: min is not defined for string"}});
  expect_rows(call("max"), "tensorflow.tensor_scatter_nd_max", false,
              {{small, ErrorCode::dtype, "{op}: indices must be one of int32, int64, got int8"},
               {of(Dtype::complex128), ErrorCode::unsupported, "{op}: max is not defined for complex128"}});
}

TEST(TensorflowErrors, ScatterNd) {
  expect_rows(
      {"tensorflow.scatter_nd", {{"indices", i64({2, 1})}, {"updates", f32({2, 3})}, {"shape", Dims{5, 3}}}}, "tensorflow.scatter_nd",
      false,
      {
          {{{"bad_indices_policy", w("ignore")}},
           ErrorCode::argument,
           "{op}: Unknown bad indices handling attribute: ignore (one of DEFAULT, ERROR, IGNORE)"},
          {{{"indices", t(Dtype::uint16, {2, 1})}}, ErrorCode::dtype, "{op}: indices must be one of int16, int32, int64, got uint16"},
          {{{"indices", i64({})}}, ErrorCode::shape, "{op}: Indices shape must have rank at least one. Found:[]"},
          {{{"updates", f32({})}}, ErrorCode::shape, "{op}: Updates shape must have rank at least one. Found:[]"},
          {{{"shape", Dims{5, -1}}}, ErrorCode::shape, "{op}: Dimension -1 must be >= 0, got shape [5,-1]"},
          {{{"shape", Dims{}}, {"indices", i64({1, 0})}, {"updates", f32({1})}},
           ErrorCode::shape,
           "{op}: Indices and updates specified for empty output shape. Indices: [1,0] updates: [1]"},
          {{{"shape", Dims{}}, {"indices", i64({0, 0})}, {"updates", f32({0})}},
           ErrorCode::shape,
           "{op}: Output must be at least 1-D, got shape: []"},
          {{{"shape", Dims{0, 3}}},
           ErrorCode::shape,
           "{op}: Indices and updates specified for empty output.  indices shape: [2,1], output shape: [0,3]"},
          {{{"updates", f32({3, 3})}},
           ErrorCode::shape,
           "{op}: Dimensions [0,1) of indices[shape=[2,1]] must match dimensions [0,1) of updates[shape=[3,3]]"},
          {{{"updates", f32({2, 4})}},
           ErrorCode::shape,
           "{op}: Dimensions [1,2) of input[shape=[5,3]] must match dimensions [1,2) of updates[shape=[2,4]]"},
          {{{"indices", i64({2, 3})}},
           ErrorCode::shape,
           "{op}: Dimensions [3,2) of input[shape=[5,3]] must match dimensions [1,2) of updates[shape=[2,3]]"},
          {{{"indices", i64({1})}, {"updates", f32({3})}},
           ErrorCode::shape,
           "{op}: Dimensions [0,1) of indices[shape=[1]] = 1 must match dimensions [0,1) of updates[shape=[3]] = 3: indices must have at "
           "least two axes"},
          {{{"indices", i64({4, 1, 1})}, {"updates", f32({4})}},
           ErrorCode::shape,
           "{op}: Dimensions [0,2) of indices[shape=[4,1,1]] must match dimensions [0,2) of updates[shape=[4]]"},
          {{{"shape", deep}, {"indices", i64({1, 8})}, {"updates", f32({1})}},
           ErrorCode::shape,
           "{op}: Only indices.shape[-1] values between 1 and 7 are currently supported.  Requested rank: 8"},
          {{{"shape", Dims{std::int64_t{1} << 50, 3}}, {"indices", i64({2, 1}, {0, std::int64_t{1} << 51})}},
           ErrorCode::memory,
           "{op}: could not allocate the output, float32 of shape [1125899906842624, 3]"},
          {{{"shape", Dims{std::int64_t{1} << 32, std::int64_t{1} << 32}}, {"indices", i64({2, 2})}, {"updates", f32({2})}},
           ErrorCode::shape,
           "{op}: out: shape [4294967296, 4294967296] would have more than 2**63 - 1 bytes"},
          {{{"shape", Dims{std::int64_t{1} << 62, 4}}, {"indices", i64({2, 2})}, {"updates", f32({2})}},
           ErrorCode::shape,
           "{op}: out: shape [4611686018427387904, 4] would have more than 2**63 - 1 bytes"},
          {{{"shape", Dims{0, std::int64_t{1} << 62}}, {"indices", i64({0, 2})}, {"updates", f32({0})}},
           ErrorCode::shape,
           "{op}: out: shape [0, 4611686018427387904] would have more than 2**63 - 1 bytes"},
          {{{"indices", i64({2, 1}, {0, -5})}},
           ErrorCode::index,
           "{op}: indices[1] = [-5] does not index into shape [5,3] (indices[1, 0] = -5 for axis 0 of size 5, valid: 0..4)"},
      });
}

TEST(TensorflowErrors, GatherNd) {
  expect_rows(
      {"tensorflow.gather_nd", {{"params", f32({5, 3})}, {"indices", i64({2, 1})}}}, "tensorflow.gather_nd", false,
      {
          {{{"bad_indices_policy", w("bogus")}},
           ErrorCode::argument,
           "{op}: Unknown bad indices handling attribute: bogus (one of DEFAULT, ERROR, IGNORE)"},
          {{{"indices", t(Dtype::uint16, {2, 1})}}, ErrorCode::dtype, "{op}: indices must be one of int16, int32, int64, got uint16"},
          {{{"params", f32({})}}, ErrorCode::shape, "{op}: params must be at least a vector, got shape []"},
          {{{"indices", i64({})}}, ErrorCode::shape, "{op}: indices must be at least a vector, got shape []"},
          {{{"indices", i64({2, 3})}}, ErrorCode::shape, "{op}: index innermost dimension length must be <= params rank; saw: 3 vs. 2"},
          {{{"params", f32({0, 3})}}, ErrorCode::shape, "{op}: Requested more than 0 entries, but params is empty.  Params shape: [0,3]"},
          {{{"params", f32({3, 0})}}, ErrorCode::shape, "{op}: Requested more than 0 entries, but params is empty.  Params shape: [3,0]"},
          {{{"params", f32(deep)}, {"indices", i64({1, 8})}},
           ErrorCode::shape,
           "{op}: Only indices.shape[-1] values between 0 and 7 are currently supported.  Requested rank: 8"},
          {{{"indices", i64({2, 1}, {5, 9})}},
           ErrorCode::index,
           "{op}: indices[0] = [5] does not index into param shape [5,3] (indices[0, 0] = 5 for axis 0 of size 5, valid: 0..4; 1 more)"},
          {{{"indices", i64({1}, {-1})}},
           ErrorCode::index,
           "{op}: indices = [-1] does not index into param shape [5,3] (indices[0] = -1 for axis 0 of size 5, valid: 0..4)"},
      });
}

}  // namespace
}  // namespace strew::harness
