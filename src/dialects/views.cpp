// Views of views; only shapes and strides change.
#include "dialects/views.h"

#include <complex>
#include <string>

namespace strew::internal {

Dims joined(Sizes a, Sizes b) {
  Dims all(a);
  all.append(b);
  return all;
}

ConstTensorRef prefix(ConstTensorRef view, const Dims& shape) {
  view.shape = shape;
  return view;
}

ConstTensorRef axis_first(const ConstTensorRef& view, std::size_t axis) {
  Dims shape{view.shape[axis]}, strides{view.strides[axis]};
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (d == axis) continue;
    shape.push_back(view.shape[d]);
    strides.push_back(view.strides[d]);
  }
  return {view.data, view.dtype, std::move(shape), std::move(strides)};
}

bool broadcasts_to(const Dims& from, const Dims& shape) {
  if (from.size() > shape.size()) return false;
  const std::size_t missing = shape.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != shape[missing + d]) return false;
  }
  return true;
}

ConstTensorRef broadcast(const ConstTensorRef& view, const Dims& shape) {
  const std::size_t missing = shape.size() - view.rank();
  Dims strides(missing, 0);
  for (std::size_t d = 0; d < view.rank(); ++d) strides.push_back(view.shape[d] == shape[missing + d] ? view.strides[d] : 0);
  return {view.data, view.dtype, shape, std::move(strides)};
}

ConstTensorRef stand_in(Dtype dtype, const Dims& shape) {
  static const std::string text;
  static constexpr std::complex<double> number;  // the largest element type
  const void* const one = dtype == Dtype::string ? static_cast<const void*>(&text) : &number;
  return {one, dtype, shape, Dims(shape.size(), 0)};
}

ConstTensorRef without_leading(const ConstTensorRef& view, std::size_t count) {
  return {view.data, view.dtype, Dims(slice(view.shape, count, view.rank())), Dims(slice(view.strides, count, view.rank()))};
}

}  // namespace strew::internal
