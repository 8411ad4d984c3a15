// A view of either kind, by reference, so that the core copies no shapes.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "strew/tensor.h"

namespace strew::internal {

// A shape, or a part of one, by reference.
using Sizes = std::span<const std::int64_t>;

// Plain loops: most shapes are too short for the overhead of library algorithms.
[[nodiscard]] inline bool is_empty(Sizes shape) {
  for (const std::int64_t size : shape) {
    if (size == 0) return true;
  }
  return false;
}
[[nodiscard]] inline bool same(Sizes a, Sizes b) {
  if (a.size() != b.size()) return false;
  if (a.size() >= 4) return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;  // pays from four dimensions on
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d]) return false;
  }
  return true;
}
// Whether a shape is first ++ second.
[[nodiscard]] inline bool is_joined(Sizes shape, Sizes first, Sizes second) {
  return shape.size() == first.size() + second.size() && same(shape.first(first.size()), first) && same(shape.last(second.size()), second);
}

struct View {
  const void* data;
  Dtype dtype;
  const Dims& shape;
  const Dims& strides;  // in elements

  template <class Ref>
  View(const Ref& ref) : data(ref.data), dtype(ref.dtype), shape(ref.shape), strides(ref.strides) {}
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

// The same memory, for an operator that works in place on an argument.
[[nodiscard]] inline TensorRef writable(const ConstTensorRef& view) {
  TensorRef out;
  out.data = const_cast<void*>(view.data);
  out.dtype = view.dtype;
  out.shape = view.shape;
  out.strides = view.strides;
  return out;
}

// The memory range of a view, strides of either sign included; empty if it has no elements.
struct Extent {
  std::uintptr_t begin = 0, end = 0;
  bool evenly_spaced = false;  // in row-major order, as most tensors are: no two elements share memory
  bool packed = false;         // and without gaps
};

}  // namespace strew::internal
