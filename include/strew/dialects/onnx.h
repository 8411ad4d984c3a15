// ONNX ScatterElements, ScatterND, Scatter, GatherElements and GatherND.
//
// Updates apply in row-major order of the indices and the last one wins, where ONNX leaves it open. Negative indices
// count from the end. 16-bit floats are rounded at every step. Min and max take the update when either is NaN, as ONNX
// Runtime does; docs/semantics.md has the types it has no kernel for.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::onnx {

struct ScatterElementsAttrs {
  std::int64_t axis = 0;
  std::string_view reduction = "none";  // none; from opset 16 add, mul; from opset 18 max, min
  std::int64_t opset = 18;              // the model's; the operator's definition in force there counts, of 11, 13, 16 or 18
};
struct ScatterNDAttrs {
  std::string_view reduction = "none";
  std::int64_t opset = 18;
};
struct ScatterAttrs {
  std::int64_t axis = 0;
};
struct GatherElementsAttrs {
  std::int64_t axis = 0;
};
struct GatherNDAttrs {
  std::int64_t batch_dims = 0;
};

namespace describe {

[[nodiscard]] STREW_API ScatterOp scatter_elements(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                                   const ConstTensorRef& updates, const ScatterElementsAttrs& attrs = {});
[[nodiscard]] STREW_API ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                             const ConstTensorRef& updates, const ScatterNDAttrs& attrs = {});
// Scatter, opset 9.
[[nodiscard]] STREW_API ScatterOp scatter(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                          const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
[[nodiscard]] STREW_API GatherOp gather_elements(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                                 const GatherElementsAttrs& attrs = {});
[[nodiscard]] STREW_API GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                           const GatherNDAttrs& attrs = {});

}  // namespace describe

[[nodiscard]] inline Tensor scatter_elements(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                             const ScatterElementsAttrs& attrs = {}) {
  return compute(describe::scatter_elements({}, data, indices, updates, attrs));
}
inline void scatter_elements_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                  const ConstTensorRef& updates, const ScatterElementsAttrs& attrs = {}) {
  run(describe::scatter_elements(out, data, indices, updates, attrs));
}
[[nodiscard]] inline Tensor scatter_nd(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                       const ScatterNDAttrs& attrs = {}) {
  return compute(describe::scatter_nd({}, data, indices, updates, attrs));
}
inline void scatter_nd_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                            const ScatterNDAttrs& attrs = {}) {
  run(describe::scatter_nd(out, data, indices, updates, attrs));
}
[[nodiscard]] inline Tensor scatter(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                    const ScatterAttrs& attrs = {}) {
  return compute(describe::scatter({}, data, indices, updates, attrs));
}
inline void scatter_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                         const ScatterAttrs& attrs = {}) {
  run(describe::scatter(out, data, indices, updates, attrs));
}
[[nodiscard]] inline Tensor gather_elements(const ConstTensorRef& data, const ConstTensorRef& indices,
                                            const GatherElementsAttrs& attrs = {}) {
  return compute(describe::gather_elements({}, data, indices, attrs));
}
inline void gather_elements_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                 const GatherElementsAttrs& attrs = {}) {
  run(describe::gather_elements(out, data, indices, attrs));
}
[[nodiscard]] inline Tensor gather_nd(const ConstTensorRef& data, const ConstTensorRef& indices, const GatherNDAttrs& attrs = {}) {
  return compute(describe::gather_nd({}, data, indices, attrs));
}
inline void gather_nd_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                           const GatherNDAttrs& attrs = {}) {
  run(describe::gather_nd(out, data, indices, attrs));
}

}  // namespace strew::inline v0::onnx
