// The 16-bit floats: every half and bfloat16, and floats around every rounding boundary, against slow arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/choices.h"
#include "harness/elements.h"
#include "strew/half.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace strew::harness {
namespace {

std::uint32_t bits_of(float x) { return detail::bits_of(x); }
float float_of(std::uint32_t bits) { return detail::float_of(bits); }

// The harness has an independent conversion, with doubles and nearbyint, which shares no code with half.h.
std::uint16_t slow(Dtype dtype, float x) {
  std::byte bytes[2];
  store_real(dtype, bytes, static_cast<double>(x));
  return load_as<std::uint16_t>(bytes);
}
double slow_value(Dtype dtype, std::uint16_t bits) {
  std::byte bytes[2];
  store_as(bytes, bits);
  return load_real(dtype, bytes);
}

// All NaNs are equal; other values are compared by bits.
void expect_rounded(float x) {
  const std::uint16_t half = to_half(x).bits, bfloat = to_bfloat16(x).bits;
  if (std::isnan(x)) {
    ASSERT_TRUE((half & 0x7fff) > 0x7c00) << bits_of(x);
    ASSERT_TRUE((bfloat & 0x7fff) > 0x7f80) << bits_of(x);
    return;
  }
  ASSERT_EQ(half, slow(Dtype::float16, x)) << std::hexfloat << x;
  ASSERT_EQ(bfloat, slow(Dtype::bfloat16, x)) << std::hexfloat << x;
}

void expect_all_values() {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto narrow = static_cast<std::uint16_t>(bits);
    const float half = to_float(Half{narrow}), bfloat = to_float(Bfloat16{narrow});
    const double half_value = slow_value(Dtype::float16, narrow), bfloat_value = slow_value(Dtype::bfloat16, narrow);
    if (std::isnan(half_value)) {
      ASSERT_TRUE(std::isnan(half)) << bits;
      ASSERT_TRUE((to_half(half).bits & 0x7fff) > 0x7c00) << bits;
    } else {
      ASSERT_EQ(bits_of(half), bits_of(static_cast<float>(half_value))) << bits;
      ASSERT_EQ(to_half(half).bits, narrow) << bits;
    }
    if (std::isnan(bfloat_value)) {
      ASSERT_TRUE(std::isnan(bfloat)) << bits;
    } else {
      ASSERT_EQ(bits_of(bfloat), static_cast<std::uint32_t>(narrow) << 16) << bits;
      ASSERT_EQ(to_bfloat16(bfloat).bits, narrow) << bits;
    }
  }
}

TEST(Half, EveryValueConvertsAndComesBack) { expect_all_values(); }

TEST(Half, KnownValues) {
  EXPECT_EQ(to_half(1.0f).bits, 0x3c00);
  EXPECT_EQ(to_half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(to_half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(to_half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(to_half(-0.0f).bits, 0x8000);
  EXPECT_EQ(to_half(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(to_half(0x1p-25f).bits, 0x0000);
  EXPECT_EQ(to_half(0x1.000002p-25f).bits, 0x0001);
  EXPECT_EQ(to_half(0x1.8p-24f).bits, 0x0002);
  EXPECT_EQ(to_bfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(float_of(0x3f808000)).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(float_of(0x3f818000)).bits, 0x3f82);
  EXPECT_EQ(to_bfloat16(float_of(0x7f7fffff)).bits, 0x7f80);
  EXPECT_EQ(to_bfloat16(float_of(0x7f800001)).bits & 0x7fff, 0x7fc0);
}

TEST(Half, RoundsAroundEveryBoundary) {
  // Every half, and every midpoint between two, with the floats beside it.
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double low = slow_value(Dtype::float16, static_cast<std::uint16_t>(bits));
    const double high = bits + 1 == 0x7c00 ? 65536.0 : slow_value(Dtype::float16, static_cast<std::uint16_t>(bits + 1));
    for (const double x : {low, (low + high) / 2}) {
      const auto at = static_cast<float>(x);
      for (const float near : {at, std::nextafter(at, INFINITY), std::nextafter(at, -INFINITY)}) {
        expect_rounded(near);
        expect_rounded(-near);
      }
    }
  }
  // The same for bfloat16: its bits and midpoints are the upper halves of floats.
  for (std::uint32_t upper = 0; upper < 0x7f80; ++upper) {
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      expect_rounded(float_of(upper << 16 | lower));
      expect_rounded(-float_of(upper << 16 | lower));
    }
  }
}

TEST(Half, RoundsRandomFloats) {
  SeededChoices choices(7);
  for (int i = 0; i < 1'000'000; ++i) expect_rounded(float_of(static_cast<std::uint32_t>(choices.bits(32))));
}

#if defined(__SSE2__)
TEST(Half, DoesNotDependOnFlushToZero) {
  std::vector<std::uint16_t> expected;
  std::vector<float> inputs;
  for (std::uint32_t i = 0; i < 4096; ++i) inputs.push_back(float_of(0x33000000u + i * 0x801u));
  for (const float x : inputs) expected.push_back(slow(Dtype::float16, x));
  std::vector<std::uint32_t> widened;
  for (std::uint32_t bits = 0; bits < 0x0400; ++bits)
    widened.push_back(bits_of(static_cast<float>(slow_value(Dtype::float16, static_cast<std::uint16_t>(bits)))));

  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);  // flush to zero, denormals are zero
  std::vector<std::uint16_t> halves;
  for (const float x : inputs) halves.push_back(to_half(x).bits);
  std::vector<std::uint32_t> floats;
  for (std::uint32_t bits = 0; bits < 0x0400; ++bits) floats.push_back(bits_of(to_float(Half{static_cast<std::uint16_t>(bits)})));
  const std::uint16_t subnormal_bfloat = to_bfloat16(float_of(0x00018001)).bits;
  _mm_setcsr(mode);

  EXPECT_EQ(halves, expected);
  EXPECT_EQ(floats, widened);
  EXPECT_EQ(subnormal_bfloat, 0x0002);
}
#endif

}  // namespace
}  // namespace strew::harness
