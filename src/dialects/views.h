// Views of the same memory, by which dialects bring tensors into the canonical form.
#pragma once

#include "core/view.h"

namespace strew::internal {

// Slices of shapes, by reference.
[[nodiscard]] inline Sizes slice(const Dims& dims, std::size_t begin, std::size_t end) {
  return {dims.begin() + begin, dims.begin() + end};
}
[[nodiscard]] Dims joined(Sizes a, Sizes b);

// The first shape[d] elements of each dimension d.
[[nodiscard]] ConstTensorRef prefix(ConstTensorRef view, const Dims& shape);

// Moves `axis` to the front; the others keep their order.
[[nodiscard]] ConstTensorRef axis_first(const ConstTensorRef& view, std::size_t axis);

// A rank-0 tensor as a vector of one element; others unchanged.
template <class View>
[[nodiscard]] View at_least_vector(View view) {
  if (view.shape.empty()) {
    view.shape = Dims{1};
    view.strides = Dims{1};
  }
  return view;
}

// Broadcasts to `shape`, which must be compatible.
[[nodiscard]] ConstTensorRef broadcast(const ConstTensorRef& view, const Dims& shape);
[[nodiscard]] bool broadcasts_to(const Dims& from, const Dims& shape);

// A placeholder of that type and shape: for updates of a plan that has none yet, and for indices it has read already.
[[nodiscard]] ConstTensorRef stand_in(Dtype dtype, const Dims& shape);

// Drops `count` leading dimensions, which must have size 1.
[[nodiscard]] ConstTensorRef without_leading(const ConstTensorRef& view, std::size_t count);

}  // namespace strew::internal
