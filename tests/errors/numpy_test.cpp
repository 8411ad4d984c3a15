// Every check of NumPy's operators, and keys that no program should write.
#include <gtest/gtest.h>

#include "errors/rows.h"
#include "strew/strew.h"

namespace strew::harness {
namespace {

TensorSpec mask(Dims shape) { return t(Dtype::bool_, std::move(shape)); }

TEST(NumpyErrors, AddAt) {
  expect_rows(
      {"numpy.add_at", {{"a", f32({3, 4})}, {"indices", KeySpec{i64({2}), numpy::Slice{}}}, {"b", f32({2, 4})}}}, "numpy.add_at", false,
      {
          {{{"indices", KeySpec{f32({2})}}},
           ErrorCode::index,
           "{op}: arrays used as indices must be of integer (or boolean) type, got float32"},
          {{{"indices", KeySpec{numpy::Ellipsis{}, numpy::Ellipsis{}}}},
           ErrorCode::index,
           "{op}: an index can only have a single ellipsis ('...')"},
          {{{"indices", KeySpec{std::int64_t{0}, std::int64_t{0}, std::int64_t{0}}}},
           ErrorCode::index,
           "{op}: too many indices for array: array is 2-dimensional, but 3 were indexed"},
          {{{"indices", KeySpec{mask({3, 4, 1})}}},
           ErrorCode::index,
           "{op}: too many indices for array: array is 2-dimensional, but 3 were indexed"},
          {{{"indices", KeySpec{mask({4})}}},
           ErrorCode::index,
           "{op}: boolean index did not match indexed array along axis 0; size of axis is 3 but size of corresponding boolean axis is 4"},
          {{{"indices", KeySpec{numpy::Slice{}, mask({3})}}},
           ErrorCode::index,
           "{op}: boolean index did not match indexed array along axis 1; size of axis is 4 but size of corresponding boolean axis is 3"},
          {{{"indices", KeySpec{mask({3, 3})}}},
           ErrorCode::index,
           "{op}: boolean index did not match indexed array along axis 1; size of axis is 4 but size of corresponding boolean axis is 3"},
          {{{"indices", KeySpec{numpy::Slice{{}, {}, 0}}}}, ErrorCode::shape, "{op}: slice step cannot be zero"},
          {{{"indices", KeySpec{std::int64_t{3}}}},
           ErrorCode::index,
           "{op}: index 3 is out of bounds for axis 0 with size 3 (valid: -3..2)"},
          {{{"indices", KeySpec{numpy::Slice{}, INT64_MIN}}},
           ErrorCode::index,
           "{op}: index -9223372036854775808 is out of bounds for axis 1 with size 4 (valid: -4..3)"},
          {{{"indices", KeySpec{i64({}, {-4})}}},
           ErrorCode::index,
           "{op}: index -4 is out of bounds for axis 0 with size 3 (valid: -3..2)"},
          {{{"indices", KeySpec{t(Dtype::uint64, {}, {-1})}}},
           ErrorCode::index,
           "{op}: index 18446744073709551615 is too large to convert to int64"},
          {{{"indices", KeySpec{i64({2}), i64({3})}}},
           ErrorCode::index,
           "{op}: shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,)"},
          {{{"indices", KeySpec{i64({2}), t(Dtype::bool_, {4}, {1, 1, 1, 0})}}},
           ErrorCode::index,
           "{op}: shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,)"},
          {{{"indices", KeySpec{mask({}), i64({2})}}},
           ErrorCode::index,
           "{op}: shape mismatch: indexing arrays could not be broadcast together with shapes (0,) (2,)"},
          {{{"b", f32({3})}},
           ErrorCode::shape,
           "{op}: array is not broadcastable to correct shape: b has shape (3,), a[indices] has (2,4)"},
          {{{"b", f32({1, 2, 4})}},
           ErrorCode::shape,
           "{op}: array is not broadcastable to correct shape: b has shape (1,2,4), a[indices] has (2,4)"},
          {{{"b", t(Dtype::string, {2, 4})}},
           ErrorCode::dtype,
           "{op}: ufunc 'add' did not contain a loop with signature matching types (float32, string)"},
          {{{"indices", KeySpec{i64({2}, {0, 3})}}},
           ErrorCode::index,
           "{op}: index 3 is out of bounds for axis 0 with size 3 (indices[1] = 3 for axis 0 of size 3, valid: -3..2)"},
          {{{"indices", KeySpec{std::int64_t{2}, i64({4}, {0, 4, -5, 1})}}, {"b", n(1)}},
           ErrorCode::index,
           "{op}: index 4 is out of bounds for axis 1 with size 4 (indices[1] = 4 for axis 1 of size 4, valid: -4..3; 1 more)"},
          // Read as a signed number, as NumPy does.
          {{{"indices", KeySpec{t(Dtype::uint64, {2}, {0, INT64_MIN})}}},
           ErrorCode::index,
           "{op}: index -9223372036854775808 is out of bounds for axis 0 with size 3 (indices[1] = -9223372036854775808 for axis 0 of size "
           "3, valid: -3..2)"},
          {{{"indices", n(0)}}, ErrorCode::argument, "{op}: argument \"indices\" must be a list of indices"},
      });
}

TEST(NumpyErrors, TooManyDimensions) {
  KeySpec key(63, numpy::NewAxis{});
  expect_rows({"numpy.add_at", {{"a", f32({3, 4})}, {"indices", KeySpec{}}, {"b", n(1)}}}, "numpy.add_at", false,
              {{{{"indices", key}}, ErrorCode::index, "{op}: number of dimensions must be within [0, 64], indexing result would have 65"}});
}

TEST(NumpyErrors, Loops) {
  expect_rows({"numpy.subtract_at", {{"a", t(Dtype::bool_, {3})}, {"indices", KeySpec{i64({1})}}, {"b", n(1)}}}, "numpy.subtract_at", false,
              {{{{"b", Number(true)}},
                ErrorCode::dtype,
                "{op}: numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
                "logical_xor function instead."}});
  expect_rows(
      {"numpy.minimum_at", {{"a", f32({3})}, {"indices", KeySpec{i64({1})}}, {"b", f32({1})}}}, "numpy.minimum_at", false,
      {{{{"a", t(Dtype::string, {3})}, {"b", t(Dtype::string, {1})}}, ErrorCode::unsupported, "{op}: min is not defined for string"}});
}

TEST(NumpyErrors, PutAlongAxis) {
  expect_rows(
      {"numpy.put_along_axis", {{"arr", t(Dtype::int8, {2, 3})}, {"indices", i64({2, 2})}, {"values", n(1)}, {"axis", n(1)}}},
      "numpy.put_along_axis", false,
      {
          {{{"axis", n(2)}}, ErrorCode::axis, "{op}: axis 2 is out of bounds for array of dimension 2"},
          {{{"axis", n(-3)}}, ErrorCode::axis, "{op}: axis -3 is out of bounds for array of dimension 2"},
          {{{"indices", t(Dtype::bool_, {2, 2})}}, ErrorCode::index, "{op}: `indices` must be an integer array, got bool"},
          {{{"indices", i64({2})}}, ErrorCode::shape, "{op}: `indices` and `arr` must have the same number of dimensions, got 1 and 2"},
          {{{"indices", i64({3, 2})}},
           ErrorCode::index,
           "{op}: shape mismatch: indexing arrays could not be broadcast together with shapes (2,1) (3,2)"},
          {{{"values", f32({3})}},
           ErrorCode::shape,
           "{op}: shape mismatch: value array of shape (3,) could not be broadcast to indexing result of shape (2,2)"},
          {{{"values", f32({2, 1, 2})}},
           ErrorCode::shape,
           "{op}: shape mismatch: value array of shape (2,1,2) could not be broadcast to indexing result of shape (2,2)"},
          {{{"values", n(300)}}, ErrorCode::argument, "{op}: Python integer 300 out of bounds for int8"},
          {{{"values", Number(300.5)}}, ErrorCode::argument, "{op}: Python integer 300 out of bounds for int8"},
          {{{"arr", t(Dtype::uint64, {2, 3})}, {"values", n(-1)}}, ErrorCode::argument, "{op}: Python integer -1 out of bounds for uint64"},
          {{{"values", Number(1e300)}}, ErrorCode::argument, "{op}: Python int too large to convert to int8"},
          {{{"values", Number(NAN)}}, ErrorCode::argument, "{op}: cannot convert float NaN to integer"},
          {{{"values", Number(INFINITY)}}, ErrorCode::argument, "{op}: cannot convert float infinity to integer"},
          {{{"values", Number(std::complex<double>(1, 0))}},
           ErrorCode::dtype,
           "{op}: argument must be a real number, not 'complex', for an array of int8"},
          {{{"values", t(Dtype::string, {2, 2})}},
           ErrorCode::dtype,
           "{op}: strings and numbers do not mix: arr and values must both be strings, or neither"},
          {{{"indices", i64({2, 2}, {0, 1, 3, -4})}},
           ErrorCode::index,
           "{op}: index 3 is out of bounds for axis 1 with size 3 (indices[1, 0] = 3 for axis 1 of size 3, valid: -3..2; 1 more)"},
      });
}

TEST(NumpyErrors, PutAlongNoAxis) {
  TensorSpec column_major = f32({2, 3});
  column_major.strides = Dims{1, 2};
  expect_rows({"numpy.put_along_axis", {{"arr", f32({2, 3})}, {"indices", i64({2})}, {"values", n(1)}}}, "numpy.put_along_axis", false,
              {
                  {{{"indices", i64({1, 2})}}, ErrorCode::shape, "{op}: when axis=None, `indices` must have a single dimension."},
                  {{{"arr", column_major}},
                   ErrorCode::shape,
                   "{op}: assignment destination is read-only: when axis=None, `arr` must be dense and row-major"},
                  {{{"indices", i64({2}, {0, 6})}},
                   ErrorCode::index,
                   "{op}: index 6 is out of bounds for axis 0 with size 6 (indices[1] = 6 for axis 0 of size 6, valid: -6..5)"},
              });
}

}  // namespace
}  // namespace strew::harness

namespace strew {
namespace {

template <class Call>
ErrorCode code_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::memory;
}

TEST(NumpyHostile, FarSlices) {
  std::vector<float> x(5);
  using numpy::Slice;
  const struct {
    Slice slice;
    std::vector<float> expected;
  } rows[] = {
      {{INT64_MIN, INT64_MAX, INT64_MAX}, {1, 0, 0, 0, 0}},
      {{{}, {}, INT64_MIN}, {0, 0, 0, 0, 1}},
      {{INT64_MAX, INT64_MIN, -1}, {1, 1, 1, 1, 1}},
      {{INT64_MIN, INT64_MIN, -1}, {0, 0, 0, 0, 0}},
      {{INT64_MAX, {}, {}}, {0, 0, 0, 0, 0}},
      {{-2, INT64_MIN, INT64_MIN + 1}, {0, 0, 0, 1, 0}},
  };
  for (const auto& row : rows) {
    std::fill(x.begin(), x.end(), 0.0f);
    numpy::add_at(tensor(x), {row.slice}, 1.0);
    EXPECT_EQ(x, row.expected);
  }
}

TEST(NumpyHostile, TensorsThatLie) {
  std::vector<float> x(3);
  const std::int64_t zero = 0;
  const ConstTensorRef null_mask(nullptr, Dtype::bool_, {3}), null_index(nullptr, Dtype::int64, {2}),
      null_scalar(nullptr, Dtype::int64, {});
  const ConstTensorRef far(&zero, Dtype::bool_, {INT64_MAX, INT64_MAX}), negative(&zero, Dtype::int64, {-1}, {1});
  ConstTensorRef unknown(&zero, Dtype::int64, {1});
  unknown.dtype = static_cast<Dtype>(99);
  for (const ConstTensorRef& index : {null_mask, null_index, null_scalar, far, negative})
    EXPECT_EQ(code_of([&] { numpy::add_at(tensor(x), {index}, 1.0); }), ErrorCode::shape);
  EXPECT_EQ(code_of([&] { numpy::add_at(tensor(x), {unknown}, 1.0); }), ErrorCode::dtype);
  EXPECT_EQ(code_of([&] { numpy::add_at(tensor(x), {numpy::Slice{}}, unknown); }), ErrorCode::dtype);
  EXPECT_EQ(code_of([&] { numpy::add_at(tensor(x), {numpy::Slice{}}, ConstTensorRef(nullptr, Dtype::int8, {3})); }), ErrorCode::shape);
  EXPECT_EQ(code_of([&] { numpy::add_at(TensorRef(nullptr, Dtype::float32, {3}), {0}, 1.0); }), ErrorCode::shape);
  EXPECT_EQ(code_of([&] { numpy::put_along_axis(tensor(x), null_index, 1.0, 0); }), ErrorCode::shape);
  EXPECT_EQ(x, std::vector<float>(3));
}

// The op keeps what it made; it may outlive everything that made it but the tensors themselves.
TEST(NumpyHostile, AnOpOwnsItsMask) {
  std::vector<float> x(3);
  ScatterOp op;
  {
    const Tensor mask({true, false, true}, {3});
    const Tensor ones({std::int8_t{1}, std::int8_t{2}}, {2});
    op = numpy::describe::add_at(tensor(x), {mask}, ones);
  }
  run(op);
  run(op);
  EXPECT_EQ(x, (std::vector<float>{2, 0, 4}));
}

TEST(NumpyHostile, InputsInTheWrittenMemoryAreReadFirst) {
  std::vector<std::int64_t> x{1, 1, 2, 0};
  numpy::add_at(tensor(x), {tensor(x)}, tensor(x));
  EXPECT_EQ(x, (std::vector<std::int64_t>{1, 3, 4, 0}));
}

}  // namespace
}  // namespace strew
