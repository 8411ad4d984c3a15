// DirectML's operators on the structs that a DirectML program fills in.
#include <limits>

#include "base/checked.h"
#include "dialects/check.h"
#include "dialects/views.h"
#include "strew/dialects/directml.h"

namespace strew::inline v0::directml {
using namespace internal;
namespace {

constexpr struct {
  DML_TENSOR_DATA_TYPE type;
  Dtype dtype;
} data_types[] = {
    {DML_TENSOR_DATA_TYPE_FLOAT32, Dtype::float32}, {DML_TENSOR_DATA_TYPE_FLOAT16, Dtype::float16},
    {DML_TENSOR_DATA_TYPE_UINT32, Dtype::uint32},   {DML_TENSOR_DATA_TYPE_UINT16, Dtype::uint16},
    {DML_TENSOR_DATA_TYPE_UINT8, Dtype::uint8},     {DML_TENSOR_DATA_TYPE_INT32, Dtype::int32},
    {DML_TENSOR_DATA_TYPE_INT16, Dtype::int16},     {DML_TENSOR_DATA_TYPE_INT8, Dtype::int8},
    {DML_TENSOR_DATA_TYPE_FLOAT64, Dtype::float64}, {DML_TENSOR_DATA_TYPE_UINT64, Dtype::uint64},
    {DML_TENSOR_DATA_TYPE_INT64, Dtype::int64},
};

// A view of bound memory as described; every byte it can reach lies in the buffer.
TensorRef bound(const Check& check, std::string_view argument, const DML_TENSOR_DESC* desc, std::span<const std::byte> buffer) {
  const auto fail = [&](const std::string& sentence) { check.fail(ErrorCode::shape, cat(argument, sentence)); };
  // Copied, not read in place: the structs may be the caller's own.
  DML_TENSOR_DESC outer{};
  if (desc != nullptr) std::memcpy(&outer, static_cast<const void*>(desc), sizeof outer);
  if (outer.Desc == nullptr) fail(" is null");
  if (outer.Type != DML_TENSOR_TYPE_BUFFER) fail(cat(".Type must be DML_TENSOR_TYPE_BUFFER, got ", static_cast<int>(outer.Type)));
  DML_BUFFER_TENSOR_DESC tensor;
  std::memcpy(&tensor, outer.Desc, sizeof tensor);
  const Dtype* dtype = nullptr;
  for (const auto& row : data_types) {
    if (row.type == tensor.DataType) dtype = &row.dtype;
  }
  if (dtype == nullptr) check.fail(ErrorCode::dtype, cat(argument, ".DataType is unknown: ", static_cast<int>(tensor.DataType)));
  if (tensor.Flags != DML_TENSOR_FLAG_NONE && tensor.Flags != DML_TENSOR_FLAG_OWNED_BY_DML)
    fail(cat(".Flags must be DML_TENSOR_FLAG_NONE or DML_TENSOR_FLAG_OWNED_BY_DML, got ", static_cast<int>(tensor.Flags)));
  if (tensor.DimensionCount < 1 || tensor.DimensionCount > 8) fail(cat(".DimensionCount must be 1 to 8, got ", tensor.DimensionCount));
  if (tensor.Sizes == nullptr) fail(".Sizes is null");
  Dims shape(tensor.Sizes, tensor.Sizes + tensor.DimensionCount);
  if (is_empty(shape)) fail(cat(".Sizes: specifying a size of zero in any dimension is invalid, got ", bracketed(shape)));
  const UINT alignment = tensor.GuaranteedBaseOffsetAlignment;
  if ((alignment & (alignment - 1)) != 0) fail(cat(".GuaranteedBaseOffsetAlignment must be 0 or a power of two, got ", alignment));

  std::int64_t count = 1, last = 0;
  bool fits = true;
  Dims strides = tensor.Strides == nullptr ? dense_strides(shape) : Dims(tensor.Strides, tensor.Strides + tensor.DimensionCount);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto product = checked_mul(count, shape[d]);
    const auto reach = checked_mul(strides[d], shape[d] - 1);
    const auto sum = reach ? checked_add(last, *reach) : std::nullopt;
    fits = fits && product && sum && *product <= std::numeric_limits<UINT>::max();
    count = product.value_or(1);
    last = sum.value_or(0);
  }
  fits = fits && last < std::numeric_limits<std::int64_t>::max() / 16;  // so that byte counts cannot overflow
  if (!fits) fail(cat(".Sizes: a tensor has at most 2^32 - 1 elements, got ", bracketed(shape)));
  // Buffers are bound in units of four bytes.
  const auto bytes = static_cast<std::uint64_t>(last + 1) * static_cast<std::uint64_t>(size_of(*dtype));
  const std::uint64_t implied = (bytes + 3) / 4 * 4;
  if (tensor.TotalTensorSizeInBytes < implied)
    fail(cat(".TotalTensorSizeInBytes must be at least ", implied, " for these Sizes and Strides, got ", tensor.TotalTensorSizeInBytes));
  if (buffer.size() < bytes) fail(cat(": the buffer must hold at least ", bytes, " bytes, got ", buffer.size()));
  return {const_cast<std::byte*>(buffer.data()), *dtype, std::move(shape), std::move(strides)};
}

// Descriptions are strict: all tensors of an operator have one DimensionCount.
void check_counts(const Check& check, std::initializer_list<const TensorRef*> tensors, const Options& options) {
  const std::size_t first = (*tensors.begin())->rank();
  for (const TensorRef* tensor : tensors) {
    if (tensor->rank() != first)
      check.fail(ErrorCode::shape, cat("all tensors must have the same DimensionCount, got ", first, " and ", tensor->rank()));
  }
  if (options.feature_level < DML_FEATURE_LEVEL_3_0 && first != 4)
    check.fail(ErrorCode::shape, cat("DimensionCount must be 4 below feature level 3_0, got ", first));
}

struct ScatterViews {
  TensorRef input, indices, updates, output;
};
template <class Desc>
ScatterViews scatter_views(const Check& check, const Desc& desc, const ScatterBuffers& buffers, const Options& options) {
  ScatterViews views{
      bound(check, "InputTensor", desc.InputTensor, buffers.input), bound(check, "IndicesTensor", desc.IndicesTensor, buffers.indices),
      bound(check, "UpdatesTensor", desc.UpdatesTensor, buffers.updates), bound(check, "OutputTensor", desc.OutputTensor, buffers.output)};
  check_counts(check, {&views.input, &views.indices, &views.updates, &views.output}, options);
  return views;
}

struct GatherViews {
  TensorRef input, indices, output;
};
template <class Desc>
GatherViews gather_views(const Check& check, const Desc& desc, const GatherBuffers& buffers, const Options& options) {
  GatherViews views{bound(check, "InputTensor", desc.InputTensor, buffers.input),
                    bound(check, "IndicesTensor", desc.IndicesTensor, buffers.indices),
                    bound(check, "OutputTensor", desc.OutputTensor, buffers.output)};
  check_counts(check, {&views.input, &views.indices, &views.output}, options);
  return views;
}

template <class Desc>
GatherOp gather_nd_of(const Check& check, const Desc& desc, UINT batch, const GatherBuffers& buffers, const Options& options) {
  GatherViews views = gather_views(check, desc, buffers, options);
  // The result has the trailing sizes of the output, after leading ones.
  GatherOp op = describe::gather_nd(TensorRef{}, views.input, views.indices,
                                    {.input_dimension_count = desc.InputDimensionCount,
                                     .indices_dimension_count = desc.IndicesDimensionCount,
                                     .batch_dimension_count = batch,
                                     .options = options});
  const Dims given = views.output.shape;
  TensorRef& out = views.output;
  while (out.rank() > op.out.rank() && out.shape[0] == 1)
    out = {out.data, out.dtype, Dims(slice(out.shape, 1, out.rank())), Dims(slice(out.strides, 1, out.rank()))};
  if (!(out.shape == op.out.shape))
    check.fail(ErrorCode::shape,
               cat("OutputTensor.Sizes must be ", bracketed(op.out.shape), " after leading ones, got ", bracketed(given)));
  if (out.dtype != op.out.dtype)
    check.fail(ErrorCode::dtype, cat("OutputTensor.DataType must be ", to_string(op.out.dtype), ", got ", to_string(out.dtype)));
  op.out = out;
  return op;
}

}  // namespace

namespace describe {

ScatterOp scatter_nd(const DML_SCATTER_ND_OPERATOR_DESC& desc, const ScatterBuffers& buffers, const Options& options) {
  const ScatterViews views = scatter_views(Check("directml.scatter_nd"), desc, buffers, options);
  return scatter_nd(
      views.output, views.input, views.indices, views.updates,
      {.input_dimension_count = desc.InputDimensionCount, .indices_dimension_count = desc.IndicesDimensionCount, .options = options});
}

ScatterOp scatter(const DML_SCATTER_OPERATOR_DESC& desc, const ScatterBuffers& buffers, const Options& options) {
  const ScatterViews views = scatter_views(Check("directml.scatter"), desc, buffers, options);
  return scatter(views.output, views.input, views.indices, views.updates, {.axis = desc.Axis, .options = options});
}

GatherOp gather_elements(const DML_GATHER_ELEMENTS_OPERATOR_DESC& desc, const GatherBuffers& buffers, const Options& options) {
  const GatherViews views = gather_views(Check("directml.gather_elements"), desc, buffers, options);
  return gather_elements(views.output, views.input, views.indices, {.axis = desc.Axis, .options = options});
}

GatherOp gather_nd(const DML_GATHER_ND_OPERATOR_DESC& desc, const GatherBuffers& buffers, const Options& options) {
  return gather_nd_of(Check("directml.gather_nd"), desc, 0, buffers, options);
}

GatherOp gather_nd1(const DML_GATHER_ND1_OPERATOR_DESC& desc, const GatherBuffers& buffers, const Options& options) {
  return gather_nd_of(Check("directml.gather_nd"), desc, desc.BatchDimensionCount, buffers, options);
}

}  // namespace describe
}  // namespace strew::inline v0::directml
