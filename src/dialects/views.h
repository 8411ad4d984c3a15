// Other ways to see the same memory: what dialects do to a tensor before it enters the canonical form.
#pragma once

#include "core/view.h"

namespace strew::internal {

// Parts of shapes, by reference.
[[nodiscard]] inline Sizes slice(const Dims& dims, std::size_t begin, std::size_t end) {
  return {dims.begin() + begin, dims.begin() + end};
}
[[nodiscard]] Dims joined(Sizes a, Sizes b);

// The first shape[d] elements of each dimension d.
[[nodiscard]] ConstTensorRef prefix(ConstTensorRef view, const Dims& shape);

// Axis `axis` first, the others in order behind it.
[[nodiscard]] ConstTensorRef axis_first(const ConstTensorRef& view, std::size_t axis);

// A rank-0 tensor as a vector of one element; others as they are.
template <class View>
[[nodiscard]] View at_least_vector(View view) {
  if (view.shape.empty()) {
    view.shape = Dims{1};
    view.strides = Dims{1};
  }
  return view;
}

// Sizes of 1 repeated up to `shape`, missing leading dimensions too. The shapes must allow it.
[[nodiscard]] ConstTensorRef broadcast(const ConstTensorRef& view, const Dims& shape);
[[nodiscard]] bool broadcasts_to(const Dims& from, const Dims& shape);

// Any elements of that type and shape, for what need not exist: updates before a plan has some, indices after it has read them.
[[nodiscard]] ConstTensorRef stand_in(Dtype dtype, const Dims& shape);

// The same elements with `count` leading dimensions removed; they must have size 1.
[[nodiscard]] ConstTensorRef without_leading(const ConstTensorRef& view, std::size_t count);

}  // namespace strew::internal
