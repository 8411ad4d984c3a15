// Paddle's scatter family, as the CPU kernels of Paddle 3.3 compute it.
//
// Updates apply in row-major order of the index; of several assignments the last one wins. Negative indices count from the end. Every step
// is rounded to the type of the tensor. amax and amin keep the existing value if either value is NaN.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::paddle {

// The attributes of put_along_axis, with Paddle's defaults.
struct PutAlongAxisAttrs {
  std::string_view reduce = "assign";  // "assign", "add", "mul" or "multiply", "mean", "amin", "amax"
  bool include_self = true;            // false: the first update of an element replaces it
  bool broadcast = true;  // broadcast indices and values to `arr` except on the axis; false: they cover a leading part of it
};

// The functions in `describe` validate their arguments and return the op, for run(), plan() and explain(). `out` may be empty: compute()
// then allocates it. They throw an Error if a type, shape or attribute is not allowed; indices are checked when the op runs.
namespace describe {

// Copies `x` and adds the updates to the elements or rows that the index tuples in the last axis of `index` address.
[[nodiscard]] STREW_API ScatterOp scatter_nd_add(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index,
                                                 const ConstTensorRef& updates);
// Copies `x` and replaces the rows x[index[i]]. With overwrite = false a row becomes the sum of its updates, without its old value.
[[nodiscard]] STREW_API ScatterOp scatter(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index,
                                          const ConstTensorRef& updates, bool overwrite = true);
// scatter_nd_add to zeros of this shape.
[[nodiscard]] STREW_API ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& index, const ConstTensorRef& updates,
                                             const Dims& shape);
// Copies `arr` and steps a value per index, which is the coordinate on the axis.
[[nodiscard]] STREW_API ScatterOp put_along_axis(const TensorRef& out, const ConstTensorRef& arr, const ConstTensorRef& indices,
                                                 const Source& values, std::int64_t axis, const PutAlongAxisAttrs& attrs = {});
// Copies `x` and adds slice i of `value` to its slice index[i] on the axis.
[[nodiscard]] STREW_API ScatterOp index_add(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, std::int64_t axis,
                                            const ConstTensorRef& value);
// Reads the elements or rows that the index tuples address.
[[nodiscard]] STREW_API GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index);

}  // namespace describe

// The functions above, run: the plain form returns a new tensor, the form with `_into` writes to `out`, the form with a trailing underscore
// works in place. They throw the Errors of run().

// Returns a copy of `x` in which `updates` are added to the addressed elements or rows.
[[nodiscard]] inline Tensor scatter_nd_add(const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates,
                                           const RunOptions& options = {}) {
  return compute(describe::scatter_nd_add({}, x, index, updates), options);
}
// The same, written to `out`.
inline void scatter_nd_add_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates,
                                const RunOptions& options = {}) {
  run(describe::scatter_nd_add(out, x, index, updates), options);
}
// Returns a copy of `x` in which `updates` replace the indexed rows, or are summed into them.
[[nodiscard]] inline Tensor scatter(const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates,
                                    bool overwrite = true, const RunOptions& options = {}) {
  return compute(describe::scatter({}, x, index, updates, overwrite), options);
}
// The same, written to `out`.
inline void scatter_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates,
                         bool overwrite = true, const RunOptions& options = {}) {
  run(describe::scatter(out, x, index, updates, overwrite), options);
}
// The same, in place on `x`.
inline void scatter_(const TensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates, bool overwrite = true,
                     const RunOptions& options = {}) {
  run(describe::scatter(x, x, index, updates, overwrite), options);
}
// Returns a tensor of this shape: zeros to which `updates` are added at the addressed elements.
[[nodiscard]] inline Tensor scatter_nd(const ConstTensorRef& index, const ConstTensorRef& updates, const Dims& shape,
                                       const RunOptions& options = {}) {
  return compute(describe::scatter_nd({}, index, updates, shape), options);
}
// The same, written to `out`.
inline void scatter_nd_into(const TensorRef& out, const ConstTensorRef& index, const ConstTensorRef& updates, const Dims& shape,
                            const RunOptions& options = {}) {
  run(describe::scatter_nd(out, index, updates, shape), options);
}
// Returns a copy of `arr` in which values are assigned to or combined with the indexed elements.
[[nodiscard]] inline Tensor put_along_axis(const ConstTensorRef& arr, const ConstTensorRef& indices, const Source& values,
                                           std::int64_t axis, const PutAlongAxisAttrs& attrs = {}, const RunOptions& options = {}) {
  return compute(describe::put_along_axis({}, arr, indices, values, axis, attrs), options);
}
// The same, written to `out`.
inline void put_along_axis_into(const TensorRef& out, const ConstTensorRef& arr, const ConstTensorRef& indices, const Source& values,
                                std::int64_t axis, const PutAlongAxisAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::put_along_axis(out, arr, indices, values, axis, attrs), options);
}
// The same, in place on `arr`.
inline void put_along_axis_(const TensorRef& arr, const ConstTensorRef& indices, const Source& values, std::int64_t axis,
                            const PutAlongAxisAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::put_along_axis(arr, arr, indices, values, axis, attrs), options);
}
// Returns a copy of `x` in which the slices of `value` are added to the indexed slices.
[[nodiscard]] inline Tensor index_add(const ConstTensorRef& x, const ConstTensorRef& index, std::int64_t axis, const ConstTensorRef& value,
                                      const RunOptions& options = {}) {
  return compute(describe::index_add({}, x, index, axis, value), options);
}
// The same, written to `out`.
inline void index_add_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, std::int64_t axis,
                           const ConstTensorRef& value, const RunOptions& options = {}) {
  run(describe::index_add(out, x, index, axis, value), options);
}
// The same, in place on `x`.
inline void index_add_(const TensorRef& x, const ConstTensorRef& index, std::int64_t axis, const ConstTensorRef& value,
                       const RunOptions& options = {}) {
  run(describe::index_add(x, x, index, axis, value), options);
}
// Returns the elements or rows of `x` that the index tuples address.
[[nodiscard]] inline Tensor gather_nd(const ConstTensorRef& x, const ConstTensorRef& index, const RunOptions& options = {}) {
  return compute(describe::gather_nd({}, x, index), options);
}
// The same, written to `out`.
inline void gather_nd_into(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, const RunOptions& options = {}) {
  run(describe::gather_nd(out, x, index), options);
}

}  // namespace strew::inline v0::paddle
