// Indices into offsets; coordinate.h says what one index means.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// A run of indices of one column: `count` of them, `step` bytes apart, for an axis of `extent` whose elements are
// `stride` bytes apart.
struct IndexRun {
  const std::byte* index;
  std::int64_t step;
  std::int64_t count;
  std::int64_t extent;
  std::int64_t stride;
};

// The offset of a point that is left out.
inline constexpr std::int64_t skipped = INT64_MIN;

// offsets[i] += index[i] * stride. Returns whether an index is bad; then the offsets must not be used.
using AddressKernel = bool (*)(const IndexRun& run, std::int64_t* offsets);

// Whether an index of the run is bad: the pass before anything is written.
using CheckKernel = bool (*)(const IndexRun& run);

// Both, for one type of index; null if it is no integer.
struct IndexKernels {
  AddressKernel address;
  CheckKernel check;
};
IndexKernels index_kernels(Dtype index, Negative negative, OutOfRange out_of_range);

// Whether all indices of the run are the same; their extent and stride do not matter.
using UniformKernel = bool (*)(const IndexRun& run);
UniformKernel uniform_kernel(Dtype index);

// Whether no index of the run is lower than the one before it.
using RisingKernel = bool (*)(const IndexRun& run);
RisingKernel rising_kernel(Dtype index);

// The lowest and the highest coordinate that the indices of the run name: all are in range if both are.
struct CoordinateRange {
  std::int64_t low, high;
};
using RangeKernel = CoordinateRange (*)(const IndexRun& run);
RangeKernel range_kernel(Dtype index, Negative negative);

// One index, for reporting: its value, and whether it is bad.
struct OneIndex {
  std::int64_t value;
  bool bad;
};
OneIndex read_index(Dtype index, Negative negative, const std::byte* at, std::int64_t extent);

}  // namespace strew::internal
