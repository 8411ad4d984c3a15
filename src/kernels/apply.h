// Row kernels: loops that step, copy or gather the rows of a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// Rows of the addressed tensor, and the rows of the tensor that is walked in order, the stream. Offsets and strides are in bytes. The two
// tensors never overlap.
struct RowBlock {
  std::byte* addressed;
  const std::int64_t* offsets;  // of each row, from `addressed`
  std::byte* stream;
  std::int64_t stream_stride;     // between rows
  std::int64_t rows;
  std::int64_t width;           // elements per row
  std::int64_t addressed_width_stride;
  std::int64_t stream_width_stride;
  // Prefetch distance in rows, for dense rows and single elements: with row i comes the prefetch of row i + ahead, if that is below
  // `known`, the number of valid offsets. 0: no prefetching.
  std::int64_t ahead = 0;
  std::int64_t known = 0;
  const std::int64_t* stream_offsets = nullptr;  // of each row, from `stream`; replaces stream_stride, and the stream is prefetched too

  [[nodiscard]] std::int64_t stream_offset(std::int64_t i) const {
    return stream_offsets == nullptr ? i * stream_stride : stream_offsets[i];
  }
};

using RowKernel = void (*)(const RowBlock& block);

// addressed[...] = step(addressed[...], stream[...]), with elements of type `accumulator` in `addressed` and of type `dtype` in `stream`.
// The types are equal, or a float32 accumulator takes 16-bit updates, or the updates have a wider type: then each step is computed in that
// type and cast back. Null where the arithmetic is not defined.
RowKernel step_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);

// addressed[...] = cast(stream[...]); null for strings.
RowKernel cast_kernel(Dtype from, Dtype to);

// stream[...] = addressed[...]
RowKernel gather_kernel(Dtype dtype);

}  // namespace strew::internal
