// The edges of NumPy's arithmetic that random calls seldom meet, with the answers of NumPy 2.4.6.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "strew/strew.h"

namespace strew {
namespace {

using AtFunction = void (*)(const TensorRef& a, numpy::Key indices, const Source& b, const RunOptions& options);

// What `a` holds after one update per element: its own dtype and that of `b` differ as the test wishes.
template <class A, class B>
std::vector<A> after(AtFunction at, std::vector<A> a, const std::vector<B>& b, const std::vector<std::int64_t>& index) {
  at(tensor(a), {tensor(index)}, tensor(b), {});
  return a;
}

TEST(Numpy, WiderIntegersAreComparedWhole) {
  EXPECT_EQ((after<std::int8_t, std::int32_t>(&numpy::maximum_at, {5, 5}, {300, 200, -7}, {0, 0, 1})), (std::vector<std::int8_t>{-56, 5}));
  EXPECT_EQ((after<std::uint8_t, std::int16_t>(&numpy::minimum_at, {5, 200}, {-1, 100}, {0, 1})), (std::vector<std::uint8_t>{255, 100}));
}

TEST(Numpy, SumsKeepTheirLowBits) {
  EXPECT_EQ((after<std::int8_t, std::int64_t>(&numpy::add_at, {100}, {100, 300}, {0, 0})), (std::vector<std::int8_t>{-12}));
}

TEST(Numpy, EveryStepIsCastBack) {
  EXPECT_EQ((after<std::int32_t, double>(&numpy::add_at, {0}, {1.5, 1.5, -0.75}, {0, 0, 0})), (std::vector<std::int32_t>{1}));
  EXPECT_EQ((after<float, float>(&numpy::add_at, {1}, {0x1p-24f, 0x1p-24f}, {0, 0})), (std::vector<float>{1}));
  const double above = 0x1p-24 + 0x1p-40;
  EXPECT_EQ((after<float, double>(&numpy::add_at, {1}, {above, above, above}, {0, 0, 0})), (std::vector<float>{1 + 3 * 0x1p-23f}));
}

TEST(Numpy, Float16IsRoundedFromTheTypeOfTheStep) {
  const Half one{0x3c00};
  EXPECT_EQ((after<Half, double>(&numpy::add_at, {one}, {0x1p-11 + 0x1p-30}, {0}))[0].bits, 0x3c01);
  // In float32 the sum is first rounded to the middle between two halves.
  EXPECT_EQ((after<Half, float>(&numpy::add_at, {one}, {0x1p-11f + 0x1p-30f}, {0}))[0].bits, 0x3c00);
}

TEST(Numpy, BoolsAreCastBackToo) {
  std::array<bool, 2> a{true, true};
  numpy::add_at(tensor(a), {0}, Tensor({std::uint8_t{255}}, {}));  // wraps to 0
  numpy::add_at(tensor(a), {1}, Tensor({std::uint16_t{255}}, {}));
  EXPECT_EQ(a, (std::array<bool, 2>{false, true}));
  a = {true, true};
  numpy::subtract_at(tensor(a), {numpy::Slice{}}, Tensor({std::int8_t{1}, std::int8_t{2}}, {2}));
  EXPECT_EQ(a, (std::array<bool, 2>{false, true}));
}

TEST(Numpy, ANumberIsNotWeak) {
  // As a float32 the number would be 2^-24, and the sum a tie that stays 1.
  std::vector<float> a{1};
  numpy::add_at(tensor(a), {0}, 0x1p-24 + 0x1p-50);
  EXPECT_EQ(a[0], 1 + 0x1p-23f);
  std::vector<std::int8_t> small{1};
  numpy::add_at(tensor(small), {0}, 300);
  EXPECT_EQ(small[0], 45);
}

// Which of two zeros stays: the update, but in float16 the old one.
TEST(Numpy, TiesOfZeros) {
  const Half plus{0}, minus{0x8000};
  for (const AtFunction at : {AtFunction(&numpy::minimum_at), AtFunction(&numpy::maximum_at)}) {
    EXPECT_EQ((after<Half, Half>(at, {plus, minus}, {minus, plus}, {0, 1}))[0].bits, plus.bits);
    EXPECT_EQ((after<Half, Half>(at, {plus, minus}, {minus, plus}, {0, 1}))[1].bits, minus.bits);
    EXPECT_EQ((after<Half, double>(at, {plus}, {-0.0}, {0}))[0].bits, minus.bits);
    EXPECT_EQ((after<Bfloat16, Bfloat16>(at, {Bfloat16{0}}, {Bfloat16{0x8000}}, {0}))[0].bits, 0x8000);
    EXPECT_TRUE(std::signbit(after<float, float>(at, {0.0f}, {-0.0f}, {0})[0]));
    EXPECT_FALSE(std::signbit(after<float, float>(at, {-0.0f}, {0.0f}, {0})[0]));
    EXPECT_TRUE(std::signbit(after<double, double>(at, {0.0}, {-0.0}, {0})[0]));
    EXPECT_FALSE(std::signbit(after<std::complex<float>, std::complex<float>>(at, {{0, 1}}, {{-0.0f, 1}}, {0})[0].real()));
  }
}

TEST(Numpy, NanStaysFromEitherSide) {
  for (const AtFunction at : {AtFunction(&numpy::minimum_at), AtFunction(&numpy::maximum_at)}) {
    EXPECT_TRUE(std::isnan(after<float, float>(at, {NAN}, {1}, {0})[0]));
    EXPECT_TRUE(std::isnan(after<double, double>(at, {1}, {NAN}, {0})[0]));
  }
}

TEST(Numpy, ComplexNumbersAreComparedPartByPart) {
  using C = std::complex<float>;
  const std::vector<C> result =
      after<C, C>(&numpy::maximum_at, {{1, 2}, {3, 0}, {1, 1}, {0, NAN}}, {{1, 3}, {2, 9}, {0, NAN}, {7, 0}}, {0, 1, 2, 3});
  EXPECT_EQ(result[0], C(1, 3));
  EXPECT_EQ(result[1], C(3, 0));
  EXPECT_TRUE(result[2].real() == 0 && std::isnan(result[2].imag()));
  EXPECT_TRUE(result[3].real() == 0 && std::isnan(result[3].imag()));
}

TEST(Numpy, PointsComeFirstWhereIndicesStandApart) {
  std::vector<int> a(8);
  const Tensor zero({0}, {1}), b({1, 2}, {1, 2});
  numpy::add_at(tensor(a, {2, 2, 2}), {zero, numpy::Slice{}, zero}, b);    // a[..] has shape (1, 2)
  EXPECT_EQ(a, (std::vector<int>{1, 0, 2, 0, 0, 0, 0, 0}));
  numpy::add_at(tensor(a, {2, 2, 2}), {numpy::Slice{}, zero, zero}, Tensor({5, 7}, {2, 1}));
  EXPECT_EQ(a, (std::vector<int>{6, 0, 2, 0, 7, 0, 0, 0}));
}

// Only the axes that remain must be free of repetition: what an integer or a slice selects may lie on an axis of stride 0.
TEST(Numpy, AMaskBesideAnAxisThatRepeats) {
  const Tensor mask({false, true, true}, {3}), zero({0}, {}), b({5, 7}, {2});
  const numpy::Index first[] = {0, numpy::Slice{.stop = 1}, tensor(zero)};
  for (const numpy::Index& part : first) {
    std::vector<int> a(3);
    numpy::add_at(tensor(a.data(), {4, 3}, {0, 1}), {part, mask}, b);
    EXPECT_EQ(a, (std::vector<int>{0, 5, 7}));
  }
}

}  // namespace
}  // namespace strew
