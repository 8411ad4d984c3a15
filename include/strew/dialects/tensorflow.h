// TensorFlow's tensor_scatter_nd_* family, as TensorFlow 2.21 computes it on a CPU.
//
// Updates apply in row-major order of the index tuples; in tensor_scatter_nd_update the last one wins. Negative indices are out of range.
// Min and max keep the existing value if either value is NaN, and on a tie of zeros.
#pragma once

#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::tensorflow {

// "DEFAULT" and "ERROR" reject an index out of range, "IGNORE" skips its update (gather_nd: reads zero).
struct ScatterAttrs {
  std::string_view bad_indices_policy = "DEFAULT";
};

// The functions in `describe` validate their arguments and return the op, for run(), plan() and explain(). `out` may be empty: compute()
// then allocates it. They throw an Error if a type, shape or attribute is not allowed; indices are checked when the op runs.
namespace describe {

// Copies `tensor` and replaces the elements or rows that the index tuples in the last axis of `indices` address.
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_update(const TensorRef& out, const ConstTensorRef& tensor,
                                                           const ConstTensorRef& indices, const ConstTensorRef& updates,
                                                           const ScatterAttrs& attrs = {});
// As tensor_scatter_nd_update, and adds the updates.
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_add(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
// As tensor_scatter_nd_update, and subtracts the updates.
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_sub(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
// As tensor_scatter_nd_update, and takes the minimum.
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_min(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
// As tensor_scatter_nd_update, and takes the maximum.
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_max(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
// tensor_scatter_nd_add to zeros of this shape.
[[nodiscard]] STREW_API ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                             const Dims& shape, const ScatterAttrs& attrs = {});
// Reads the elements or rows that the index tuples address.
[[nodiscard]] STREW_API GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& params, const ConstTensorRef& indices,
                                           const ScatterAttrs& attrs = {});

}  // namespace describe

// The functions above, run: the plain form returns a new tensor, the form with `_into` writes to `out`, which may be `tensor`. They throw
// the Errors of run().

// Returns a copy of `tensor` in which `updates` replace the addressed elements.
[[nodiscard]] inline Tensor tensor_scatter_nd_update(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                     const ConstTensorRef& updates, const ScatterAttrs& attrs = {},
                                                     const RunOptions& options = {}) {
  return compute(describe::tensor_scatter_nd_update({}, tensor, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void tensor_scatter_nd_update_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                          const ConstTensorRef& updates, const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::tensor_scatter_nd_update(out, tensor, indices, updates, attrs), options);
}
// Returns a copy of `tensor` in which `updates` are added to the addressed elements.
[[nodiscard]] inline Tensor tensor_scatter_nd_add(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {},
                                                  const RunOptions& options = {}) {
  return compute(describe::tensor_scatter_nd_add({}, tensor, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void tensor_scatter_nd_add_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::tensor_scatter_nd_add(out, tensor, indices, updates, attrs), options);
}
// Returns a copy of `tensor` in which `updates` are subtracted from the addressed elements.
[[nodiscard]] inline Tensor tensor_scatter_nd_sub(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {},
                                                  const RunOptions& options = {}) {
  return compute(describe::tensor_scatter_nd_sub({}, tensor, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void tensor_scatter_nd_sub_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::tensor_scatter_nd_sub(out, tensor, indices, updates, attrs), options);
}
// Returns a copy of `tensor` in which each addressed element is the minimum of itself and its updates.
[[nodiscard]] inline Tensor tensor_scatter_nd_min(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {},
                                                  const RunOptions& options = {}) {
  return compute(describe::tensor_scatter_nd_min({}, tensor, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void tensor_scatter_nd_min_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::tensor_scatter_nd_min(out, tensor, indices, updates, attrs), options);
}
// Returns a copy of `tensor` in which each addressed element is the maximum of itself and its updates.
[[nodiscard]] inline Tensor tensor_scatter_nd_max(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {},
                                                  const RunOptions& options = {}) {
  return compute(describe::tensor_scatter_nd_max({}, tensor, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void tensor_scatter_nd_max_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::tensor_scatter_nd_max(out, tensor, indices, updates, attrs), options);
}
// Returns a tensor of this shape: zeros to which `updates` are added at the addressed elements.
[[nodiscard]] inline Tensor scatter_nd(const ConstTensorRef& indices, const ConstTensorRef& updates, const Dims& shape,
                                       const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  return compute(describe::scatter_nd({}, indices, updates, shape, attrs), options);
}
// The same, written to `out`.
inline void scatter_nd_into(const TensorRef& out, const ConstTensorRef& indices, const ConstTensorRef& updates, const Dims& shape,
                            const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::scatter_nd(out, indices, updates, shape, attrs), options);
}
// Returns the elements or rows of `params` that the index tuples address.
[[nodiscard]] inline Tensor gather_nd(const ConstTensorRef& params, const ConstTensorRef& indices, const ScatterAttrs& attrs = {},
                                      const RunOptions& options = {}) {
  return compute(describe::gather_nd({}, params, indices, attrs), options);
}
// The same, written to `out`.
inline void gather_nd_into(const TensorRef& out, const ConstTensorRef& params, const ConstTensorRef& indices,
                           const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::gather_nd(out, params, indices, attrs), options);
}

}  // namespace strew::inline v0::tensorflow
