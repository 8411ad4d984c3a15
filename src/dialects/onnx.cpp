// ONNX: ScatterElements and ScatterND at opsets 11 to 18, Scatter, GatherElements and GatherND.
#include "strew/dialects/onnx.h"

#include "dialects/addressing.h"
#include "dialects/check.h"
#include "dialects/registry.h"
#include "dialects/views.h"

namespace strew::inline v0::onnx {
using namespace internal;
namespace {

constexpr DtypeSet element_indices{Dtype::int32, Dtype::int64};
constexpr DtypeSet tuple_indices{Dtype::int64};
constexpr std::int64_t first_opset = 11, last_opset = 28;  // the last one in ONNX 1.23

struct Word {
  std::string_view name;
  Reduction reduction;
  std::int64_t since;
};
constexpr Word words[] = {
    {"none", Reduction::assign, 11}, {"add", Reduction::add, 16}, {"mul", Reduction::mul, 16},
    {"max", Reduction::max, 18},     {"min", Reduction::min, 18},
};

Reduction reduction_of(const Check& check, std::string_view word, std::int64_t opset) {
  if (opset < first_opset || opset > last_opset)
    check.fail(ErrorCode::argument, cat("opset must be in [", first_opset, ", ", last_opset, "], got ", opset));
  for (const Word& row : words) {
    if (row.since <= opset && row.name == word) return row.reduction;
  }
  std::string known;
  for (const Word& row : words) {
    if (row.since <= opset) append(known, cat(known.empty() ? "" : ", ", row.name));
  }
  check.fail(ErrorCode::argument, cat("reduction must be ", known.find(',') == std::string::npos ? "" : "one of ", known, " in opset ",
                                      opset, ", got \"", word, "\""));
}

DtypeSet data_dtypes(std::int64_t opset) { return opset < 13 ? all_dtypes - DtypeSet(Dtype::bfloat16) : all_dtypes; }

std::size_t check_axis(const Check& check, std::int64_t axis, std::size_t rank) {
  if (const auto at = wrapped_axis(axis, rank)) return *at;
  if (rank == 0) check.fail(ErrorCode::axis, cat("axis ", axis, " is not in valid range: data has rank 0 and no axis"));
  const auto size = static_cast<std::int64_t>(rank);
  check.fail(ErrorCode::axis, cat("axis ", axis, " is not in valid range [", -size, ",", size - 1, "]"));
}

IndexRule index_rule(const char* sentence) { return {.negative = Negative::wrap, .words = {"indices", sentence}}; }

ScatterOp scatter_along(const Check& check, const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                        const ConstTensorRef& updates, std::int64_t axis, const Fold& fold) {
  const std::size_t at = check_axis(check, axis, data.rank());
  if (data.dtype != updates.dtype)
    check.fail(ErrorCode::dtype,
               cat("data type is different from updates type, got ", to_string(data.dtype), " and ", to_string(updates.dtype)));
  check.dtype("indices", indices, element_indices);
  if (indices.rank() != updates.rank())
    check.fail(ErrorCode::shape, cat("Indices and updates must have the same rank, got ", indices.rank(), " and ", updates.rank()));
  for (std::size_t d = 0; d < indices.rank(); ++d) {
    if (indices.shape[d] != updates.shape[d])
      check.fail(ErrorCode::shape,
                 cat("Indices vs updates dimensions differs at position=", d, " ", indices.shape[d], " vs ", updates.shape[d]));
  }
  if (indices.rank() != data.rank())
    check.fail(ErrorCode::shape,
               cat("Indices must have the same rank as Input. Indices rank=", indices.rank(), ". Input rank=", data.rank()));
  for (std::size_t d = 0; d < indices.rank(); ++d) {
    if (d != at && indices.shape[d] > data.shape[d])
      check.fail(ErrorCode::shape, cat("Indices dim=", indices.shape[d], " at pos=", d, " is greater than input dim=", data.shape[d]));
  }

  // One index per element; off the axis, the element's own position is used.
  return {
      .name = check.op(),
      .where = along_axis(indices, at,
                          index_rule("indices element out of data bounds, idx={value} must be within the inclusive range [{low},{high}]")),
      .out = check.output(out, data.dtype, data.shape),
      .base = base_of(out, data),
      .updates = updates,
      .fold = fold,
  };
}

}  // namespace

namespace describe {

ScatterOp scatter_elements(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                           const ScatterElementsAttrs& attrs) {
  const Check check({"onnx.ScatterElements", "data"});
  check.views({{"data", data}, {"indices", indices}, {"updates", updates}});
  const Reduction reduction = reduction_of(check, attrs.reduction, attrs.opset);
  check.dtype("data", data, data_dtypes(attrs.opset));
  // ONNX Runtime's rule for NaN; it has no bfloat16 here, and the reference evaluator keeps the existing value.
  const FoldCompare compare = data.dtype == Dtype::bfloat16 ? FoldCompare::keep_out : FoldCompare::take_update;
  return scatter_along(check, out, data, indices, updates, attrs.axis, {.step = reduction, .compare = compare});
}

ScatterOp scatter(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                  const ScatterAttrs& attrs) {
  const Check check({"onnx.Scatter", "data"});
  check.views({{"data", data}, {"indices", indices}, {"updates", updates}});
  check.dtype("data", data, data_dtypes(9));
  return scatter_along(check, out, data, indices, updates, attrs.axis, {.step = Reduction::assign});
}

ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates,
                     const ScatterNDAttrs& attrs) {
  const Check check({"onnx.ScatterND", "data"});
  check.views({{"data", data}, {"indices", indices}, {"updates", updates}});
  const Reduction reduction = reduction_of(check, attrs.reduction, attrs.opset);
  check.dtype("data", data, data_dtypes(attrs.opset));
  check.dtype("indices", indices, tuple_indices);
  if (data.dtype != updates.dtype)
    check.fail(ErrorCode::dtype,
               cat("data type is different from updates type, got ", to_string(data.dtype), " and ", to_string(updates.dtype)));
  if (data.rank() < 1 || indices.rank() < 1) {
    check.fail(ErrorCode::shape, cat("input tensor and indices tensor must have rank larger than 0. input shape: ", bracketed(data.shape),
                                     ", indices shape: ", bracketed(indices.shape)));
  }
  const std::int64_t depth = indices.shape.back();
  if (depth > static_cast<std::int64_t>(data.rank()))
    check.fail(ErrorCode::shape,
               cat("last dimension of indices must not be larger than rank of input tensor, got ", depth, " and ", data.rank()));
  const Sizes points = slice(indices.shape, 0, indices.rank() - 1);
  const Sizes row = slice(data.shape, static_cast<std::size_t>(depth), data.rank());
  if (!is_joined(updates.shape, points, row)) {
    check.fail(ErrorCode::shape, cat("updates tensor should have shape equal to indices.shape[:-1] + data.shape[indices.shape[-1]:] = ",
                                     bracketed(joined(points, row)), ". updates shape: ", bracketed(updates.shape),
                                     ", indices shape: ", bracketed(indices.shape), ", data shape: ", bracketed(data.shape)));
  }
  // ONNX Runtime's rule for NaN; it has no 16-bit floats here, and the reference evaluator lets a NaN through.
  const bool is_16_bit = data.dtype == Dtype::float16 || data.dtype == Dtype::bfloat16;

  // One tuple per point; the remaining axes form the row.
  return {
      .name = check.op(),
      .where = tuples(indices, data.shape, index_rule("invalid indice found, indice = {value}")),
      .out = check.output(out, data.dtype, data.shape),
      .base = base_of(out, data),
      .updates = updates,
      .fold = stepping(reduction, is_16_bit ? FoldCompare::propagate : FoldCompare::take_update),
  };
}

GatherOp gather_elements(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices,
                         const GatherElementsAttrs& attrs) {
  const Check check({"onnx.GatherElements", "data"});
  check.views({{"data", data}, {"indices", indices}});
  check.dtype("indices", indices, element_indices);
  const std::size_t at = check_axis(check, attrs.axis, data.rank());
  if (indices.rank() != data.rank())
    check.fail(ErrorCode::shape,
               cat("Rank of input 'data' needs to be equal to rank of input 'indices', got ", data.rank(), " and ", indices.rank()));
  for (std::size_t d = 0; d < data.rank(); ++d) {
    if (d != at && indices.shape[d] > data.shape[d]) {
      check.fail(ErrorCode::shape,
                 cat("'indices' shape should have values within bounds of 'data' shape. Invalid value in indices shape is: ",
                     indices.shape[d], " at dimension ", d, " of data shape ", bracketed(data.shape)));
    }
  }
  return {
      .name = check.op(),
      .where = along_axis(indices, at, index_rule("Out of range value in index tensor")),
      .from = data,
      .out = check.output(out, data.dtype, indices.shape),
  };
}

GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& data, const ConstTensorRef& indices, const GatherNDAttrs& attrs) {
  const Check check({"onnx.GatherND", "data"});
  check.views({{"data", data}, {"indices", indices}});
  check.dtype("indices", indices, tuple_indices);
  if (indices.rank() < 1) check.fail(ErrorCode::shape, "indices tensor must has rank larger than 0, got shape []");
  const auto least = static_cast<std::int64_t>(std::min(data.rank(), indices.rank()));
  if (attrs.batch_dims < 0 || (attrs.batch_dims > 0 && attrs.batch_dims >= least)) {
    check.fail(ErrorCode::axis,
               cat("batch_dims must be at least 0 and less than min(rank of indices, rank of data) = ", least, ", got ", attrs.batch_dims));
  }
  const auto batch = static_cast<std::size_t>(attrs.batch_dims);
  const std::int64_t depth = indices.shape.back();
  if (depth > static_cast<std::int64_t>(data.rank() - batch)) {
    check.fail(ErrorCode::shape, cat("last dimension of indices must not be larger than rank of input tensor (less batch_dims), got ",
                                     depth, " and ", data.rank() - batch));
  }
  if (!same(slice(indices.shape, 0, batch), slice(data.shape, 0, batch))) {
    check.fail(ErrorCode::shape, cat("the first ", batch, " dimensions of indices ", bracketed(indices.shape), " and data ",
                                     bracketed(data.shape), " must be equal (batch_dims)"));
  }
  const Dims result =
      joined(slice(indices.shape, 0, indices.rank() - 1), slice(data.shape, batch + static_cast<std::size_t>(depth), data.rank()));
  const TensorRef target = check.output(out, data.dtype, result);
  // A result without elements does not validate the indices.
  if (is_empty(result)) return gather_nothing(check.op(), target);
  return {.name = check.op(),
          .where = tuples(indices, data.shape, index_rule("invalid index found, index = {value}"), batch),
          .from = data,
          .out = target};
}

}  // namespace describe

namespace {

constexpr Parameter data{"data", Parameter::tensor}, indices_parameter{"indices", Parameter::indices},
    updates_parameter{"updates", Parameter::updates};
constexpr auto word_names = names_in(words);
constexpr Parameter axis_parameter = keyword({"axis", Parameter::integer, "0"}),
                    reduction_parameter = one_of(word_names, keyword({"reduction", Parameter::word, "none"})),
                    opset_parameter = keyword({"opset", Parameter::integer, "18"});
constexpr Parameter elements_parameters[] = {data,           indices_parameter,   updates_parameter,
                                             axis_parameter, reduction_parameter, opset_parameter};
constexpr Parameter nd_parameters[] = {data, indices_parameter, updates_parameter, reduction_parameter, opset_parameter};
constexpr Parameter scatter_parameters[] = {data, indices_parameter, updates_parameter, axis_parameter};
constexpr Parameter gather_elements_parameters[] = {data, indices_parameter, axis_parameter};
constexpr Parameter gather_nd_parameters[] = {data, indices_parameter, keyword({"batch_dims", Parameter::integer, "0"})};

Dims one_per_index(const Arguments& args) { return args.tensor("indices").shape; }

constexpr Operator list[] = {
    {"onnx", "scatter_elements", elements_parameters, all_dtypes, element_indices, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter_elements(
             out, args.tensor("data"), args.tensor("indices"), args.tensor("updates"),
             {.axis = args.integer("axis"), .reduction = args.word("reduction"), .opset = args.integer("opset")});
       });
     },
     "A copy of data with updates where indices point along axis (ScatterElements).", &one_per_index},
    {"onnx", "scatter_nd", nd_parameters, all_dtypes, tuple_indices, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter_nd(out, args.tensor("data"), args.tensor("indices"), args.tensor("updates"),
                                     {.reduction = args.word("reduction"), .opset = args.integer("opset")});
       });
     },
     "A copy of data with updates over the slices that indices name (ScatterND).",
     [](const Arguments& args) { return updates_of_tuples(args.tensor("indices").shape, args.tensor("data").shape); }},
    {"onnx", "scatter", scatter_parameters, all_dtypes - DtypeSet(Dtype::bfloat16), element_indices, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter(out, args.tensor("data"), args.tensor("indices"), args.tensor("updates"), {.axis = args.integer("axis")});
       });
     },
     "A copy of data with updates where indices point along axis (Scatter, opset 9).", &one_per_index},
    {"onnx", "gather_elements", gather_elements_parameters, all_dtypes, element_indices, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op(
           [&] { return describe::gather_elements(out, args.tensor("data"), args.tensor("indices"), {.axis = args.integer("axis")}); });
     },
     "The elements of data to which indices point along axis (GatherElements)."},
    {"onnx", "gather_nd", gather_nd_parameters, all_dtypes, tuple_indices, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::gather_nd(out, args.tensor("data"), args.tensor("indices"), {.batch_dims = args.integer("batch_dims")});
       });
     },
     "The slices of data that indices name (GatherND)."},
};

}  // namespace

}  // namespace strew::inline v0::onnx

namespace strew::internal {

std::span<const Operator> onnx_operators() { return onnx::list; }

}  // namespace strew::internal
