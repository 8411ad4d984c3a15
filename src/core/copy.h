// Copies between tensors of any layout.
#pragma once

#include <cstddef>
#include <span>

#include "core/view.h"
#include "kernels/apply.h"

namespace strew::internal {

// One tensor of a loop nest: its strides along the dimensions as they are, and its steps in bytes along those that are left.
struct Track {
  const std::int64_t* strides;
  std::int64_t unit;  // bytes that a stride counts
  Dims* steps;
};

// Appends `shape` to an empty loop nest without its dimensions of size 1, those that every tensor walks alike joined into one.
// Returns the product of the sizes.
std::int64_t join(Sizes shape, std::span<const Track> tracks, Dims& extents);

// place[x] = kernel(place[x], stream[x]) for every x below `extents`; steps in bytes.
void apply_elementwise(RowKernel kernel, const Dims& extents, std::byte* place, const Dims& addressed_steps, const std::byte* stream,
                       const Dims& stream_steps);

// to = from, of the same shape and dtype.
void copy(const TensorRef& to, const ConstTensorRef& from);
void fill_zeros(const TensorRef& to);

// The elements of a view that are memory of their own: what a stride of 0 repeats is there once.
[[nodiscard]] ConstTensorRef without_repeats(ConstTensorRef view);
// A tensor of such elements, repeated as `view` repeats them.
[[nodiscard]] ConstTensorRef with_repeats(const Tensor& elements, const ConstTensorRef& view);

// Strides in bytes.
[[nodiscard]] Dims byte_steps(const Dims& strides, Dtype dtype);

}  // namespace strew::internal
