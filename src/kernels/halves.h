// Converts arrays of 16-bit floats to float and back. Uses the processor's float16 conversions where it has them: a loop over to_float or
// to_half takes some twenty instructions per vector. Include after kernels/instruction_sets.h.
// The guard toggles, because Highway includes the file once per instruction set.
#if defined(STREW_KERNELS_HALVES_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STREW_KERNELS_HALVES_H
#undef STREW_KERNELS_HALVES_H
#else
#define STREW_KERNELS_HALVES_H
#endif

#include <cstdint>

#include "kernels/types.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {

inline constexpr std::int64_t wide_bytes = sizeof(float);

#if defined(STREW_WITH_HIGHWAY) && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
inline constexpr std::int64_t narrow_bytes = sizeof(Half);
namespace hn = hwy::HWY_NAMESPACE;

// Converts whole vectors. Returns the number of elements that it converted.
inline std::int64_t widen_vectors(const std::byte* from, std::byte* to, std::int64_t count) {
  const hn::ScalableTag<float> wide;
  const hn::Rebind<hwy::float16_t, decltype(wide)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto halves = hn::LoadU(narrow, reinterpret_cast<const hwy::float16_t*>(from + i * narrow_bytes));
    hn::StoreU(hn::PromoteTo(wide, halves), wide, reinterpret_cast<float*>(to + i * wide_bytes));
  }
  return i;
}

// Rounds to nearest, ties to even, whatever the caller's rounding mode.
inline std::int64_t narrow_vectors(const std::byte* from, std::byte* to, std::int64_t count) {
  const hn::ScalableTag<float> wide;
  const hn::Rebind<hwy::float16_t, decltype(wide)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto floats = hn::LoadU(wide, reinterpret_cast<const float*>(from + i * wide_bytes));
    hn::StoreU(hn::DemoteTo(narrow, floats), narrow, reinterpret_cast<hwy::float16_t*>(to + i * narrow_bytes));
  }
  return i;
}
#else
inline std::int64_t widen_vectors(const std::byte*, std::byte*, std::int64_t) { return 0; }
inline std::int64_t narrow_vectors(const std::byte*, std::byte*, std::int64_t) { return 0; }
#endif

// to[i] = from[i]    for i < count
template <HalfLike T>
void widen_all(const std::byte* __restrict from, std::byte* __restrict to, std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (std::same_as<T, Half>) i = widen_vectors(from, to, count);
  for (; i < count; ++i) store(to + i * wide_bytes, Computing<T>::widen(load<T>(from + i * static_cast<std::int64_t>(sizeof(T)))));
}
template <HalfLike T>
void narrow_all(const std::byte* __restrict from, std::byte* __restrict to, std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (std::same_as<T, Half>) i = narrow_vectors(from, to, count);
  for (; i < count; ++i) store(to + i * static_cast<std::int64_t>(sizeof(T)), Computing<T>::narrow(load<float>(from + i * wide_bytes)));
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
