// Copies between tensors of any layout.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/apply.h"
#include "strew/tensor.h"

namespace strew {

// Whether there is at most one dimension, and it counts.
[[nodiscard]] inline bool is_collapsed(const Dims& extents) { return extents.empty() || (extents.size() == 1 && extents[0] != 1); }

// Drops dimensions of size 1 and joins those that every tensor walks alike. `steps` has one entry per tensor.
void collapse(Dims& extents, std::span<Dims* const> steps);

// place[x] = kernel(place[x], stream[x]) for every x below `extents`; steps in bytes.
void apply_elementwise(RowKernel kernel, Dims extents, std::byte* place, Dims place_steps, const std::byte* stream, Dims stream_steps);

// to = from, of the same shape and dtype.
void copy(const TensorRef& to, const ConstTensorRef& from);
void fill_zeros(const TensorRef& to);

// Strides in bytes.
[[nodiscard]] Dims byte_steps(const Dims& strides, Dtype dtype);

}  // namespace strew
