// Whether two views share memory, and whether one shares it with itself.
#pragma once

#include "strew/tensor.h"

namespace strew {

enum class Overlap : std::uint8_t {
  none,
  certain,
  unknown,  // the byte ranges meet, but the elements may still be apart
};

[[nodiscard]] Overlap overlap(const ConstTensorRef& a, const ConstTensorRef& b);

// Whether two elements of the view are the same memory. Exact; unusual strides are looked at element by element.
[[nodiscard]] bool overlaps_itself(const ConstTensorRef& view);

[[nodiscard]] bool same_view(const ConstTensorRef& a, const ConstTensorRef& b);

}  // namespace strew
