// Paddle: scatter_nd_add, scatter, scatter_nd, put_along_axis, index_add and gather_nd.
#include "strew/dialects/paddle.h"

#include "dialects/addressing.h"
#include "dialects/check.h"
#include "dialects/numbers.h"
#include "dialects/registry.h"
#include "dialects/views.h"

namespace strew::inline v0::paddle {
using namespace internal;
namespace {

constexpr DtypeSet index_dtypes{Dtype::int32, Dtype::int64};

struct Word {
  std::string_view name;
  Reduction step;
  FoldFinish finish;
};
constexpr Word words[] = {
    {"assign", Reduction::assign, FoldFinish::keep}, {"add", Reduction::add, FoldFinish::keep},  {"mul", Reduction::mul, FoldFinish::keep},
    {"multiply", Reduction::mul, FoldFinish::keep},  {"mean", Reduction::add, FoldFinish::mean}, {"amin", Reduction::min, FoldFinish::keep},
    {"amax", Reduction::max, FoldFinish::keep},
};

Fold fold_of(const Check& check, const PutAlongAxisAttrs& attrs) {
  for (const Word& word : words) {
    if (word.name != attrs.reduce) continue;
    const bool keeps = attrs.include_self || word.step == Reduction::assign;
    return {
        .step = word.step, .begin = keeps ? FoldBegin::current : FoldBegin::first, .finish = word.finish, .compare = FoldCompare::keep_out};
  }
  std::string known;
  for (const Word& word : words) append(known, cat(known.empty() ? "" : ", ", word.name));
  check.fail(ErrorCode::argument, cat("can not support reduce: '", attrs.reduce, "' for scatter kernel, only support ", known));
}

void check_index_dtype(const Check& check, const ConstTensorRef& index) {
  if (!index_dtypes.has(index.dtype))
    check.fail(ErrorCode::dtype,
               cat("Index holds the wrong type, it holds [", to_string(index.dtype), "], but desires to be [int32] or [int64]."));
}

void check_same_dtype(const Check& check, std::string_view x_name, const ConstTensorRef& x, std::string_view other_name,
                      const ConstTensorRef& other) {
  check.dtype(x_name, x, number_dtypes);
  if (x.dtype != other.dtype) {
    check.fail(ErrorCode::dtype, cat(x_name, " and ", other_name, " must have same data type but ", x_name, ".dtype=", to_string(x.dtype),
                                     ", ", other_name, ".dtype=", to_string(other.dtype)));
  }
}

IndexRule index_rule(const char* argument, const char* sentence) { return {.negative = Negative::wrap, .words = {argument, sentence}}; }
constexpr const char* nd_stem =
    "The index is out of bounds, please check whether the dimensions of index and input meet the requirements. "
    "It should be less than [{size}] and greater or equal to [{low}], but received [{value}]";

// Checks the length of the index tuples, for a tensor of `shape`, and returns it.
std::size_t check_depth(const Check& check, const ConstTensorRef& index, const Dims& shape) {
  check_index_dtype(check, index);
  if (index.rank() < 1)
    check.fail(ErrorCode::shape,
               cat("The rank of Input(Index) should be greater than 1, but received the rank of Input(Index) is ", index.rank(), "."));
  const std::int64_t depth = index.shape.back();
  if (depth > static_cast<std::int64_t>(shape.size())) {
    check.fail(ErrorCode::shape, cat("The last dimension of Input(Index)'s shape should be no greater than the rank of Input(X), but "
                                     "received the last dimension of Input(Index)'s shape is ",
                                     depth, ", the rank of Input(X) is ", shape.size(), "."));
  }
  return static_cast<std::size_t>(depth);
}

void check_nd_updates(const Check& check, const ConstTensorRef& index, const ConstTensorRef& updates, const Dims& shape) {
  const std::size_t depth = check_depth(check, index, shape);
  const Dims expected = joined(slice(index.shape, 0, index.rank() - 1), slice(shape, depth, shape.size()));
  if (!(updates.shape == expected)) {
    check.fail(ErrorCode::shape, cat("Updates has wrong shape. It must be index.shape[:-1] + x.shape[index.shape[-1]:] = ",
                                     bracketed(expected), ", got ", bracketed(updates.shape)));
  }
}

// The shape that the index covers: its dimensions of size 1 are broadcast to arr's off the axis. But an index that is longer than arr, as
// it may be on the axis, is not broadcast at all: it covers a leading part, as without `broadcast`.
Dims broadcast_shape(const Dims& arr, const Dims& indices, std::size_t axis) {
  for (std::size_t d = 0; d < arr.size(); ++d) {
    if (indices[d] > arr[d]) return indices;
  }
  Dims shape = arr;
  shape[axis] = indices[axis];
  return shape;
}

Dims check_broadcast(const Check& check, const ConstTensorRef& arr, const ConstTensorRef& indices, std::size_t axis) {
  Dims shape = broadcast_shape(arr.shape, indices.shape, axis);
  bool fits = broadcasts_to(indices.shape, shape);
  for (std::size_t d = 0; d < arr.rank(); ++d) fits = fits && (d == axis || indices.shape[d] <= arr.shape[d]);
  if (!fits) {
    check.fail(ErrorCode::shape, cat("indices of shape ", bracketed(indices.shape), " cannot be broadcast to arr of shape ",
                                     bracketed(arr.shape), " apart from dimension ", axis));
  }
  return shape;
}

void check_prefix(const Check& check, const ConstTensorRef& arr, const ConstTensorRef& indices, const ConstTensorRef* values,
                  std::size_t axis) {
  for (std::size_t d = 0; d < arr.rank(); ++d) {
    const bool fits = (d == axis || indices.shape[d] <= arr.shape[d]) && (values == nullptr || indices.shape[d] <= values->shape[d]);
    if (fits) continue;
    check.fail(ErrorCode::shape,
               cat("Size does not match at dimension ", d, " expected index ", bracketed(indices.shape), " to be smaller than self ",
                   bracketed(arr.shape), " apart from dimension ", axis,
                   values == nullptr ? std::string() : cat(" and to be smaller size than values ", bracketed(values->shape))));
  }
}

// The dtype of the tensor that Paddle makes of a number.
Dtype dtype_of(const Number& number) {
  if (std::holds_alternative<bool>(number)) return Dtype::bool_;
  if (std::holds_alternative<std::int64_t>(number)) return Dtype::int64;
  return std::holds_alternative<double>(number) ? Dtype::float32 : Dtype::complex64;
}

// A number that is broadcast must have arr's dtype; otherwise it is cast, a float via float32.
Scalar value_of(const Check& check, const Number& number, Dtype dtype, bool broadcasts) {
  if (std::holds_alternative<std::uint64_t>(number))
    check.fail(ErrorCode::argument, cat("a number as values must fit int64, got ", text_of(number)));
  if (broadcasts && dtype_of(number) != dtype) {
    check.fail(ErrorCode::dtype, cat("a number as values is ", to_string(dtype_of(number)), " when it is broadcast, but arr is ",
                                     to_string(dtype), "; pass a tensor, or broadcast=False"));
  }
  if (const auto* real = std::get_if<double>(&number))
    return to_scalar(check, static_cast<double>(static_cast<float>(*real)), dtype, Overflow::wraps);
  return to_scalar(check, number, dtype, Overflow::wraps);
}

}  // namespace

namespace describe {

ScatterOp scatter_nd_add(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates) {
  const Check check({"paddle.scatter_nd_add", "x"});
  check.views({{"x", x}, {"index", index}, {"updates", updates}});
  check_same_dtype(check, "x", x, "updates", updates);
  check_nd_updates(check, index, updates, x.shape);
  const TensorRef target = check.output(out, x.dtype, x.shape);
  if (is_empty(x.shape)) return scatter_nothing(check.op(), target, x);

  // One tuple per point; an empty tuple addresses all of x.
  return {
      .name = check.op(),
      .where = tuples(index, x.shape, index_rule("index", nd_stem)),
      .out = target,
      .base = base_of(out, x),
      .updates = updates,
      .fold = stepping(Reduction::add),
  };
}

ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& index, const ConstTensorRef& updates, const Dims& shape) {
  const Check check("paddle.scatter_nd");
  check.views({{"index", index}, {"updates", updates}});
  check.dtype("updates", updates, number_dtypes);
  if (shape.size() > max_rank) check.fail(ErrorCode::shape, cat("shape: rank must be at most ", max_rank, ", got ", shape.size()));
  for (const std::int64_t size : shape) {
    if (size < 0) check.fail(ErrorCode::shape, cat("sizes in shape must be >= 0, got ", bracketed(shape)));
  }
  check_nd_updates(check, index, updates, shape);
  ScatterOp op{
      .name = check.op(),
      .where = tuples(index, shape, index_rule("index", nd_stem)),
      .out = check.output(out, updates.dtype, shape),
      .base = Zeros{},
      .updates = updates,
      .fold = stepping(Reduction::add),
  };
  if (is_empty(shape)) scatter_nothing(op);
  return op;
}

ScatterOp scatter(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, const ConstTensorRef& updates,
                  bool overwrite) {
  const Check check({in_place(out, x) ? "paddle.scatter_" : "paddle.scatter", "x"});
  check.views({{"x", x}, {"index", index}, {"updates", updates}});
  check_same_dtype(check, "x", x, "updates", updates);
  check_index_dtype(check, index);
  if (index.rank() == 2 && index.shape[1] != 1)
    check.fail(ErrorCode::shape,
               cat("The last dimension of the index should be 1 when the index is a 2D tensor, but we get ", index.shape[1], "."));
  if (index.rank() > 2)
    check.fail(ErrorCode::shape,
               cat("The index should be a 0D or 1D tensor when the index is not a 2D tensor, but we get ", index.rank(), "."));
  if (x.rank() < 1) check.fail(ErrorCode::shape, "x must have at least one axis, got shape []");
  if (index.rank() == 0 && updates.rank() + 1 != x.rank()) {
    check.fail(ErrorCode::shape, cat("When the index is a 0D tensor, the rank of updates should be that of x less one, got updates ",
                                     bracketed(updates.shape), " and x ", bracketed(x.shape)));
  }
  if (index.rank() > 0 && updates.rank() != x.rank()) {
    check.fail(ErrorCode::shape,
               cat("Input(X) and Input(Updates) should have the same shape size, but received the size of Input(x)'s shape is ", x.rank(),
                   ", the size of Input(Updates)'s shape is ", updates.rank(), "."));
  }
  const bool is_single = index.rank() == 0;
  const Sizes row = slice(x.shape, 1, x.rank());
  if (!same(slice(updates.shape, is_single ? 0 : 1, updates.rank()), row)) {
    check.fail(ErrorCode::shape,
               cat("updates must have the shape of x behind the first axis, ", bracketed(row), ", got ", bracketed(updates.shape)));
  }
  if (!is_single && index.shape[0] > updates.shape[0]) {
    check.fail(ErrorCode::shape,
               cat("Input(Updates) must have at least as many rows as Input(Ids), but received the batch-size of Input(Ids) is ",
                   index.shape[0], ", the batch-size of Input(Updates) is ", updates.shape[0], "."));
  }
  const TensorRef target = check.output(out, x.dtype, x.shape);
  if (is_empty(x.shape)) return scatter_nothing(check.op(), target, x);

  // Whole rows. Without overwrite, an updated row starts from zero: its old values are dropped, not added to.
  const ConstTensorRef rows = index.rank() == 2 ? ConstTensorRef(index.data, index.dtype, {index.shape[0]}, {index.strides[0]}) : index;
  return {
      .name = check.op(),
      .where = slices(rows, 0, x.shape,
                      index_rule("index",
                                 "The index is out of bounds, each index should be less than 1st-dim size ({size}) of input and greater "
                                 "than or equal to [{low}], but received [{value}]")),
      .out = target,
      .base = base_of(out, x),
      .updates = is_single ? updates : prefix(updates, joined(rows.shape, row)),
      .fold = overwrite ? Fold{.step = Reduction::assign} : Fold{.step = Reduction::add, .begin = FoldBegin::identity},
  };
}

ScatterOp put_along_axis(const TensorRef& out, const ConstTensorRef& arr, const ConstTensorRef& indices, const Source& values,
                         std::int64_t axis, const PutAlongAxisAttrs& attrs) {
  const Check check({in_place(out, arr) ? "paddle.put_along_axis_" : "paddle.put_along_axis", "arr", "values"});
  const auto* const tensor = std::get_if<ConstTensorRef>(&values);
  check.views({{"arr", arr}, {"indices", indices}});
  if (tensor != nullptr) check.views({{"values", *tensor}});
  const auto at = wrapped_axis(axis, arr.rank());
  if (!at) check.fail(ErrorCode::axis, cat("'axis'  must be in the range of [-", arr.rank(), ", ", arr.rank(), "), got ", axis));
  const Fold fold = fold_of(check, attrs);
  check.dtype("arr", arr, number_dtypes);
  if (tensor != nullptr) check_same_dtype(check, "arr", arr, "values", *tensor);
  check_index_dtype(check, indices);
  if (indices.rank() != arr.rank())
    check.fail(ErrorCode::shape,
               cat("`indices` and `arr` must have the same number of dimensions, got ", indices.rank(), " and ", arr.rank()));
  if (!attrs.broadcast && tensor != nullptr && tensor->rank() != arr.rank()) {
    check.fail(ErrorCode::shape,
               cat("`values` and `arr` must have the same number of dimensions, got ", tensor->rank(), " and ", arr.rank()));
  }

  ConstTensorRef where = indices;
  if (attrs.broadcast) {
    where = broadcast(indices, check_broadcast(check, arr, indices, *at));
    if (tensor != nullptr && !broadcasts_to(tensor->shape, where.shape)) {
      check.fail(ErrorCode::shape,
                 cat("values of shape ", bracketed(tensor->shape), " cannot be broadcast to indices of shape ", bracketed(where.shape)));
    }
  } else {
    check_prefix(check, arr, indices, tensor, *at);
  }
  const TensorRef target = check.output(out, arr.dtype, arr.shape);
  ScatterOp op{
      .name = check.op(),
      .where = along_axis(where, *at,
                          index_rule("indices",
                                     "Variable value (index) of scatter cpu kernel, expected >= {low} and < {size}, but got {value}. "
                                     "Please check the input value")),
      .out = target,
      .base = base_of(out, arr),
      .fold = fold,
  };
  if (tensor == nullptr) {
    op.scalar = value_of(check, std::get<Number>(values), arr.dtype, attrs.broadcast);
  } else {
    op.updates = attrs.broadcast ? broadcast(*tensor, where.shape) : prefix(*tensor, where.shape);
  }
  // Without broadcast, Paddle validates the indices before it returns early for an empty output.
  if (is_empty(arr.shape) && attrs.broadcast) scatter_nothing(op);
  return op;
}

ScatterOp index_add(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index, std::int64_t axis,
                    const ConstTensorRef& value) {
  const Check check({in_place(out, x) ? "paddle.index_add_" : "paddle.index_add", "x", "value"});
  check.views({{"x", x}, {"index", index}, {"value", value}});
  check_same_dtype(check, "x", x, "value", value);
  check_index_dtype(check, index);
  const auto at = wrapped_axis(axis, x.rank());
  if (!at) check.fail(ErrorCode::axis, cat("The axis is out of range, expected in [-", x.rank(), ", ", x.rank(), "), but received ", axis));
  if (index.rank() != 1) check.fail(ErrorCode::shape, cat("The dimension of Input(Index) should be 1, but received ", index.rank(), "."));
  Dims expected = x.shape;
  expected[*at] = index.shape[0];
  if (!(value.shape == expected)) {
    check.fail(ErrorCode::shape, cat("value must have the shape of x with the length of index on axis ", *at, ", ", bracketed(expected),
                                     ", got ", bracketed(value.shape)));
  }
  const TensorRef target = check.output(out, x.dtype, x.shape);
  if (is_empty(x.shape)) return scatter_nothing(check.op(), target, x);
  return {
      .name = check.op(),
      .where = slices(
          index, *at, x.shape,
          index_rule("index",
                     "Variable value (index) of OP(index_add) expected >= {low} and < {size}, but got {value}. Please check input value")),
      .out = target,
      .base = base_of(out, x),
      .updates = axis_first(value, *at),
      .fold = stepping(Reduction::add),
  };
}

GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& x, const ConstTensorRef& index) {
  const Check check({"paddle.gather_nd", "x"});
  check.views({{"x", x}, {"index", index}});
  check.dtype("x", x, number_dtypes);
  const std::size_t depth = check_depth(check, index, x.shape);
  const TensorRef target = check.output(out, x.dtype, joined(slice(index.shape, 0, index.rank() - 1), slice(x.shape, depth, x.rank())));
  // A result without elements does not validate the index.
  if (is_empty(target.shape)) return gather_nothing(check.op(), target);
  return {.name = check.op(),
          .where = tuples(index, x.shape, index_rule("index", "Input(index[-1)] has wrong value, it is [{value}]")),
          .from = x,
          .out = target};
}

}  // namespace describe

namespace {

constexpr Parameter x{"x", Parameter::tensor}, index_parameter{"index", Parameter::indices},
    updates_parameter{"updates", Parameter::updates};
constexpr Parameter nd_add_parameters[] = {x, index_parameter, updates_parameter};
constexpr Parameter scatter_parameters[] = {x, index_parameter, updates_parameter, {"overwrite", Parameter::boolean, "true"}};
constexpr Parameter scatter_nd_parameters[] = {index_parameter, updates_parameter, {"shape", Parameter::shape}};
constexpr auto reduce_names = names_in(words);
constexpr Parameter put_parameters[] = {{"arr", Parameter::tensor},
                                        {"indices", Parameter::indices},
                                        {"values", Parameter::source},
                                        {"axis", Parameter::integer},
                                        one_of(reduce_names, {"reduce", Parameter::word, "assign"}),
                                        {"include_self", Parameter::boolean, "true"},
                                        {"broadcast", Parameter::boolean, "true"}};
constexpr Parameter index_add_parameters[] = {x, index_parameter, {"axis", Parameter::integer}, {"value", Parameter::updates}};
constexpr Parameter gather_parameters[] = {x, index_parameter};

Dims covered_by_index(const Arguments& args) {
  const Dims &arr = args.tensor("arr").shape, &indices = args.tensor("indices").shape;
  const auto at = wrapped_axis(args.integer("axis"), arr.size());
  return args.boolean("broadcast") && at && arr.size() == indices.size() ? broadcast_shape(arr, indices, *at) : indices;
}

constexpr Operator list[] = {
    {"paddle", "scatter_nd_add", nd_add_parameters, number_dtypes, index_dtypes, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] { return describe::scatter_nd_add(out, args.tensor("x"), args.tensor("index"), args.tensor("updates")); });
     },
     "A copy of x with updates added to the slices that index names.",
     [](const Arguments& args) { return updates_of_tuples(args.tensor("index").shape, args.tensor("x").shape); }},
    {"paddle", "scatter", scatter_parameters, number_dtypes, index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter(out, args.tensor("x"), args.tensor("index"), args.tensor("updates"), args.boolean("overwrite"));
       });
     },
     "Writes the rows of updates over the rows of x that index names; without overwrite, their sum.",
     [](const Arguments& args) {
       const Dims &index = args.tensor("index").shape, &addressed = args.tensor("x").shape;
       const std::size_t count = index.empty() ? 0 : 1, leading = addressed.empty() ? 0 : 1;
       return joined(slice(index, 0, count), slice(addressed, leading, addressed.size()));
     }},
    {"paddle", "scatter_nd", scatter_nd_parameters, number_dtypes, index_dtypes, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] { return describe::scatter_nd(out, args.tensor("index"), args.tensor("updates"), args.shape("shape")); });
     },
     "Zeros of the shape with updates added to the slices that index names.",
     [](const Arguments& args) { return updates_of_tuples(args.tensor("index").shape, args.shape("shape")); }},
    {"paddle", "put_along_axis", put_parameters, number_dtypes, index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::put_along_axis(
             out, args.tensor("arr"), args.tensor("indices"), args.source("values"), args.integer("axis"),
             {.reduce = args.word("reduce"), .include_self = args.boolean("include_self"), .broadcast = args.boolean("broadcast")});
       });
     },
     "Writes values, an array or a number, where indices point along axis; reduce combines them with what is there.", &covered_by_index},
    {"paddle", "index_add", index_add_parameters, number_dtypes, index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op(
           [&] { return describe::index_add(out, args.tensor("x"), args.tensor("index"), args.integer("axis"), args.tensor("value")); });
     },
     "Adds the slices of value to the slices of x that index names along axis.",
     [](const Arguments& args) { return updates_of_slices(args.tensor("index").shape, args.tensor("x").shape, args.integer("axis")); }},
    {"paddle", "gather_nd", gather_parameters, number_dtypes, index_dtypes, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] { return describe::gather_nd(out, args.tensor("x"), args.tensor("index")); });
     },
     "The slices of x that index names."},
};

}  // namespace

}  // namespace strew::inline v0::paddle

namespace strew::internal {

std::span<const Operator> paddle_operators() { return paddle::list; }

}  // namespace strew::internal
