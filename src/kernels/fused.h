// Address and step in one loop, for the few combinations that people run most: single elements of common types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// place[i * addressed_step + index[i] * stride] = step(the same, stream[i])    for i < count, in order; steps and the stride are in bytes
struct ElementRun {
  std::byte* addressed;
  std::int64_t addressed_step;
  const std::byte* index;
  std::int64_t index_step;
  std::int64_t extent;
  std::int64_t stride;
  const std::byte* stream;
  std::int64_t stream_step;
  std::int64_t count;
  bool is_far;    // no cache holds the place, so its memory is asked for ahead of time
  bool has_runs;  // neighbours often name the same element, which then stays in a register
};

// Stops at a bad index and returns false; what came before it is written.
using ElementKernel = bool (*)(const ElementRun& run);

// Null where there is none. Elements that are counted have their count beside them, of the same size.
ElementKernel element_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted, Dtype index, Negative negative);

// Several runs that name no element in common, and no negative index: a step of each in turn, so that steps on neighbours need not wait for
// each other. All are of one length.
inline constexpr std::size_t runs_together = 4;
using ElementRuns = std::array<ElementRun, runs_together>;
using ElementRunsKernel = bool (*)(const ElementRuns& runs);
// For dense indices and updates of dense vectors. Null where there is none.
ElementRunsKernel element_runs_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype index);

// The other way round: stream[i] = place[i * addressed_step + index[i] * stride], elements of so many bytes.
ElementKernel gather_element_kernel(std::int64_t bytes, Dtype index, Negative negative);

}  // namespace strew::internal
