// TensorFlow: tensor_scatter_nd_{update,add,sub,min,max}, scatter_nd and gather_nd.
#include "strew/dialects/tensorflow.h"

#include "dialects/addressing.h"
#include "dialects/check.h"
#include "dialects/registry.h"
#include "dialects/views.h"

namespace strew::inline v0::tensorflow {
using namespace internal;
namespace {

constexpr DtypeSet update_indices{Dtype::int16, Dtype::int32, Dtype::int64, Dtype::uint16};
constexpr DtypeSet scatter_nd_indices{Dtype::int16, Dtype::int32, Dtype::int64};
constexpr DtypeSet other_indices{Dtype::int32, Dtype::int64};
constexpr std::int64_t max_depth = 7;

struct Word {
  std::string_view name;
  OutOfRange out_of_range;
};
constexpr Word policies[] = {{"DEFAULT", OutOfRange::error}, {"ERROR", OutOfRange::error}, {"IGNORE", OutOfRange::skip}};

OutOfRange policy(const Check& check, const ScatterAttrs& attrs) {
  const std::string_view word = attrs.bad_indices_policy;
  if (word.empty()) return OutOfRange::error;
  for (const Word& row : policies) {
    if (row.name == word) return row.out_of_range;
  }
  std::string known;
  for (const Word& row : policies) append(known, cat(known.empty() ? "" : ", ", row.name));
  check.fail(ErrorCode::argument, cat("Unknown bad indices handling attribute: ", word, " (one of ", known, ")"));
}

std::string shape_text(const Dims& shape) { return bracketed(shape, ","); }

void check_depth(const Check& check, std::int64_t depth, std::int64_t least) {
  if (depth < least || depth > max_depth) {
    check.fail(ErrorCode::shape, cat("Only indices.shape[-1] values between ", least, " and ", max_depth,
                                     " are currently supported.  Requested rank: ", depth));
  }
}

// Indices and updates must both be empty, or neither, and then the output must not be empty either.
bool valid_emptiness(bool output_empty, const ConstTensorRef& indices, const ConstTensorRef& updates) {
  const bool no_indices = is_empty(indices.shape), no_updates = is_empty(updates.shape);
  return (no_indices && no_updates) || (!output_empty && !no_indices && !no_updates);
}

void check_ranks(const Check& check, const ConstTensorRef& indices, const ConstTensorRef& updates) {
  if (indices.rank() < 1) check.fail(ErrorCode::shape, cat("Indices shape must have rank at least one. Found:", shape_text(indices.shape)));
  if (updates.rank() < 1) check.fail(ErrorCode::shape, cat("Updates shape must have rank at least one. Found:", shape_text(updates.shape)));
}

// A single tuple cannot be given as a vector: the documentation calls it the one exception.
void check_not_single(const Check& check, const ConstTensorRef& indices, const ConstTensorRef& updates) {
  if (indices.rank() > 1 || (indices.shape[0] == 0 && updates.shape[0] == 0)) return;
  check.fail(ErrorCode::shape, cat("Dimensions [0,1) of indices[shape=", shape_text(indices.shape), "] = ", indices.shape[0],
                                   " must match dimensions [0,1) of updates[shape=", shape_text(updates.shape), "] = ", updates.shape[0],
                                   ": indices must have at least two axes"));
}

IndexRule index_rule(OutOfRange out_of_range) {
  return {.out_of_range = out_of_range, .words = {"indices", "indices{point} = {tuple} does not index into shape {shape}"}};
}

ScatterOp tensor_scatter_nd(const char* name, const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                            const ConstTensorRef& updates, const ScatterAttrs& attrs, Reduction reduction, DtypeSet index_dtypes) {
  const Check check({name, "tensor"});
  check.views({{"tensor", tensor}, {"indices", indices}, {"updates", updates}});
  const OutOfRange out_of_range = policy(check, attrs);
  check.same_dtype("tensor", tensor, "updates", updates);
  check.dtype("indices", indices, index_dtypes);
  check_ranks(check, indices, updates);
  if (!valid_emptiness(is_empty(tensor.shape), indices, updates)) {
    check.fail(ErrorCode::shape, cat("Indices and updates specified for empty output shape. Output: ", shape_text(tensor.shape),
                                     " indices: ", shape_text(indices.shape), " updates: ", shape_text(updates.shape)));
  }
  const std::size_t outer = indices.rank() - 1;
  const std::int64_t depth = indices.shape.back();
  for (std::size_t d = 0; d < outer; ++d) {
    if (d >= updates.rank() || indices.shape[d] != updates.shape[d]) {
      check.fail(ErrorCode::shape, cat("Outer dimensions of indices and update must match. Indices shape: ", shape_text(indices.shape),
                                       ", updates shape:", shape_text(updates.shape)));
    }
  }
  const std::size_t inner = updates.rank() - outer;
  if (static_cast<std::int64_t>(inner) != static_cast<std::int64_t>(tensor.rank()) - depth) {
    check.fail(ErrorCode::shape, cat("Inner dimensions of output shape must match inner dimensions of updates shape. Output: ",
                                     shape_text(tensor.shape), " updates: ", shape_text(updates.shape)));
  }
  for (std::size_t d = 0; d < inner; ++d) {
    if (tensor.shape[tensor.rank() - inner + d] != updates.shape[outer + d]) {
      check.fail(ErrorCode::shape, cat("The inner ", inner, " dimensions of output.shape=", shape_text(tensor.shape),
                                       " must match the inner ", inner, " dimensions of updates.shape=", shape_text(updates.shape)));
    }
  }
  check_not_single(check, indices, updates);
  if (!is_empty(tensor.shape)) check_depth(check, depth, 1);

  // One tuple per point; the remaining axes form the row.
  return {
      .name = check.op(),
      .where = tuples(indices, tensor.shape, index_rule(out_of_range)),
      .out = check.output(out, tensor.dtype, tensor.shape),
      .base = base_of(out, tensor),
      .updates = updates,
      .fold = stepping(reduction, FoldCompare::keep_out),
  };
}

}  // namespace

namespace describe {

ScatterOp tensor_scatter_nd_update(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                   const ConstTensorRef& updates, const ScatterAttrs& attrs) {
  return tensor_scatter_nd("tensorflow.tensor_scatter_nd_update", out, tensor, indices, updates, attrs, Reduction::assign, update_indices);
}
ScatterOp tensor_scatter_nd_add(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                const ConstTensorRef& updates, const ScatterAttrs& attrs) {
  return tensor_scatter_nd("tensorflow.tensor_scatter_nd_add", out, tensor, indices, updates, attrs, Reduction::add, other_indices);
}
ScatterOp tensor_scatter_nd_sub(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                const ConstTensorRef& updates, const ScatterAttrs& attrs) {
  return tensor_scatter_nd("tensorflow.tensor_scatter_nd_sub", out, tensor, indices, updates, attrs, Reduction::sub, other_indices);
}
ScatterOp tensor_scatter_nd_min(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                const ConstTensorRef& updates, const ScatterAttrs& attrs) {
  return tensor_scatter_nd("tensorflow.tensor_scatter_nd_min", out, tensor, indices, updates, attrs, Reduction::min, other_indices);
}
ScatterOp tensor_scatter_nd_max(const TensorRef& out, const ConstTensorRef& tensor, const ConstTensorRef& indices,
                                const ConstTensorRef& updates, const ScatterAttrs& attrs) {
  return tensor_scatter_nd("tensorflow.tensor_scatter_nd_max", out, tensor, indices, updates, attrs, Reduction::max, other_indices);
}

ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& indices, const ConstTensorRef& updates, const Dims& shape,
                     const ScatterAttrs& attrs) {
  const Check check("tensorflow.scatter_nd");
  check.views({{"indices", indices}, {"updates", updates}});
  const OutOfRange out_of_range = policy(check, attrs);
  check.dtype("indices", indices, scatter_nd_indices);
  check_ranks(check, indices, updates);
  if (shape.size() > max_rank) check.fail(ErrorCode::shape, cat("shape: rank must be at most ", max_rank, ", got ", shape.size()));
  for (const std::int64_t size : shape) {
    if (size < 0) check.fail(ErrorCode::shape, cat("Dimension ", size, " must be >= 0, got shape ", shape_text(shape)));
  }
  if (!valid_emptiness(shape.empty(), indices, updates)) {
    check.fail(ErrorCode::shape, cat("Indices and updates specified for empty output shape. Indices: ", shape_text(indices.shape),
                                     " updates: ", shape_text(updates.shape)));
  }
  if (shape.empty()) check.fail(ErrorCode::shape, "Output must be at least 1-D, got shape: []");
  if (!valid_emptiness(is_empty(shape), indices, updates)) {
    check.fail(ErrorCode::shape, cat("Indices and updates specified for empty output.  indices shape: ", shape_text(indices.shape),
                                     ", output shape: ", shape_text(shape)));
  }
  const std::size_t outer = indices.rank() - 1;
  const std::int64_t depth = indices.shape.back();
  const bool outer_match = updates.rank() >= outer && same(slice(updates.shape, 0, outer), slice(indices.shape, 0, outer));
  if (!outer_match) {
    check.fail(ErrorCode::shape, cat("Dimensions [0,", outer, ") of indices[shape=", shape_text(indices.shape),
                                     "] must match dimensions [0,", outer, ") of updates[shape=", shape_text(updates.shape), "]"));
  }
  const bool inner_match = depth <= static_cast<std::int64_t>(shape.size()) &&
                           same(slice(shape, static_cast<std::size_t>(depth), shape.size()), slice(updates.shape, outer, updates.rank()));
  if (!inner_match) {
    check.fail(ErrorCode::shape,
               cat("Dimensions [", depth, ",", shape.size(), ") of input[shape=", shape_text(shape), "] must match dimensions [", outer,
                   ",", updates.rank(), ") of updates[shape=", shape_text(updates.shape), "]"));
  }
  check_not_single(check, indices, updates);
  if (!is_empty(shape)) check_depth(check, depth, 1);

  return {
      .name = check.op(),
      .where = tuples(indices, shape, index_rule(out_of_range)),
      .out = check.output(out, updates.dtype, shape),
      .base = Zeros{},
      .updates = updates,
      .fold = stepping(Reduction::add),
  };
}

GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& params, const ConstTensorRef& indices, const ScatterAttrs& attrs) {
  const Check check({"tensorflow.gather_nd", "params"});
  check.views({{"params", params}, {"indices", indices}});
  const OutOfRange out_of_range = policy(check, attrs);
  check.dtype("indices", indices, scatter_nd_indices);
  if (params.rank() < 1) check.fail(ErrorCode::shape, "params must be at least a vector, got shape []");
  if (indices.rank() < 1) check.fail(ErrorCode::shape, "indices must be at least a vector, got shape []");
  const std::int64_t depth = indices.shape.back();
  if (depth > static_cast<std::int64_t>(params.rank())) {
    check.fail(ErrorCode::shape, cat("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ", params.rank()));
  }
  const Sizes points = slice(indices.shape, 0, indices.rank() - 1);
  if (!is_empty(points) && is_empty(params.shape)) {
    check.fail(ErrorCode::shape, cat("Requested more than 0 entries, but params is empty.  Params shape: ", shape_text(params.shape)));
  }
  if (!is_empty(points)) check_depth(check, depth, 0);

  return {
      .name = check.op(),
      .where =
          tuples(indices, params.shape,
                 {.out_of_range = out_of_range, .words = {"indices", "indices{point} = {tuple} does not index into param shape {shape}"}}),
      .from = params,
      .out = check.output(out, params.dtype, joined(points, slice(params.shape, static_cast<std::size_t>(depth), params.rank()))),
  };
}

}  // namespace describe

namespace {

constexpr auto policy_names = names_in(policies);
constexpr Parameter policy_parameter = one_of(policy_names, keyword({"bad_indices_policy", Parameter::word, "DEFAULT"}));
constexpr Parameter scatter_parameters[] = {
    {"tensor", Parameter::tensor}, {"indices", Parameter::indices}, {"updates", Parameter::updates}, policy_parameter};
constexpr Parameter scatter_nd_parameters[] = {
    {"indices", Parameter::indices}, {"updates", Parameter::updates}, {"shape", Parameter::shape}, policy_parameter};
constexpr Parameter gather_parameters[] = {{"params", Parameter::tensor}, {"indices", Parameter::indices}, policy_parameter};

ScatterAttrs attrs(const Arguments& args) { return {.bad_indices_policy = args.word("bad_indices_policy")}; }

Dims updates_shape(const Arguments& args) { return updates_of_tuples(args.tensor("indices").shape, args.tensor("tensor").shape); }

template <ScatterOp (*describe_)(const TensorRef&, const ConstTensorRef&, const ConstTensorRef&, const ConstTensorRef&,
                                 const ScatterAttrs&)>
AnyOp from_arguments(const TensorRef& out, const Arguments& args) {
  return any_op([&] { return describe_(out, args.tensor("tensor"), args.tensor("indices"), args.tensor("updates"), attrs(args)); });
}

constexpr Operator list[] = {
    {"tensorflow", "tensor_scatter_nd_update", scatter_parameters, all_dtypes, update_indices, false,
     &from_arguments<describe::tensor_scatter_nd_update>, "A copy of tensor with the slices that indices name replaced by updates.",
     &updates_shape},
    {"tensorflow", "tensor_scatter_nd_add", scatter_parameters, all_dtypes, other_indices, false,
     &from_arguments<describe::tensor_scatter_nd_add>, "A copy of tensor with updates added to the slices that indices name.",
     &updates_shape},
    {"tensorflow", "tensor_scatter_nd_sub", scatter_parameters, number_dtypes - of_kind(DtypeKind::boolean), other_indices, false,
     &from_arguments<describe::tensor_scatter_nd_sub>, "A copy of tensor with updates subtracted from the slices that indices name.",
     &updates_shape},
    {"tensorflow", "tensor_scatter_nd_min", scatter_parameters, ordered_dtypes, other_indices, false,
     &from_arguments<describe::tensor_scatter_nd_min>,
     "A copy of tensor with the smaller of old value and update where indices name a slice.", &updates_shape},
    {"tensorflow", "tensor_scatter_nd_max", scatter_parameters, ordered_dtypes, other_indices, false,
     &from_arguments<describe::tensor_scatter_nd_max>,
     "A copy of tensor with the larger of old value and update where indices name a slice.", &updates_shape},
    {"tensorflow", "scatter_nd", scatter_nd_parameters, all_dtypes, scatter_nd_indices, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op(
           [&] { return describe::scatter_nd(out, args.tensor("indices"), args.tensor("updates"), args.shape("shape"), attrs(args)); });
     },
     "Zeros of the shape with updates added to the slices that indices name.",
     [](const Arguments& args) { return updates_of_tuples(args.tensor("indices").shape, args.shape("shape")); }},
    {"tensorflow", "gather_nd", gather_parameters, all_dtypes, scatter_nd_indices, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] { return describe::gather_nd(out, args.tensor("params"), args.tensor("indices"), attrs(args)); });
     },
     "The slices of params that indices name."},
};

}  // namespace

}  // namespace strew::inline v0::tensorflow

namespace strew::internal {

std::span<const Operator> tensorflow_operators() { return tensorflow::list; }

}  // namespace strew::internal
