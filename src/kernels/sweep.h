// Products of all updates before, and after, each update of a place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/dtype.h"

namespace strew::internal {

// Dense rows of `row` elements: one per point of `values` and `products`, and one per place of `running`. The tangents of each lie in
// arrays of their own; all of them are null, or none but those of the products. Only the elements [begin, end) of each row are swept, and
// only points with places in [low, high).
struct SweepBlock {
  std::byte *running, *running_tangent;
  const std::byte *values, *values_tangent;  // of the first point
  std::byte *products, *products_tangent;    // null: not stored
  const std::int64_t* places;                // of each point; negative: skipped
  std::int64_t points;
  std::int64_t row, begin, end;
  std::int64_t low, high;
};
using SweepKernel = void (*)(const SweepBlock& block);

// products = running, then running *= values, in order of the points. Types: float32, float64, complex64, complex128.
SweepKernel forward_sweep(Dtype dtype);
// products *= running, then running *= values, against the order of the points
SweepKernel backward_sweep(Dtype dtype);

}  // namespace strew::internal
