// Strew's own functions as a C++ program calls them: what they take, what comes out, and how options reach the run.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "errors/text_of.h"
#include "strew/strew.h"

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define STREW_HAS_EIGEN 1
#endif

namespace strew {
namespace {

template <class X, class T>
concept Takes = std::is_convertible_v<X, T>;

// Only objects with elements in memory compile; numbers as indices do not.
static_assert(Takes<std::vector<int>&, AnyIndices> && Takes<std::vector<int>, AnyIndices> && Takes<std::span<const char>, AnyIndices>);
static_assert(!Takes<int, AnyIndices> && !Takes<std::initializer_list<int>, AnyIndices> && !Takes<std::string, AnyIndices> &&
              !Takes<std::vector<bool>, AnyIndices> && !Takes<int*, AnyIndices>);
static_assert(!Takes<std::vector<bool>&, AnyInput> && !Takes<std::vector<bool>&, AnyValues> && !Takes<std::vector<bool>&, AnyOutput>);
static_assert(Takes<int, AnyValues> && Takes<bool, AnyValues> && Takes<double, AnyValues> && Takes<std::complex<float>, AnyValues>);
static_assert(Takes<std::vector<std::string>, AnyValues> && !Takes<const char*, AnyValues> && !Takes<std::string, AnyValues>);
static_assert(Takes<std::vector<float>&, AnyOutput> && Takes<std::span<float>, AnyOutput> && Takes<TensorRef, AnyOutput> &&
              Takes<Tensor&, AnyOutput> && !Takes<float*, AnyOutput>);
// A temporary that owns its elements is not an output: the result would be lost.
static_assert(!Takes<std::vector<float>, AnyOutput> && !Takes<std::array<float, 3>, AnyOutput> && !Takes<Tensor, AnyOutput>);
static_assert(!Takes<std::list<int>&, AnyInput>);
// An op borrows memory, so its tensors are not temporaries that own theirs.
static_assert(Takes<std::vector<int>&, NamedInput> && Takes<std::span<int>, NamedIndices> && Takes<const Tensor&, NamedValues>);
static_assert(!Takes<std::vector<int>, NamedInput> && !Takes<std::vector<int>, NamedIndices> && !Takes<Tensor, NamedValues>);
static_assert(Takes<int, NamedValues> && Takes<Tensor, AnyValues> && Takes<std::vector<int>, AnyInput>);

TEST(Own, OneLine) {
  std::vector<float> mass(4);
  const std::vector<std::int64_t> cell{2, 0, 2};
  const std::vector<float> grain{1, 2, 3};
  scatter_add(mass, cell, grain);
  EXPECT_EQ(mass, (std::vector<float>{2, 0, 4, 0}));
}

TEST(Own, OneIndexARow) {
  const std::int64_t n = 3, m = 4;
  std::vector<double> nodes(static_cast<std::size_t>(n * 2)), messages{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::uint16_t> target{2, 0, 2, 2};
  scatter_add(tensor(nodes, {n, 2}), target, tensor(messages, {m, 2}));
  EXPECT_EQ(nodes, (std::vector<double>{3, 4, 0, 0, 13, 16}));
  const Tensor y = gather(tensor(nodes, {n, 2}), target);
  EXPECT_TRUE(y.shape() == (Dims{4, 2}));
  const auto values = y.values<double>();
  EXPECT_EQ(std::vector<double>(values.begin(), values.end()), (std::vector<double>{13, 16, 3, 4, 13, 16, 13, 16}));
}

// The columns may differ in type and stride.
TEST(Own, OneColumnAnAxis) {
  std::vector<int> grid(2 * 3 * 4);
  const std::vector<std::int8_t> i{1, 0, 1};
  const std::array<std::uint64_t, 3> j{2, 1, 2};
  const std::vector<std::int32_t> pairs{3, 99, 0, 99, 3, 99};
  const ConstTensorRef k(pairs.data(), Dtype::int32, {3}, {2});
  const std::vector<int> value{5, -1, 4};
  scatter_max(tensor(grid, {2, 3, 4}), {i, j, k}, value, {.threads = 4});
  std::vector<int> expected(24);
  expected[23] = 5;
  EXPECT_EQ(grid, expected);
  scatter(tensor(grid, {2, 3, 4}), {i, j}, 7);
  for (const std::size_t row : {std::size_t{4}, std::size_t{20}}) {
    for (std::size_t l = 0; l < 4; ++l) expected[row + l] = 7;
  }
  EXPECT_EQ(grid, expected);
  const Tensor y = gather(tensor(grid, {2, 3, 4}), {i, j, k});
  EXPECT_EQ(y.values<int>()[1], 7);
}

// An index of any shape: the values have that shape, and the row behind it.
TEST(Own, AnIndexOfAnyShape) {
  std::vector<std::int64_t> x(3);
  const std::vector<int> index{0, 2, 2, 0, 0, 1};
  const std::vector<std::int64_t> values{1, 2, 4, 8, 16, 32};
  scatter_add(x, tensor(index, {2, 1, 3}), tensor(values, {2, 1, 3}));
  EXPECT_EQ(x, (std::vector<std::int64_t>{25, 32, 6}));
  const std::int64_t one = 1;
  scatter_sub(x, ConstTensorRef(&one, Dtype::int64, {}), 2);
  EXPECT_EQ(x[1], 30);
}

struct Mdspan {
  float* data;
  [[nodiscard]] float* data_handle() const { return data; }
  [[nodiscard]] static std::size_t rank() { return 2; }
  [[nodiscard]] static std::size_t extent(std::size_t d) { return d == 0 ? 2 : 3; }
  [[nodiscard]] static std::size_t stride(std::size_t d) { return d == 0 ? 1 : 2; }
};

// Views and temporaries in every place.
TEST(Own, WhateverHoldsElements) {
  float memory[6] = {};
  const auto indices = [] { return std::vector<int>{1, 0}; };
  scatter_add(Mdspan{memory}, indices(), Tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {2, 3}));  // column-major
  EXPECT_EQ(std::vector<float>(memory, memory + 6), (std::vector<float>{4, 1, 5, 2, 6, 3}));
  scatter_sub(memory, std::array{5}, 1);
  scatter_mul(std::span(memory).first(2), std::array<unsigned, 1>{0}, std::vector<float>{10});
  EXPECT_EQ(std::vector<float>(memory, memory + 6), (std::vector<float>{40, 1, 5, 2, 6, 2}));
  Tensor owned({1, 2, 3}, {3});
  scatter_min(owned, Tensor({std::int64_t{2}}, {1}), std::vector{0});
  EXPECT_EQ(owned.values<int>()[2], 0);
  const TensorRef view = owned;
  scatter(view, {indices()}, -1);
  EXPECT_EQ(owned.values<int>()[0] + owned.values<int>()[1], -2);
  const std::array<std::complex<float>, 1> one{{{1, 1}}};
  std::vector<std::complex<float>> complex(2);
  scatter_add(complex, std::vector<int>{1}, one);
  scatter_add(complex, std::vector<int>{1}, std::complex<float>(0, 1));
  EXPECT_EQ(complex[1], std::complex<float>(1, 2));
}

#ifdef STREW_HAS_EIGEN
TEST(Own, Eigen) {
  Eigen::VectorXf mass = Eigen::VectorXf::Zero(3);
  const Eigen::VectorXi cell = (Eigen::VectorXi(3) << 2, 0, 2).finished();
  scatter_add(mass, cell, Eigen::VectorXf::Ones(3).eval());
  EXPECT_EQ(mass[2], 2);
  Eigen::MatrixXd nodes = Eigen::MatrixXd::Zero(3, 2);
  scatter_add(nodes, cell, Eigen::MatrixXd::Identity(3, 2).eval());
  EXPECT_EQ(nodes(2, 0) + 2 * nodes(0, 1), 3);
  scatter_max(nodes.row(1), Eigen::VectorXi::Zero(1).eval(), 4.5);
  scatter_max(nodes.topRows(2), {Eigen::VectorXi::Zero(1).eval(), Eigen::VectorXi::Ones(1).eval()}, 8.0);
  EXPECT_EQ(nodes(1, 0), 4.5);
  EXPECT_EQ(nodes(0, 1), 8);
}
#endif

TEST(Own, TheLastAssignmentStays) {
  std::vector<std::string> words{"a", "b"};
  scatter(words, std::vector<int>{1, 0, 1}, std::vector<std::string>{"x", "y", "z"});
  EXPECT_EQ(words, (std::vector<std::string>{"y", "z"}));
  scatter_add(words, std::vector<int>{1, 1}, std::vector<std::string>{"1", "2"});
  EXPECT_EQ(words[1], "z12");
}

TEST(Own, NanGetsThroughFromEitherSide) {
  std::vector<float> x{NAN, 1, 0.0f};
  const std::vector<int> index{0, 1, 2};
  scatter_min(x, index, std::vector<float>{1, NAN, -0.0f});
  EXPECT_TRUE(std::isnan(x[0]) && std::isnan(x[1]) && !std::signbit(x[2]));
  x = {NAN, 1, -0.0f};
  scatter_max(x, index, std::vector<float>{1, NAN, 0.0f});
  EXPECT_TRUE(std::isnan(x[0]) && std::isnan(x[1]) && std::signbit(x[2]));
}

// If every step were rounded, the sums would stay 2048 and the product would grow by one last place a step.
TEST(Own, HalvesAreRoundedOnce) {
  std::vector<Half> x{to_half(2048), to_half(2048), to_half(1)};
  const std::vector<int> four(4, 0);
  scatter_add(x, four, 1);
  EXPECT_EQ(to_float(x[0]), 2052);
  scatter_sub(x, std::vector<int>{1, 1, 1}, -0.5);
  EXPECT_EQ(to_float(x[1]), 2050);
  float product = 1;
  for (int i = 0; i < 600; ++i) product *= 1 + 0x1p-10f;
  scatter_mul(x, std::vector<int>(600, 2), 1 + 0x1p-10);
  EXPECT_EQ(x[2].bits, to_half(product).bits);
}

// Of the values alone; what is not named stays.
TEST(Own, MeanOfTheValuesAlone) {
  std::vector<int> x{100, 100, 100};
  scatter_mean(x, std::vector<int>{0, 0, 2}, std::vector<int>{-3, 0, 7});
  EXPECT_EQ(x, (std::vector<int>{-2, 100, 7}));
  std::vector<double> y{5, 5};
  scatter_mean(y, std::vector<int>{1, 1}, std::vector<double>{1, 2});
  EXPECT_EQ(y, (std::vector<double>{5, 1.5}));
}

// A number of the type of the elements arrives with all of its bits.
TEST(Own, NumbersOfEveryType) {
  std::vector<std::uint64_t> large(2, 7);
  scatter_max(large, std::vector{1}, UINT64_MAX - 1);
  scatter(large, std::vector{0}, std::uint64_t{INT64_MAX} + 2);
  EXPECT_EQ(large, (std::vector<std::uint64_t>{9223372036854775809u, UINT64_MAX - 1}));
  std::vector<std::int64_t> small(1, 7);
  EXPECT_EQ(text_of([&] { scatter(small, std::vector{0}, std::uint64_t{INT64_MAX} + 1); }),
            "argument: strew.scatter: values must be a number that int64 holds, got 9223372036854775808");
  std::vector<Half> halves(1);
  scatter_add(halves, std::vector{0, 0}, to_half(0.75f));
  scatter_add(halves, std::vector{0}, to_bfloat16(2));
  EXPECT_EQ(to_float(halves[0]), 3.5f);
  std::vector<char> letters(1);
  scatter_add(letters, std::vector{0}, 'a');
  EXPECT_EQ(letters[0], 'a');
}

TEST(Own, NothingToDo) {
  std::vector<float> x{1, 2};
  scatter_add(x, std::vector<int>{}, std::vector<float>{});
  scatter_mean(x, std::vector<int>{}, 3);
  EXPECT_EQ(x, (std::vector<float>{1, 2}));
  std::vector<float> none;
  scatter_add(tensor(none, {2, 0}), std::vector<int>{1}, tensor(none, {1, 0}));
  EXPECT_EQ(text_of([&] {
              scatter_add(tensor(none, {2, 0}), std::vector<int>{2}, tensor(none, {1, 0}));
            }).substr(0, 44),
            "index: strew.scatter_add: index 2 is out of ");
  EXPECT_TRUE(gather(x, std::vector<int>{}).shape() == Dims{0});
}

TEST(Own, GatherIntoTheCallersMemory) {
  const std::vector<float> source{1, 2, 3};
  std::vector<float> out(4, 9);
  gather_into(std::span(out).first(2), source, std::vector<int>{2, 0});
  EXPECT_EQ(out, (std::vector<float>{3, 1, 9, 9}));
}

TEST(Own, AsAnOp) {
  std::vector<float> mass(3);
  const std::vector<int> cell{2, 0, 2};
  const std::vector<float> grain{1, 2, 3};
  const ScatterOp op = describe::scatter_add(mass, cell, grain);
  EXPECT_EQ(explain(op).substr(0, 31), "strew.scatter_add on float32 [3");
  EXPECT_EQ(mass[2], 0);
  run(op);
  const Plan again = plan(describe::scatter_add(mass, cell, grain));
  again.apply(tensor(grain), tensor(mass));
  EXPECT_EQ(mass, (std::vector<float>{4, 0, 8}));
  const Tensor read = compute(describe::gather({}, mass, cell));
  EXPECT_EQ(read.values<float>()[0], 8);
}

}  // namespace
}  // namespace strew
