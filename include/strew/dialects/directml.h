// DirectML's scatter and gather operators: DML_SCATTER_ND_OPERATOR_DESC and its family.
//
// Each operator has two forms. One takes DirectML's own descriptions, with buffers as spans of bytes, and applies DirectML's rules: one
// DimensionCount for all tensors, no size of zero. The other takes tensors, and adds leading dimensions of size 1 where an ND operator
// needs them. Of duplicates the last update in row-major order wins; DirectML gives no guarantee. Negative indices of signed types count
// from the end from feature level 3_0 on. An index out of range is an error, or with OutOfRange::clamp becomes the nearest valid index. An
// output may not share memory with an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::directml {

// The types, enumerators and structs below have the names, fields and values of DirectML.h.
using UINT = std::uint32_t;
using UINT64 = std::uint64_t;

enum DML_TENSOR_DATA_TYPE : int {
  DML_TENSOR_DATA_TYPE_UNKNOWN,
  DML_TENSOR_DATA_TYPE_FLOAT32,
  DML_TENSOR_DATA_TYPE_FLOAT16,
  DML_TENSOR_DATA_TYPE_UINT32,
  DML_TENSOR_DATA_TYPE_UINT16,
  DML_TENSOR_DATA_TYPE_UINT8,
  DML_TENSOR_DATA_TYPE_INT32,
  DML_TENSOR_DATA_TYPE_INT16,
  DML_TENSOR_DATA_TYPE_INT8,
  DML_TENSOR_DATA_TYPE_FLOAT64,
  DML_TENSOR_DATA_TYPE_UINT64,
  DML_TENSOR_DATA_TYPE_INT64,
};
enum DML_TENSOR_TYPE : int { DML_TENSOR_TYPE_INVALID, DML_TENSOR_TYPE_BUFFER };
enum DML_TENSOR_FLAGS : int { DML_TENSOR_FLAG_NONE, DML_TENSOR_FLAG_OWNED_BY_DML };
enum DML_FEATURE_LEVEL : int {
  DML_FEATURE_LEVEL_1_0 = 0x1000,
  DML_FEATURE_LEVEL_2_0 = 0x2000,
  DML_FEATURE_LEVEL_2_1 = 0x2100,
  DML_FEATURE_LEVEL_3_0 = 0x3000,
  DML_FEATURE_LEVEL_3_1 = 0x3100,
  DML_FEATURE_LEVEL_4_0 = 0x4000,
  DML_FEATURE_LEVEL_4_1 = 0x4100,
  DML_FEATURE_LEVEL_5_0 = 0x5000,
  DML_FEATURE_LEVEL_5_1 = 0x5100,
  DML_FEATURE_LEVEL_5_2 = 0x5200,
  DML_FEATURE_LEVEL_6_0 = 0x6000,
  DML_FEATURE_LEVEL_6_1 = 0x6100,
  DML_FEATURE_LEVEL_6_2 = 0x6200,
  DML_FEATURE_LEVEL_6_3 = 0x6300,
  DML_FEATURE_LEVEL_6_4 = 0x6400,
};

struct DML_BUFFER_TENSOR_DESC {
  DML_TENSOR_DATA_TYPE DataType;
  DML_TENSOR_FLAGS Flags;
  UINT DimensionCount;
  const UINT* Sizes;
  const UINT* Strides;  // in elements; null: packed
  UINT64 TotalTensorSizeInBytes;
  UINT GuaranteedBaseOffsetAlignment;
};
struct DML_TENSOR_DESC {
  DML_TENSOR_TYPE Type;
  const void* Desc;
};
struct DML_SCATTER_ND_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* UpdatesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT InputDimensionCount;
  UINT IndicesDimensionCount;
};
struct DML_SCATTER_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* UpdatesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
};
using DML_SCATTER_ELEMENTS_OPERATOR_DESC = DML_SCATTER_OPERATOR_DESC;
struct DML_GATHER_ELEMENTS_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
};
struct DML_GATHER_ND_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT InputDimensionCount;
  UINT IndicesDimensionCount;
};
struct DML_GATHER_ND1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT InputDimensionCount;
  UINT IndicesDimensionCount;
  UINT BatchDimensionCount;
};

// ---- On tensors ----

// Options of all operators.
struct Options {
  DML_FEATURE_LEVEL feature_level = DML_FEATURE_LEVEL_3_0;
  OutOfRange out_of_range = OutOfRange::error;  // or clamp
};
// The attributes of the ND operators. A dimension count is the number of trailing dimensions that are used; the leading ones must have
// size 1. No value: the rank of the tensor.
struct NdAttrs {
  std::optional<std::int64_t> input_dimension_count = {};
  std::optional<std::int64_t> indices_dimension_count = {};
  std::int64_t batch_dimension_count = 0;  // gather_nd only
  Options options = {};
};
// The attributes of the operators with an axis, in [0, rank).
struct AxisAttrs {
  std::int64_t axis = 0;
  Options options = {};
};

// The functions in `describe` validate their arguments and return the op, for run(), plan() and explain(). `out` may be empty: compute()
// then allocates it. They throw an Error if a type, shape or attribute is not allowed; indices are checked when the op runs.
namespace describe {

// DML_SCATTER_ND_OPERATOR_DESC: copies `input` and replaces the elements or rows that the index tuples in the last axis of `indices`
// address.
[[nodiscard]] STREW_API ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices,
                                             const ConstTensorRef& updates, const NdAttrs& attrs = {});
// DML_SCATTER_OPERATOR_DESC: copies `input` and replaces elements; an index is the coordinate on the axis.
[[nodiscard]] STREW_API ScatterOp scatter(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices,
                                          const ConstTensorRef& updates, const AxisAttrs& attrs);
// DML_GATHER_ELEMENTS_OPERATOR_DESC: reads an element per index, which is the coordinate on the axis.
[[nodiscard]] STREW_API GatherOp gather_elements(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices,
                                                 const AxisAttrs& attrs);
// DML_GATHER_ND1_OPERATOR_DESC: reads the elements or rows that the index tuples address, within each batch.
[[nodiscard]] STREW_API GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices,
                                           const NdAttrs& attrs = {});

}  // namespace describe

// The functions above, run: the plain form returns a new tensor, the form with `_into` writes to `out`. They throw the Errors of run().

// Returns a copy of `input` in which `updates` replace the addressed elements or rows.
[[nodiscard]] inline Tensor scatter_nd(const ConstTensorRef& input, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                       const NdAttrs& attrs = {}, const RunOptions& run_options = {}) {
  return compute(describe::scatter_nd({}, input, indices, updates, attrs), run_options);
}
// The same, written to `out`.
inline void scatter_nd_into(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const ConstTensorRef& updates,
                            const NdAttrs& attrs = {}, const RunOptions& run_options = {}) {
  run(describe::scatter_nd(out, input, indices, updates, attrs), run_options);
}
// Returns a copy of `input` in which `updates` replace the indexed elements.
[[nodiscard]] inline Tensor scatter(const ConstTensorRef& input, const ConstTensorRef& indices, const ConstTensorRef& updates,
                                    const AxisAttrs& attrs, const RunOptions& run_options = {}) {
  return compute(describe::scatter({}, input, indices, updates, attrs), run_options);
}
// The same, written to `out`.
inline void scatter_into(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const ConstTensorRef& updates,
                         const AxisAttrs& attrs, const RunOptions& run_options = {}) {
  run(describe::scatter(out, input, indices, updates, attrs), run_options);
}
// Returns the elements of `input` that the indices select on the axis.
[[nodiscard]] inline Tensor gather_elements(const ConstTensorRef& input, const ConstTensorRef& indices, const AxisAttrs& attrs,
                                            const RunOptions& run_options = {}) {
  return compute(describe::gather_elements({}, input, indices, attrs), run_options);
}
// The same, written to `out`.
inline void gather_elements_into(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const AxisAttrs& attrs,
                                 const RunOptions& run_options = {}) {
  run(describe::gather_elements(out, input, indices, attrs), run_options);
}
// Returns the elements or rows of `input` that the index tuples address.
[[nodiscard]] inline Tensor gather_nd(const ConstTensorRef& input, const ConstTensorRef& indices, const NdAttrs& attrs = {},
                                      const RunOptions& run_options = {}) {
  return compute(describe::gather_nd({}, input, indices, attrs), run_options);
}
// The same, written to `out`.
inline void gather_nd_into(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const NdAttrs& attrs = {},
                           const RunOptions& run_options = {}) {
  run(describe::gather_nd(out, input, indices, attrs), run_options);
}

// ---- On descriptions ----

// The buffers that are bound to the tensors, borrowed.
struct ScatterBuffers {
  std::span<const std::byte> input, indices, updates;
  std::span<std::byte> output;
};
struct GatherBuffers {
  std::span<const std::byte> input, indices;
  std::span<std::byte> output;
};

// The same functions for descriptions. They also throw an Error if a description is not valid in DirectML, or a buffer is too small for it.
namespace describe {

// scatter_nd, as `desc` describes it.
[[nodiscard]] STREW_API ScatterOp scatter_nd(const DML_SCATTER_ND_OPERATOR_DESC& desc, const ScatterBuffers& buffers,
                                             const Options& options = {});
// scatter, as `desc` describes it.
[[nodiscard]] STREW_API ScatterOp scatter(const DML_SCATTER_OPERATOR_DESC& desc, const ScatterBuffers& buffers,
                                          const Options& options = {});
// gather_elements, as `desc` describes it.
[[nodiscard]] STREW_API GatherOp gather_elements(const DML_GATHER_ELEMENTS_OPERATOR_DESC& desc, const GatherBuffers& buffers,
                                                 const Options& options = {});
// gather_nd without batch dimensions, as `desc` describes it.
[[nodiscard]] STREW_API GatherOp gather_nd(const DML_GATHER_ND_OPERATOR_DESC& desc, const GatherBuffers& buffers,
                                           const Options& options = {});
// gather_nd with its batch dimensions, as `desc` describes it.
[[nodiscard]] STREW_API GatherOp gather_nd1(const DML_GATHER_ND1_OPERATOR_DESC& desc, const GatherBuffers& buffers,
                                            const Options& options = {});

}  // namespace describe

// Any struct with the fields and the layout of the ones above is accepted, such as those of DirectML.h.
template <class Own, class Theirs>
concept SameLayout = std::is_trivially_copyable_v<Theirs> && sizeof(Theirs) == sizeof(Own) && alignof(Theirs) == alignof(Own);
template <class D>
concept Gathers = requires(const D& d) {
  d.InputTensor->Type;
  d.InputTensor->Desc;
  d.IndicesTensor;
  d.OutputTensor;
};
template <class D>
concept Scatters = Gathers<D> && requires(const D& d) { d.UpdatesTensor; };
template <class D>
concept ScatterNdDesc = Scatters<D> && SameLayout<DML_SCATTER_ND_OPERATOR_DESC, D> && requires(const D& d) {
  d.InputDimensionCount;
  d.IndicesDimensionCount;
};
template <class D>
concept ScatterDesc = Scatters<D> && SameLayout<DML_SCATTER_OPERATOR_DESC, D> && requires(const D& d) { d.Axis; };
template <class D>
concept GatherElementsDesc =
    Gathers<D> && !Scatters<D> && SameLayout<DML_GATHER_ELEMENTS_OPERATOR_DESC, D> && requires(const D& d) { d.Axis; };
template <class D>
concept GatherNd1Desc = Gathers<D> && SameLayout<DML_GATHER_ND1_OPERATOR_DESC, D> && requires(const D& d) {
  d.InputDimensionCount;
  d.IndicesDimensionCount;
  d.BatchDimensionCount;
};
template <class D>
concept GatherNdDesc = Gathers<D> && !Scatters<D> && SameLayout<DML_GATHER_ND_OPERATOR_DESC, D> && requires(const D& d) {
  d.InputDimensionCount;
  d.IndicesDimensionCount;
} && !requires(const D& d) { d.BatchDimensionCount; };

namespace detail {
template <class Own, class Theirs>
Own as_own(const Theirs& theirs) {
  Own own;
  std::memcpy(static_cast<void*>(&own), &theirs, sizeof own);
  return own;
}
}  // namespace detail

// The functions above, run on the buffers. They throw the Errors of `describe` and run().

// Replaces elements or rows in a copy of the input, which it writes to the output.
template <ScatterNdDesc D>
void scatter_nd(const D& desc, const ScatterBuffers& buffers, const Options& options = {}, const RunOptions& run_options = {}) {
  run(describe::scatter_nd(detail::as_own<DML_SCATTER_ND_OPERATOR_DESC>(desc), buffers, options), run_options);
}
// Replaces elements in a copy of the input, which it writes to the output.
template <ScatterDesc D>
void scatter(const D& desc, const ScatterBuffers& buffers, const Options& options = {}, const RunOptions& run_options = {}) {
  run(describe::scatter(detail::as_own<DML_SCATTER_OPERATOR_DESC>(desc), buffers, options), run_options);
}
// Reads an element per index.
template <GatherElementsDesc D>
void gather_elements(const D& desc, const GatherBuffers& buffers, const Options& options = {}, const RunOptions& run_options = {}) {
  run(describe::gather_elements(detail::as_own<DML_GATHER_ELEMENTS_OPERATOR_DESC>(desc), buffers, options), run_options);
}
// Reads the elements or rows that the index tuples address.
template <GatherNdDesc D>
void gather_nd(const D& desc, const GatherBuffers& buffers, const Options& options = {}, const RunOptions& run_options = {}) {
  run(describe::gather_nd(detail::as_own<DML_GATHER_ND_OPERATOR_DESC>(desc), buffers, options), run_options);
}
// The same within each batch.
template <GatherNd1Desc D>
void gather_nd(const D& desc, const GatherBuffers& buffers, const Options& options = {}, const RunOptions& run_options = {}) {
  run(describe::gather_nd1(detail::as_own<DML_GATHER_ND1_OPERATOR_DESC>(desc), buffers, options), run_options);
}

}  // namespace strew::inline v0::directml
