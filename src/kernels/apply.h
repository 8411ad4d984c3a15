// The kernels that move data: what a block of rows is, and where to find the kernel for a step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// Some rows of the addressed tensor, `place`, and the rows of the tensor that is walked in order, `stream`.
// Offsets and steps are in bytes. The two never overlap.
struct RowBlock {
  std::byte* addressed;
  const std::int64_t* offsets;  // of each row in `place`
  std::byte* stream;
  std::int64_t stream_step;     // from one row of `stream` to the next
  std::int64_t rows;
  std::int64_t width;           // elements in a row
  std::int64_t place_width_step;
  std::int64_t stream_width_step;
  // Asking for memory, of dense rows and single elements: that of the row which comes `ahead` rows later, as long as it is among the
// `known` offsets; 0: of none.
  std::int64_t ahead = 0;
  std::int64_t known = 0;
  const std::int64_t* stream_offsets = nullptr;  // of each row in `stream`, instead of the step: then that memory is asked for as well

  [[nodiscard]] std::int64_t stream_offset(std::int64_t i) const { return stream_offsets == nullptr ? i * stream_step : stream_offsets[i]; }
};

using RowKernel = void (*)(const RowBlock& block);

// The kernel of one step: place[...] = step(place[...], stream[...]), with `place` of type `accumulator` and `stream`
// of type `dtype`: the same, or a float32 accumulator of 16-bit updates, or updates of a wider type, in which the step is
// computed before it is cast back. Null where the arithmetic is not defined.
RowKernel step_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);

// place[...] = stream[...] as another type; null for strings.
RowKernel cast_kernel(Dtype from, Dtype to);

// stream[...] = place[...], by the size of an element.
RowKernel gather_kernel(Dtype dtype);

}  // namespace strew::internal
