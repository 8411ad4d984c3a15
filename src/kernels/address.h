// Converts runs of indices to offsets, and validates them. kernels/coordinate.h defines the meaning of one index.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// `count` indices of one column, `index_stride` bytes apart, into an axis of size `extent` whose elements are `stride` bytes apart.
struct IndexRun {
  const std::byte* index;
  std::int64_t index_stride;
  std::int64_t count;
  std::int64_t extent;
  std::int64_t stride;
};

// The offset of a point that OutOfRange::skip leaves out.
inline constexpr std::int64_t skipped = INT64_MIN;

// offsets[i] += index[i] * stride    for i < count. Returns whether an index is bad; then the offsets must not be used.
using AddressKernel = bool (*)(const IndexRun& run, std::int64_t* offsets);

// Whether an index of the run is bad. The validation pass before the first write.
using CheckKernel = bool (*)(const IndexRun& run);

// Both kernels for one index dtype; null if it is not an integer.
struct IndexKernels {
  AddressKernel address;
  CheckKernel check;
};
IndexKernels index_kernels(Dtype index, Negative negative, OutOfRange out_of_range);

// Whether all indices of the run are equal. Needs count >= 1; ignores extent and stride.
using UniformKernel = bool (*)(const IndexRun& run);
UniformKernel uniform_kernel(Dtype index);

// Whether the indices of the run never decrease; ignores extent and stride.
using RisingKernel = bool (*)(const IndexRun& run);
RisingKernel rising_kernel(Dtype index);

// The lowest and the highest coordinate of the run, after wrapping: all indices are in range if both are.
struct CoordinateRange {
  std::int64_t low, high;
};
using RangeKernel = CoordinateRange (*)(const IndexRun& run);
RangeKernel range_kernel(Dtype index, Negative negative);

// One index, for an error message: its value as stored, and whether it is bad.
struct OneIndex {
  std::int64_t value;
  bool bad;
};
OneIndex read_index(Dtype index, Negative negative, const std::byte* at, std::int64_t extent);

}  // namespace strew::internal
