// Copies between tensors of any layout.
#pragma once

#include <cstddef>
#include <span>

#include "core/view.h"
#include "kernels/apply.h"

namespace strew::internal {

// One tensor of a loop nest: its strides along all dimensions, and the resulting strides in bytes along the collapsed ones.
struct Track {
  const std::int64_t* strides;
  std::int64_t unit;  // bytes per unit of the strides
  Dims* byte_strides;
};

// Collapses `shape` into `extents`, which is empty: drops dimensions of size 1, and joins those that every tensor traverses alike. Returns
// the product of the sizes.
std::int64_t join(Sizes shape, std::span<const Track> tracks, Dims& extents);

// addressed[x] = kernel(addressed[x], stream[x]) for every x below `extents`; strides in bytes.
void apply_elementwise(RowKernel kernel, const Dims& extents, std::byte* addressed, const Dims& addressed_strides, const std::byte* stream,
                       const Dims& stream_strides);

// to = from, of the same shape and dtype.
void copy(const TensorRef& to, const ConstTensorRef& from);
void fill_zeros(const TensorRef& to);

// The view without its broadcast repeats: dimensions of stride 0 get size 1.
[[nodiscard]] ConstTensorRef without_repeats(ConstTensorRef view);
// A tensor of such elements, broadcast like `view`.
[[nodiscard]] ConstTensorRef with_repeats(const Tensor& elements, const ConstTensorRef& view);

// Strides in bytes.
[[nodiscard]] Dims byte_strides(const Dims& strides, Dtype dtype);

}  // namespace strew::internal
