// TensorFlow's tensor_scatter_nd_* family, as TensorFlow 2.21 computes it on a CPU.
//
// Updates apply in row-major order of the index tuples; with `update` the last one wins. Negative indices are out of
// range. `bad_indices_policy`: "DEFAULT" and "ERROR" refuse an index out of range, "IGNORE" leaves its update out
// (gather_nd: reads zero). Min and max keep the existing value when it or the update is NaN, and on a tie of zeros.
#pragma once

#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::tensorflow {

struct ScatterAttrs {
  std::string_view bad_indices_policy = "DEFAULT";
};

namespace describe {

[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_update(const TensorRef& out, const ConstTensorRef& tensor,
                                                           const ConstTensorRef& indices, const ConstTensorRef& updates,
                                                           const ScatterAttrs& attrs = {});
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_add(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_sub(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_min(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
[[nodiscard]] STREW_API ScatterOp tensor_scatter_nd_max(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                        const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
[[nodiscard]] STREW_API ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                             const Dims& shape, const ScatterAttrs& attrs = {});
[[nodiscard]] STREW_API GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& params, const ConstTensorRef& indices,
                                           const ScatterAttrs& attrs = {});

}  // namespace describe

[[nodiscard]] inline Tensor tensor_scatter_nd_update(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                     const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  return compute(describe::tensor_scatter_nd_update({}, tensor, indices, updates, attrs));
}
inline void tensor_scatter_nd_update_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                          const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  run(describe::tensor_scatter_nd_update(out, tensor, indices, updates, attrs));
}
[[nodiscard]] inline Tensor tensor_scatter_nd_add(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  return compute(describe::tensor_scatter_nd_add({}, tensor, indices, updates, attrs));
}
inline void tensor_scatter_nd_add_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  run(describe::tensor_scatter_nd_add(out, tensor, indices, updates, attrs));
}
[[nodiscard]] inline Tensor tensor_scatter_nd_sub(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  return compute(describe::tensor_scatter_nd_sub({}, tensor, indices, updates, attrs));
}
inline void tensor_scatter_nd_sub_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  run(describe::tensor_scatter_nd_sub(out, tensor, indices, updates, attrs));
}
[[nodiscard]] inline Tensor tensor_scatter_nd_min(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  return compute(describe::tensor_scatter_nd_min({}, tensor, indices, updates, attrs));
}
inline void tensor_scatter_nd_min_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  run(describe::tensor_scatter_nd_min(out, tensor, indices, updates, attrs));
}
[[nodiscard]] inline Tensor tensor_scatter_nd_max(const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                                  const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  return compute(describe::tensor_scatter_nd_max({}, tensor, indices, updates, attrs));
}
inline void tensor_scatter_nd_max_into(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                       const ConstTensorRef& updates, const ScatterAttrs& attrs = {}) {
  run(describe::tensor_scatter_nd_max(out, tensor, indices, updates, attrs));
}
[[nodiscard]] inline Tensor scatter_nd(const ConstTensorRef& indices, const ConstTensorRef& updates, const Dims& shape,
                                       const ScatterAttrs& attrs = {}) {
  return compute(describe::scatter_nd({}, indices, updates, shape, attrs));
}
inline void scatter_nd_into(const TensorRef& out, const ConstTensorRef& indices, const ConstTensorRef& updates, const Dims& shape,
                            const ScatterAttrs& attrs = {}) {
  run(describe::scatter_nd(out, indices, updates, shape, attrs));
}
[[nodiscard]] inline Tensor gather_nd(const ConstTensorRef& params, const ConstTensorRef& indices, const ScatterAttrs& attrs = {}) {
  return compute(describe::gather_nd({}, params, indices, attrs));
}
inline void gather_nd_into(const TensorRef& out, const ConstTensorRef& params, const ConstTensorRef& indices,
                           const ScatterAttrs& attrs = {}) {
  run(describe::gather_nd(out, params, indices, attrs));
}

}  // namespace strew::inline v0::tensorflow
