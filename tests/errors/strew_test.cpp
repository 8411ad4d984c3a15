// Every check of Strew's own functions, with its text.
#include <gtest/gtest.h>

#include "errors/rows.h"
#include "errors/text_of.h"
#include "harness/runner.h"
#include "strew/strew.h"

namespace strew::harness {
namespace {

const Call rows_call{"strew.scatter_add", {{"out", f32({3, 64})}, {"index", KeySpec{i64({4}, {0, 2, 0, 1})}}, {"values", f32({4, 64})}}};

TEST(OwnErrors, Rows) {
  expect_rows(
      rows_call, "strew.scatter_add", false,
      {
          {{{"values", f32({3, 64})}}, ErrorCode::shape, "{op}: values must have shape index.shape + out.shape[1:] = [4, 64], got [3, 64]"},
          {{{"values", f32({4})}}, ErrorCode::shape, "{op}: values must have shape index.shape + out.shape[1:] = [4, 64], got [4]"},
          {{{"values", f32({4, 1})}}, ErrorCode::shape, "{op}: values must have shape index.shape + out.shape[1:] = [4, 64], got [4, 1]"},
          {{{"values", f32({})}}, ErrorCode::shape, "{op}: values must have shape index.shape + out.shape[1:] = [4, 64], got []"},
          {{{"values", t(Dtype::float64, {4, 64})}},
           ErrorCode::dtype,
           "{op}: out and values must have the same dtype, got float32 and float64"},
          {{{"index", KeySpec{f32({4})}}},
           ErrorCode::dtype,
           "{op}: index must be one of int8, int16, int32, int64, uint8, uint16, uint32, uint64, got float32"},
          {{{"index", KeySpec{t(Dtype::bool_, {3})}}},
           ErrorCode::dtype,
           "{op}: index must be one of int8, int16, int32, int64, uint8, uint16, uint32, uint64, got bool"},
          {{{"index", KeySpec{}}},
           ErrorCode::shape,
           "{op}: index must be a tensor of integers, or one for each of the leading axes, got none"},
          {{{"index", KeySpec{numpy::Slice{}}}},
           ErrorCode::dtype,
           "{op}: index must be a tensor of integers, or one for each of the leading axes, got something else"},
          {{{"index", i64({4})}}, ErrorCode::argument, "{op}: argument \"index\" must be a list of indices"},
          {{{"index", KeySpec{i64({4}), i64({4}), i64({4})}}},
           ErrorCode::shape,
           "{op}: index may have one tensor for each axis of out [3, 64], got 3"},
          {{{"index", KeySpec{i64({4}), i64({4, 1})}}},
           ErrorCode::shape,
           "{op}: the tensors of index must have one shape, got [4] and [4, 1]"},
          {{{"index", KeySpec{i64({4}), i64({1})}}}, ErrorCode::shape, "{op}: the tensors of index must have one shape, got [4] and [1]"},
          {{{"out", f32({})}}, ErrorCode::shape, "{op}: index may have one tensor for each axis of out [], got 1"},
          {{{"index", KeySpec{i64({4}, {0, -1, 3, 2})}}},
           ErrorCode::index,
           "{op}: index -1 is out of bounds for axis 0 with size 3 (index[1] = -1 for axis 0 of size 3, valid: 0..2; 1 more)"},
          {{{"index", KeySpec{i64({4}), t(Dtype::uint8, {4}, {0, 63, 64, 0})}}, {"values", n(1)}},
           ErrorCode::index,
           "{op}: index 64 is out of bounds for axis 1 with size 64 (index[2] = 64 for axis 1 of size 64, valid: 0..63)"},
          {{{"index", KeySpec{std::int64_t{3}}}, {"values", n(1)}},
           ErrorCode::index,
           "{op}: index 3 is out of bounds for axis 0 with size 3 (index = 3 for axis 0 of size 3, valid: 0..2)"},
          {{{"out", f32({0, 64})}},
           ErrorCode::index,
           "{op}: index 0 is out of bounds for axis 0 with size 0 (index[0] = 0 for axis 0 of size 0, no index is valid; 3 more)"},
      });
}

TEST(OwnErrors, Elements) {
  const KeySpec columns{i64({2}), i64({2})};
  expect_rows({"strew.scatter_max", {{"out", f32({3, 4})}, {"index", columns}, {"values", f32({2})}}}, "strew.scatter_max", false,
              {
                  {{{"values", f32({2, 4})}}, ErrorCode::shape, "{op}: values must have shape index.shape = [2], got [2, 4]"},
                  {{{"out", t(Dtype::complex64, {3, 4})}, {"values", t(Dtype::complex64, {2})}},
                   ErrorCode::unsupported,
                   "{op}: max is not defined for complex64"},
              });
}

TEST(OwnErrors, Gather) {
  expect_rows({"strew.gather", {{"source", f32({3, 4})}, {"index", KeySpec{i64({2})}}}}, "strew.gather", false,
              {
                  {{{"index", KeySpec{}}},
                   ErrorCode::shape,
                   "{op}: index must be a tensor of integers, or one for each of the leading axes, got none"},
                  {{{"index", KeySpec{numpy::NewAxis{}}}},
                   ErrorCode::dtype,
                   "{op}: index must be a tensor of integers, or one for each of the leading axes, got something else"},
                  {{{"index", KeySpec{i64({2}), i64({2}), i64({2})}}},
                   ErrorCode::shape,
                   "{op}: index may have one tensor for each axis of source [3, 4], got 3"},
                  {{{"index", KeySpec{i64({2}, {0, 3})}}},
                   ErrorCode::index,
                   "{op}: index 3 is out of bounds for axis 0 with size 3 (index[1] = 3 for axis 0 of size 3, valid: 0..2)"},
              });
}

// A number must be one that the type holds; only floats round.
TEST(OwnErrors, Numbers) {
  const struct {
    Dtype dtype;
    Number number;
    const char* text;
  } rows[] = {
      {Dtype::int32, 1.5, "values must be a number that int32 holds, got 1.5"},
      {Dtype::int32, std::nan(""), "values must be a number that int32 holds, got nan"},
      {Dtype::uint8, -1, "values must be a number that uint8 holds, got -1"},
      {Dtype::uint8, -1.0, "values must be a number that uint8 holds, got -1"},
      {Dtype::bool_, 2, "values must be a number that bool holds, got 2"},
      {Dtype::bool_, 0.5, "values must be a number that bool holds, got 0.5"},
      {Dtype::float32, std::complex<double>(1, 0), "values must be a number that float32 holds, got 1 + 0j"},
      {Dtype::int8, 300, "values must be a number that int8 holds, got 300"},
      {Dtype::uint8, 300, "values must be a number that uint8 holds, got 300"},
      {Dtype::int64, 0x1p63, "values must be a number that int64 holds, got 9223372036854775808"},
      {Dtype::float16, 65520.0, "values must be a number that float16 holds, got 65520"},
      {Dtype::string, 1, "values must be strings, as out is, got a number"},
  };
  for (const auto& row : rows) {
    Case c;
    c.id = "number";
    c.system = "strew";
    c.op = "scatter";
    c.args = {{"out", t(row.dtype, {3})}, {"index", KeySpec{i64({2})}}, {"values", row.number}};
    const Answer answer = run_case(c);
    EXPECT_EQ(answer.message, std::string("strew.scatter: ") + row.text);
    EXPECT_EQ(answer.damage, "");
  }
}

}  // namespace
}  // namespace strew::harness

namespace strew {
namespace {

TEST(OwnErrors, MemoryThatIsShared) {
  std::vector<std::int64_t> x{0, 1, 2, 0};
  const std::vector<std::int64_t> before = x;
  EXPECT_EQ(text_of([&] { scatter_add(x, x, 1); }), "overlap: strew.scatter_add: index shares memory with out; pass a copy of index");
  EXPECT_EQ(text_of([&] {
              scatter_add(x, std::vector<int>{0, 1}, std::span(x).first(2));
            }),
            "overlap: strew.scatter_add: values shares memory with out; pass a copy of values");
  EXPECT_EQ(text_of([&] {
              gather_into(std::span(x).first(2), x, std::vector<int>{0, 1});
            }),
            "overlap: strew.gather: source shares memory with out; pass a copy of source");
  EXPECT_EQ(text_of([&] { gather_into(x, std::vector<std::int64_t>(4), x); }),
            "overlap: strew.gather: index shares memory with out; pass a copy of index");
  EXPECT_EQ(text_of([&] {
              scatter(TensorRef(x.data(), Dtype::int64, {4}, {0}), std::vector<int>{0, 1}, 7);
            }),
            "overlap: strew.scatter: elements of out share memory; pass a copy of out");
  EXPECT_EQ(x, before);
}

TEST(OwnErrors, ViewsThatCannotBe) {
  std::vector<float> x(3);
  const std::vector<int> index{0};
  EXPECT_EQ(text_of([&] { scatter_add(TensorRef(nullptr, Dtype::float32, {3}), index, 1); }),
            "shape: strew.scatter_add: out: data is null, but shape [3] has elements");
  EXPECT_EQ(text_of([&] { scatter_add({}, index, 1); }),
            "shape: strew.scatter_add: index may have one tensor for each axis of out [], got 1");
  EXPECT_EQ(text_of([&] { scatter_add(x, {}, 1); }),
            "shape: strew.scatter_add: index must be a tensor of integers, or one for each of the leading axes, got none");
  std::vector<float> one(1);
  ConstTensorRef without_strides = tensor(one);
  without_strides.strides = {};
  EXPECT_EQ(text_of([&] { scatter_add(x, index, without_strides); }),
            "shape: strew.scatter_add: values: strides must have one entry per dimension, got 0 for shape [1]");
  std::vector<double> wider(1);
  EXPECT_EQ(text_of([&] { gather_into(wider, x, index); }), "dtype: strew.gather: out must be float32, got float64");
  EXPECT_EQ(text_of([&] { gather_into(x, x, index); }), "shape: strew.gather: out must have shape [1], got [3]");
}

}  // namespace
}  // namespace strew
