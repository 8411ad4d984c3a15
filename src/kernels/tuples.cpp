// One loop per tuple width: with a constant width the compiler vectorizes it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tuples.cpp"
#include "kernels/tuples.h"

#include <algorithm>
#include <cstring>

#include "kernels/coordinate.h"
#include "kernels/instruction_sets.h"
#include "kernels/prefetch.h"
#include "kernels/reductions.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {
namespace {

template <class Number, class I, bool wrap, std::size_t width>
bool number_tuples(const TupleRun<Number>& run) {
  using Modulo = std::make_unsigned_t<Number>;
  constexpr std::int64_t block = 64, size = sizeof(I), tuple = size * static_cast<std::int64_t>(width);
  const auto extents = run.extents;
  std::array<Modulo, width> strides;
  std::transform(run.strides.begin(), run.strides.begin() + width, strides.begin(), [](std::int64_t s) { return static_cast<Modulo>(s); });
  const auto first = static_cast<Modulo>(run.first);
  Number* const numbers = run.numbers;
  alignas(64) std::byte copy[block * tuple];
  std::int64_t bad = 0;  // negative if an index is out of range
  for (std::int64_t begin = 0; begin < run.count; begin += block) {
    const std::int64_t count = std::min(block, run.count - begin);
    prefetch_stream(run.tuples + begin * tuple, block * tuple);
    std::memcpy(copy, run.tuples + begin * tuple, static_cast<std::size_t>(count * tuple));
    hide_from_optimizer(copy);
    for (std::int64_t i = 0; i < count; ++i) {
      Modulo number = first;
      for (std::size_t k = 0; k < width; ++k) {
        const std::int64_t at = coordinate<I, wrap>(load<I>(copy + i * tuple + static_cast<std::int64_t>(k) * size), extents[k]);
        bad |= outside_sign(at, extents[k]);
        number += static_cast<Modulo>(at) * strides[k];
      }
      numbers[begin + i] = static_cast<Number>(number);
    }
  }
  return bad < 0;
}

}  // namespace

TupleKernels find_tuple_kernels(Dtype index, Negative negative, std::size_t width) {
  return find_by_index<TupleKernels>(index, negative, [width]<class I, bool wrap>() -> TupleKernels {
    switch (width) {
      case 2: return {&number_tuples<std::int32_t, I, wrap, 2>, &number_tuples<std::int64_t, I, wrap, 2>};
      case 3: return {&number_tuples<std::int32_t, I, wrap, 3>, &number_tuples<std::int64_t, I, wrap, 3>};
      case 4: return {&number_tuples<std::int32_t, I, wrap, 4>, &number_tuples<std::int64_t, I, wrap, 4>};
      default: return {};
    }
  });
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {

HWY_EXPORT(find_tuple_kernels);

TupleKernels tuple_kernels(Dtype index, Negative negative, std::size_t width) {
  return HWY_DYNAMIC_DISPATCH(find_tuple_kernels)(index, negative, width);
}

}  // namespace strew::internal
#endif
