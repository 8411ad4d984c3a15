// Reads, wraps and checks indices of every integer type.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/address.cpp"
#include "kernels/address.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/checked.h"
#include "kernels/coordinate.h"
#include "kernels/instruction_sets.h"
#include "kernels/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {
namespace {

constexpr std::int64_t chunk_bytes = 512;

// Calls use(begin, end) for each chunk of a dense run, and prefetches later ones.
template <class I, class Use>
[[gnu::always_inline]] inline void each_chunk(const std::byte* index, std::int64_t count, const Use& use) {
  constexpr std::int64_t chunk = chunk_bytes / static_cast<std::int64_t>(sizeof(I));
  for (std::int64_t begin = 0; begin < count; begin += chunk) {
    prefetch_stream(index + begin * static_cast<std::int64_t>(sizeof(I)), chunk_bytes);
    use(begin, std::min(begin + chunk, count));
  }
}

// No prefetching: a pass that only reads is bound by memory bandwidth, and prefetches make it 10 % to 25 % slower.
template <class I, bool wrap>
bool check(const IndexRun& run) {
  const std::byte* const index = run.index;
  const std::int64_t index_stride = run.index_stride, count = run.count, extent = run.extent;
  std::int64_t bad = 0;  // negative if an index is out of range
  const auto check_one = [&](const std::byte* at) { bad |= outside_sign(coordinate<I, wrap>(load<I>(at), extent), extent); };
  if (index_stride == sizeof(I)) {
    for (std::int64_t i = 0; i < count; ++i) check_one(index + i * static_cast<std::int64_t>(sizeof(I)));
  } else {
    for (std::int64_t i = 0; i < count; ++i) check_one(index + i * index_stride);
  }
  return bad < 0;
}

template <class I>
bool is_uniform(const IndexRun& run) {
  const std::byte* const index = run.index;
  const std::int64_t index_stride = run.index_stride, count = run.count;
  const I first = load<I>(index);
  bool differs = false;
  if (index_stride == sizeof(I)) {
    for (std::int64_t i = 1; i < count; ++i) differs |= load<I>(index + i * static_cast<std::int64_t>(sizeof(I))) != first;
  } else {
    for (std::int64_t i = 1; i < count; ++i) differs |= load<I>(index + i * index_stride) != first;
  }
  return !differs;
}

template <class I>
bool is_rising(const IndexRun& run) {
  const std::byte* const index = run.index;
  const std::int64_t index_stride = run.index_stride, count = run.count;
  bool falls = false;
  if (index_stride == sizeof(I)) {
    constexpr std::int64_t size = sizeof(I);
    for (std::int64_t i = 1; i < count; ++i) falls |= load<I>(index + i * size) < load<I>(index + (i - 1) * size);
  } else {
    for (std::int64_t i = 1; i < count; ++i) falls |= load<I>(index + i * index_stride) < load<I>(index + (i - 1) * index_stride);
  }
  return !falls;
}

// Computes in I itself where coordinates fit it, so that a vector holds as many as possible.
template <class I, bool wrap, class At>
CoordinateRange range_of(std::int64_t count, std::int64_t extent, At at) {
  using Bound = std::conditional_t<wrap || sizeof(I) == sizeof(std::int64_t), std::int64_t, I>;
  Bound low = std::numeric_limits<Bound>::max(), high = std::numeric_limits<Bound>::min();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto coordinate = static_cast<Bound>(internal::coordinate<I, wrap>(load<I>(at(i)), extent));
    low = coordinate < low ? coordinate : low;
    high = coordinate > high ? coordinate : high;
  }
  return {low, high};
}

template <class I, bool wrap>
CoordinateRange range(const IndexRun& run) {
  const std::byte* const index = run.index;
  const std::int64_t index_stride = run.index_stride;
  if (index_stride == sizeof(I))
    return range_of<I, wrap>(run.count, run.extent, [index](std::int64_t i) { return index + i * static_cast<std::int64_t>(sizeof(I)); });
  return range_of<I, wrap>(run.count, run.extent, [index, index_stride](std::int64_t i) { return index + i * index_stride; });
}

// A private copy of some indices, which no other thread can change.
template <class I, std::size_t bytes>
struct IndexCopy {
  static constexpr std::int64_t capacity = bytes / sizeof(I);
  alignas(64) std::array<I, capacity> indices;

  // Copies `count` indices that are `index_stride` bytes apart, then calls use(index, i) for each.
  template <class Use>
  [[gnu::always_inline]] void read(const std::byte* from, std::int64_t index_stride, std::int64_t count, const Use& use) {
    if (index_stride == sizeof(I)) {
      std::memcpy(indices.data(), from, static_cast<std::size_t>(count) * sizeof(I));
    } else {
      for (std::int64_t i = 0; i < count; ++i) indices[static_cast<std::size_t>(i)] = load<I>(from + i * index_stride);
    }
    hide_from_optimizer(indices);
    for (std::int64_t i = 0; i < count; ++i) use(indices[static_cast<std::size_t>(i)], i);
  }
};

template <class I, bool wrap, OutOfRange out_of_range>
bool address(const IndexRun& run, std::int64_t* offsets) {
  const std::byte* const index = run.index;
  const std::int64_t index_stride = run.index_stride, count = run.count, extent = run.extent, stride = run.stride;
  std::int64_t bad = 0;  // negative if an index is out of range
  const auto address_one = [&](I value, std::int64_t i) {
    std::int64_t at = coordinate<I, wrap>(value, extent);
    if constexpr (out_of_range == OutOfRange::error) {
      bad |= outside_sign(at, extent);
    } else if constexpr (out_of_range == OutOfRange::clamp) {
      const bool huge = !std::is_signed_v<I> && at < 0;
      at = huge ? extent - 1 : std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(extent - 1, 0));
      bad |= extent - 1;
    } else if (outside(at, extent) || offsets[i] == skipped) {
      offsets[i] = skipped;
      return;
    }
    offsets[i] = wrapping_add(offsets[i], wrapping_mul(at, stride));
  };
  if (index_stride == sizeof(I)) {
    each_chunk<I>(index, count, [&](std::int64_t begin, std::int64_t end) {
      IndexCopy<I, chunk_bytes> copy;
      copy.read(index + begin * index_stride, sizeof(I), end - begin, [&](I value, std::int64_t i) { address_one(value, begin + i); });
    });
  } else {
    IndexCopy<I, 2 * chunk_bytes> copy;  // larger, because vector loads stall on the scalar stores shortly before them
    for (std::int64_t begin = 0; begin < count; begin += copy.capacity) {
      copy.read(index + begin * index_stride, index_stride, std::min(copy.capacity, count - begin),
                [&](I value, std::int64_t i) { address_one(value, begin + i); });
    }
  }
  return bad < 0;
}

// Kernels by index dtype, Negative and OutOfRange.
using KernelTable = std::array<std::array<std::array<IndexKernels, 3>, 2>, std::size(dtypes)>;
template <class I, bool wrap>
constexpr std::array<IndexKernels, 3> kernels_of = {{{&address<I, wrap, OutOfRange::error>, &check<I, wrap>},
                                                     {&address<I, wrap, OutOfRange::skip>, &check<I, wrap>},
                                                     {&address<I, wrap, OutOfRange::clamp>, &check<I, wrap>}}};
template <class... I>
constexpr KernelTable kernel_table(Types<I...>) {
  KernelTable table{};
  ((table[static_cast<std::size_t>(dtype_of<I>)] = {kernels_of<I, false>, kernels_of<I, true>}), ...);
  return table;
}

}  // namespace

IndexKernels find_index_kernels(Dtype index, Negative negative, OutOfRange out_of_range) {
  static constexpr KernelTable table = kernel_table(Integers{});
  return table[static_cast<std::size_t>(index)][static_cast<std::size_t>(negative)][static_cast<std::size_t>(out_of_range)];
}

UniformKernel find_uniform(Dtype index) {
  UniformKernel kernel = nullptr;
  visit_dtype(Integers{}, index, [&]<class I>(Tag<I>) { kernel = &is_uniform<I>; });
  return kernel;
}

RisingKernel find_rising(Dtype index) {
  RisingKernel kernel = nullptr;
  visit_dtype(Integers{}, index, [&]<class I>(Tag<I>) { kernel = &is_rising<I>; });
  return kernel;
}

RangeKernel find_range(Dtype index, Negative negative) {
  RangeKernel kernel = nullptr;
  visit_dtype(Integers{}, index, [&]<class I>(Tag<I>) { kernel = negative == Negative::wrap ? &range<I, true> : &range<I, false>; });
  return kernel;
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {

HWY_EXPORT(find_index_kernels);
HWY_EXPORT(find_uniform);
HWY_EXPORT(find_rising);
HWY_EXPORT(find_range);

IndexKernels index_kernels(Dtype index, Negative negative, OutOfRange out_of_range) {
  return HWY_DYNAMIC_DISPATCH(find_index_kernels)(index, negative, out_of_range);
}

UniformKernel uniform_kernel(Dtype index) { return HWY_DYNAMIC_DISPATCH(find_uniform)(index); }

RisingKernel rising_kernel(Dtype index) { return HWY_DYNAMIC_DISPATCH(find_rising)(index); }

RangeKernel range_kernel(Dtype index, Negative negative) { return HWY_DYNAMIC_DISPATCH(find_range)(index, negative); }

OneIndex read_index(Dtype index, Negative negative, const std::byte* at, std::int64_t extent) {
  OneIndex one{0, false};
  visit_dtype(Integers{}, index, [&]<class I>(Tag<I>) {
    const I index_read = load<I>(at);
    one.value = static_cast<std::int64_t>(index_read);
    one.bad =
        outside(negative == Negative::wrap ? coordinate<I, true>(index_read, extent) : coordinate<I, false>(index_read, extent), extent);
  });
  return one;
}

}  // namespace strew::internal
#endif
