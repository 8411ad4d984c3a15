// Paddle's scatter family, as the CPU kernels of Paddle 3.3 compute it.
//
// Updates apply in row-major order of the index; where they replace, the last one wins. Negative indices count from the
// end. Every step is rounded to the tensor's type. amax and amin keep the existing value when either is NaN.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::paddle {

struct PutAlongAxisAttrs {
  std::string_view reduce = "assign";  // assign, add, mul or multiply, mean, amin, amax
  bool include_self = true;            // false: the first update to a place replaces it
  bool broadcast = true;               // indices and values take the shape of arr off the axis; false: leading parts
};

namespace describe {

[[nodiscard]] STREW_API ScatterOp scatter_nd_add(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index,
                                                 const ConstTensorRef& updates);
// overwrite = false sums the updates of a row and drops what it held.
[[nodiscard]] STREW_API ScatterOp scatter(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index,
                                          const ConstTensorRef& updates, bool overwrite = true);
[[nodiscard]] STREW_API ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& index, const ConstTensorRef& updates,
                                             const Dims& shape);
[[nodiscard]] STREW_API ScatterOp put_along_axis(const TensorRef& out, const ConstTensorRef& arr, const ConstTensorRef& indices,
                                                 const Source& values, std::int64_t axis, const PutAlongAxisAttrs& attrs = {});
[[nodiscard]] STREW_API ScatterOp index_add(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, std::int64_t axis,
                                            const ConstTensorRef& value);
[[nodiscard]] STREW_API GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index);

}  // namespace describe

// Functional, into the caller's memory, and with a trailing underscore in place.

[[nodiscard]] inline Tensor scatter_nd_add(const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates) {
  return compute(describe::scatter_nd_add({}, x, index, updates));
}
inline void scatter_nd_add_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates) {
  run(describe::scatter_nd_add(out, x, index, updates));
}
[[nodiscard]] inline Tensor scatter(const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates,
                                    bool overwrite = true) {
  return compute(describe::scatter({}, x, index, updates, overwrite));
}
inline void scatter_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates,
                         bool overwrite = true) {
  run(describe::scatter(out, x, index, updates, overwrite));
}
inline void scatter_(const TensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates, bool overwrite = true) {
  run(describe::scatter(x, x, index, updates, overwrite));
}
[[nodiscard]] inline Tensor scatter_nd(const ConstTensorRef& index, const ConstTensorRef& updates, const Dims& shape) {
  return compute(describe::scatter_nd({}, index, updates, shape));
}
inline void scatter_nd_into(const TensorRef& out, const ConstTensorRef& index, const ConstTensorRef& updates, const Dims& shape) {
  run(describe::scatter_nd(out, index, updates, shape));
}
[[nodiscard]] inline Tensor put_along_axis(const ConstTensorRef& arr, const ConstTensorRef& indices, const Source& values,
                                           std::int64_t axis, const PutAlongAxisAttrs& attrs = {}) {
  return compute(describe::put_along_axis({}, arr, indices, values, axis, attrs));
}
inline void put_along_axis_into(const TensorRef& out, const ConstTensorRef& arr, const ConstTensorRef& indices, const Source& values,
                                std::int64_t axis, const PutAlongAxisAttrs& attrs = {}) {
  run(describe::put_along_axis(out, arr, indices, values, axis, attrs));
}
inline void put_along_axis_(const TensorRef& arr, const ConstTensorRef& indices, const Source& values, std::int64_t axis,
                            const PutAlongAxisAttrs& attrs = {}) {
  run(describe::put_along_axis(arr, arr, indices, values, axis, attrs));
}
[[nodiscard]] inline Tensor index_add(const ConstTensorRef& x, const ConstTensorRef& index, std::int64_t axis,
                                      const ConstTensorRef& value) {
  return compute(describe::index_add({}, x, index, axis, value));
}
inline void index_add_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, std::int64_t axis,
                           const ConstTensorRef& value) {
  run(describe::index_add(out, x, index, axis, value));
}
inline void index_add_(const TensorRef& x, const ConstTensorRef& index, std::int64_t axis, const ConstTensorRef& value) {
  run(describe::index_add(x, x, index, axis, value));
}
[[nodiscard]] inline Tensor gather_nd(const ConstTensorRef& x, const ConstTensorRef& index) {
  return compute(describe::gather_nd({}, x, index));
}
inline void gather_nd_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index) {
  run(describe::gather_nd(out, x, index));
}

}  // namespace strew::inline v0::paddle
