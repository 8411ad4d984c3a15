// Address and step fused into one loop, for the most common combinations: single elements of common types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// addressed[at] = step(addressed[at], stream[i]), at = i * addressed_stride + index[i] * stride    for i < count, in order. Strides are in
// bytes.
struct ElementRun {
  std::byte* addressed;
  std::int64_t addressed_stride;
  const std::byte* index;
  std::int64_t index_stride;
  std::int64_t extent;
  std::int64_t stride;
  const std::byte* stream;
  std::int64_t stream_stride;
  std::int64_t count;
  bool is_far;    // the places are not cached, so they are prefetched
  bool has_runs;  // consecutive indices are often equal; the element then stays in a register
};

// Returns false at the first bad index; updates before it are applied.
using ElementKernel = bool (*)(const ElementRun& run);

// Null if there is no fused loop. With `counted`, each element is followed by its count, of the same size.
ElementKernel element_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted, Dtype index, Negative negative);

// Runs of equal length without a common element and without negative indices. Their steps are interleaved, so that steps on neighbouring
// elements of one run do not stall on each other.
inline constexpr std::size_t runs_together = 4;
using ElementRuns = std::array<ElementRun, runs_together>;
using ElementRunsKernel = bool (*)(const ElementRuns& runs);
// For contiguous indices and updates of contiguous vectors. Null if there is no such loop.
ElementRunsKernel element_runs_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype index);

// stream[i] = addressed[i * addressed_stride + index[i] * stride], elements of `bytes` bytes. Null for sizes other than 1, 2, 4 and 8 and
// for uncommon index types.
ElementKernel gather_element_kernel(std::int64_t bytes, Dtype index, Negative negative);

}  // namespace strew::internal
