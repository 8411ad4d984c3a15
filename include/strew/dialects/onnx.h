// ONNX ScatterElements, ScatterND, Scatter, GatherElements and GatherND.
//
// Updates apply in row-major order of the indices, and of several assignments the last one wins; ONNX leaves both open. Negative indices
// count from the end. 16-bit floats are rounded after every step. Min and max take the update if either value is NaN, as in ONNX Runtime;
// docs/semantics.md says what happens for types without a kernel there.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::onnx {

// The attributes of each operator, with ONNX's defaults. A negative axis counts from the end.
struct ScatterElementsAttrs {
  std::int64_t axis = 0;
  std::string_view reduction = "none";  // "none"; from opset 16 "add", "mul"; from opset 18 "max", "min"
  std::int64_t opset = 18;              // opset version of the model; selects the definition of 11, 13, 16 or 18
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

// The functions in `describe` validate their arguments and return the op, for run(), plan() and explain(). `out` may be empty: compute()
// then allocates it. They throw an Error if a type, shape or attribute is not allowed; indices are checked when the op runs.
namespace describe {

// ScatterElements: copies `data` and steps an update per index, which is the coordinate on the axis.
[[nodiscard]] STREW_API ScatterOp scatter_elements(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                                   const ConstTensorRef& updates, const ScatterElementsAttrs& attrs = {});
// ScatterND: copies `data` and steps the elements or rows that the index tuples in the last axis of `indices` address.
[[nodiscard]] STREW_API ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                             const ConstTensorRef& updates, const ScatterNDAttrs& attrs = {});
// Scatter of opset 9: ScatterElements without a reduction.
[[nodiscard]] STREW_API ScatterOp scatter(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                          const ConstTensorRef& updates, const ScatterAttrs& attrs = {});
// GatherElements: reads an element per index, which is the coordinate on the axis.
[[nodiscard]] STREW_API GatherOp gather_elements(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                                 const GatherElementsAttrs& attrs = {});
// GatherND: reads the elements or rows that the index tuples address, within each batch.
[[nodiscard]] STREW_API GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                           const GatherNDAttrs& attrs = {});

}  // namespace describe

// The functions above, run: the plain form returns a new tensor, the form with `_into` writes to `out`, which may be `data`. They throw the
// Errors of run().

// Returns a copy of `data` in which `updates` replace or are combined with the indexed elements.
[[nodiscard]] inline Tensor scatter_elements(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                             const ScatterElementsAttrs& attrs = {}, const RunOptions& options = {}) {
  return compute(describe::scatter_elements({}, data, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void scatter_elements_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                  const ConstTensorRef& updates, const ScatterElementsAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::scatter_elements(out, data, indices, updates, attrs), options);
}
// Returns a copy of `data` in which `updates` replace or are combined with the addressed elements or rows.
[[nodiscard]] inline Tensor scatter_nd(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                       const ScatterNDAttrs& attrs = {}, const RunOptions& options = {}) {
  return compute(describe::scatter_nd({}, data, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void scatter_nd_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                            const ScatterNDAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::scatter_nd(out, data, indices, updates, attrs), options);
}
// Returns a copy of `data` in which `updates` replace the indexed elements.
[[nodiscard]] inline Tensor scatter(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                    const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  return compute(describe::scatter({}, data, indices, updates, attrs), options);
}
// The same, written to `out`.
inline void scatter_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                         const ScatterAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::scatter(out, data, indices, updates, attrs), options);
}
// Returns the elements of `data` that the indices select on the axis.
[[nodiscard]] inline Tensor gather_elements(const ConstTensorRef& data, const ConstTensorRef& indices,
                                            const GatherElementsAttrs& attrs = {}, const RunOptions& options = {}) {
  return compute(describe::gather_elements({}, data, indices, attrs), options);
}
// The same, written to `out`.
inline void gather_elements_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                                 const GatherElementsAttrs& attrs = {}, const RunOptions& options = {}) {
  run(describe::gather_elements(out, data, indices, attrs), options);
}
// Returns the elements or rows of `data` that the index tuples address.
[[nodiscard]] inline Tensor gather_nd(const ConstTensorRef& data, const ConstTensorRef& indices, const GatherNDAttrs& attrs = {},
                                      const RunOptions& options = {}) {
  return compute(describe::gather_nd({}, data, indices, attrs), options);
}
// The same, written to `out`.
inline void gather_nd_into(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const GatherNDAttrs& attrs = {},
                           const RunOptions& options = {}) {
  run(describe::gather_nd(out, data, indices, attrs), options);
}

}  // namespace strew::inline v0::onnx
