// NumPy: add.at, subtract.at, multiply.at, minimum.at, maximum.at and put_along_axis.
#include "strew/dialects/numpy.h"

#include "core/copy.h"
#include "core/core.h"
#include "core/memory_errors.h"
#include "core/overlap.h"
#include "dialects/check.h"
#include "dialects/numpy_index.h"
#include "dialects/numpy_types.h"
#include "dialects/registry.h"
#include "dialects/views.h"

namespace strew::inline v0::numpy {
using namespace internal;
using namespace internal::numpy;
namespace {

struct Ufunc {
  const char* op;
  std::string_view name;
  Reduction step;
};
constexpr Ufunc add{"numpy.add_at", "add", Reduction::add}, subtract{"numpy.subtract_at", "subtract", Reduction::sub},
    multiply{"numpy.multiply_at", "multiply", Reduction::mul}, minimum{"numpy.minimum_at", "minimum", Reduction::min},
    maximum{"numpy.maximum_at", "maximum", Reduction::max};

// The inputs of one call. Inputs that overlap the output, or have another type, are copied first.
class Inputs {
 public:
  Inputs(const Check& check, const Extent& written) : check_(check), written_(written) {}

  [[nodiscard]] ConstTensorRef taken(const char* argument, const ConstTensorRef& input, Dtype dtype) {
    if (input.dtype != dtype) return with_repeats(kept.emplace_back(cast(without_repeats(input), dtype)), input);
    if (!meet(written_, check_view(check_.op(), argument, input))) return input;
    return with_repeats(kept.emplace_back(Tensor::copy_of(without_repeats(input))), input);
  }
  // A name that the op owns.
  [[nodiscard]] const char* named(std::string name) {
    return kept.emplace_back(Tensor({std::move(name)}, {1})).values<std::string>().front().c_str();
  }
  // Completes the op, which then owns the copies.
  void give_to(ScatterOp& op) {
    for (ConstTensorRef& column : op.where.columns) column = taken("indices", column, column.dtype);
    if (!kept.empty()) op.keep = std::make_shared<const Kept>(std::move(kept));
  }

  Kept kept;

 private:
  const Check& check_;
  Extent written_;
};

// Allocation failures, for a mask or a cast, are reported as an Error of the operator.
template <class Describe>
ScatterOp described(const Check& check, Describe describe) {
  return naming_memory_errors(check.op(), "the indices and updates of this call", "", describe);
}

void check_loop(const Check& check, const Ufunc& ufunc, Dtype a, Dtype b) {
  if ((a == Dtype::string) != (b == Dtype::string))
    check.fail(ErrorCode::dtype, cat("ufunc '", ufunc.name, "' did not contain a loop with signature matching types (", to_string(a), ", ",
                                     to_string(b), ")"));
  if (ufunc.step == Reduction::sub && a == Dtype::bool_ && b == Dtype::bool_) {
    check.fail(ErrorCode::dtype,
               "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor "
               "function instead.");
  }
}

// For example "a[::2, indices]", in which `indices` stands for a tensor.
std::string key_text(Key key) {
  std::string text = "a[";
  for (const Index& index : key) {
    if (text.size() > 2) append(text, ", ");
    const auto* const slice = std::get_if<Slice>(&index);
    if (slice != nullptr) {
      const auto bound = [](std::optional<std::int64_t> at) { return at ? cat(*at) : std::string(); };
      append(text, cat(bound(slice->start), ":", bound(slice->stop), slice->step ? cat(":", *slice->step) : std::string()));
    } else if (const auto* const at = std::get_if<std::int64_t>(&index)) {
      append(text, cat(*at));
    } else if (const auto* const flag = std::get_if<bool>(&index)) {
      append(text, *flag ? "True" : "False");
    } else {
      append(text, std::holds_alternative<Ellipsis>(index) ? "..." : std::holds_alternative<NewAxis>(index) ? "None" : "indices");
    }
  }
  return cat(text, "]");
}

// Whether slices or integers narrowed or reversed the array.
bool is_part(const TensorRef& view, const TensorRef& a) {
  return view.data != a.data || !(view.shape == a.shape) || !(view.strides == a.strides);
}

ScatterOp at(const Ufunc& ufunc, const TensorRef& a, Key key, const Source& b) {
  const Check check({ufunc.op, "a", "b"});
  const ConstTensorRef target = a;
  check.views({{"a", target}});
  const Extent written = check_view(check.op(), "a", target);
  return described(check, [&] {
    Inputs inputs(check, written);
    Indexed x = indexed(check, a, key, inputs.kept);
    const auto* const tensor = std::get_if<ConstTensorRef>(&b);
    if (tensor != nullptr) {
      check.views({{"b", *tensor}});
      check_view(check.op(), "b", *tensor);
      if (!broadcasts_to(tensor->shape, x.shape)) {
        check.fail(ErrorCode::shape, cat("array is not broadcastable to correct shape: b has shape ", tuple_text(tensor->shape),
                                         ", a[indices] has ", tuple_text(x.shape)));
      }
    }
    const Dtype given = tensor != nullptr ? tensor->dtype : scalar_of(std::get<Number>(b)).dtype;
    check_loop(check, ufunc, a.dtype, given);
    const Dtype loop = promoted(a.dtype, given), dtype = stepping_type(ufunc.step, a.dtype, loop);

    const ConstTensorRef updates =
        tensor == nullptr ? ConstTensorRef() : in_order(x, broadcast(inputs.taken("b", *tensor, dtype), x.shape));
    ScatterOp op{
        .name = check.op(), .where = std::move(x.where), .out = x.view, .updates = updates, .fold = stepping(ufunc.step, compare_in(loop))};
    if (is_part(x.view, a)) op.name.input = inputs.named(key_text(key));
    if (tensor == nullptr) op.scalar = cast(scalar_of(std::get<Number>(b)), dtype);
    inputs.give_to(op);
    return op;
  });
}

bool is_row_major(const TensorRef& tensor) {
  if (is_empty(tensor.shape)) return true;
  const Dims dense = dense_strides(tensor.shape);
  for (std::size_t d = 0; d < tensor.rank(); ++d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != dense[d]) return false;
  }
  return true;
}

// `arr` flattened to a vector.
TensorRef flat(const Check& check, const TensorRef& arr, const ConstTensorRef& indices) {
  if (indices.rank() != 1) check.fail(ErrorCode::shape, "when axis=None, `indices` must have a single dimension.");
  if (!is_row_major(arr))
    check.fail(ErrorCode::shape, "assignment destination is read-only: when axis=None, `arr` must be dense and row-major");
  return {arr.data, arr.dtype, {element_count(arr.shape)}};
}

// The index is the coordinate on `axis`; other axes use the position, and those of size 1 are not advanced.
Addressing place_along_axis(const Check& check, const TensorRef& arr, const ConstTensorRef& indices, std::size_t axis) {
  SmallVector<Dims, 8> shapes;
  for (std::size_t d = 0; d < arr.rank(); ++d) {
    Dims shape(arr.rank(), 1);
    shape[d] = arr.shape[d];
    shapes.push_back(d == axis ? indices.shape : shape);
  }
  Addressing where = empty_addressing();
  where.points = broadcast_indices(check, shapes);
  where.columns.push_back(as_column(indices, where.points));
  for (std::size_t d = 0; d < arr.rank(); ++d) {
    const bool stays = d != axis && arr.shape[d] == 1;
    where.axes.push_back(d == axis ? strew::Axis{Axis::column, 0}
                         : stays   ? strew::Axis{Axis::row, static_cast<std::uint8_t>(where.row.size())}
                                   : strew::Axis{Axis::point, static_cast<std::uint8_t>(d)});
    if (stays) where.row.push_back(1);
  }
  return where;
}

// `values` as one update per point. Excess leading sizes of 1 are dropped, as in every NumPy assignment.
ConstTensorRef one_per_point(const Check& check, ConstTensorRef values, const Addressing& where) {
  const Dims given = values.shape;
  while (values.rank() > where.points.size() && values.shape[0] == 1) values = without_leading(values, 1);
  if (!broadcasts_to(values.shape, where.points)) {
    check.fail(ErrorCode::shape, cat("shape mismatch: value array of shape ", tuple_text(given),
                                     " could not be broadcast to indexing result of shape ", tuple_text(where.points)));
  }
  ConstTensorRef updates = broadcast(values, where.points);
  for (const std::int64_t size : where.row) {
    updates.shape.push_back(size);
    updates.strides.push_back(0);
  }
  return updates;
}

}  // namespace

namespace describe {

ScatterOp add_at(const TensorRef& a, Key indices, const Source& b) { return at(add, a, indices, b); }
ScatterOp subtract_at(const TensorRef& a, Key indices, const Source& b) { return at(subtract, a, indices, b); }
ScatterOp multiply_at(const TensorRef& a, Key indices, const Source& b) { return at(multiply, a, indices, b); }
ScatterOp minimum_at(const TensorRef& a, Key indices, const Source& b) { return at(minimum, a, indices, b); }
ScatterOp maximum_at(const TensorRef& a, Key indices, const Source& b) { return at(maximum, a, indices, b); }

ScatterOp put_along_axis(const TensorRef& arr, const ConstTensorRef& indices, const Source& values, std::optional<std::int64_t> axis) {
  const Check check({"numpy.put_along_axis", "arr", "values"});
  const auto* const tensor = std::get_if<ConstTensorRef>(&values);
  const ConstTensorRef whole = arr;
  check.views({{"arr", whole}, {"indices", indices}});
  const Extent written = check_view(check.op(), "arr", whole);
  check_view(check.op(), "indices", indices);
  if (tensor != nullptr) {
    check.views({{"values", *tensor}});
    check_view(check.op(), "values", *tensor);
  }
  const TensorRef target = axis ? arr : flat(check, arr, indices);
  const auto at = wrapped_axis(axis.value_or(0), target.rank());
  if (!at) check.fail(ErrorCode::axis, cat("axis ", *axis, " is out of bounds for array of dimension ", arr.rank()));
  if (!is_integer(indices.dtype)) check.fail(ErrorCode::index, cat("`indices` must be an integer array, got ", to_string(indices.dtype)));
  if (indices.rank() != target.rank()) {
    check.fail(ErrorCode::shape,
               cat("`indices` and `arr` must have the same number of dimensions, got ", indices.rank(), " and ", arr.rank()));
  }
  return described(check, [&] {
    Inputs inputs(check, written);
    ScatterOp op{
        .name = check.op(), .where = place_along_axis(check, target, indices, *at), .out = target, .fold = stepping(Reduction::assign)};
    const bool is_text = arr.dtype == Dtype::string;
    if (tensor == nullptr ? is_text : is_text != (tensor->dtype == Dtype::string))
      check.fail(ErrorCode::dtype, "strings and numbers do not mix: arr and values must both be strings, or neither");
    if (tensor == nullptr) {
      op.scalar = assigned(check, std::get<Number>(values), arr.dtype);
    } else {
      op.updates = one_per_point(check, inputs.taken("values", *tensor, arr.dtype), op.where);
    }
    inputs.give_to(op);
    return op;
  });
}

}  // namespace describe

namespace {

constexpr Parameter at_parameters[] = {{"a", Parameter::target}, {"indices", Parameter::index_key}, {"b", Parameter::source}};
constexpr Parameter put_parameters[] = {
    {"arr", Parameter::target}, {"indices", Parameter::indices}, {"values", Parameter::source}, said({"axis", Parameter::integer, "none"})};

template <const Ufunc& ufunc>
AnyOp describe_at(const TensorRef& out, const Arguments& args) {
  return any_op([&] { return at(ufunc, out, args.index_key("indices"), args.source("b")); });
}

// The shape of a[indices].
template <const Ufunc& ufunc>
Dims indexed_shape(const Arguments& args) {
  const Check check({ufunc.op, "a", "b"});
  const ConstTensorRef& a = args.tensor("a");
  check.views({{"a", a}});
  Kept kept;
  return indexed(check, {nullptr, a.dtype, a.shape}, args.index_key("indices"), kept).shape;
}

// The index is broadcast to the sizes of arr off the axis.
Dims placed_shape(const Arguments& args) {
  Dims shape = args.tensor("indices").shape;
  const Dims& arr = args.tensor("arr").shape;
  const auto axis = args.optional_integer("axis");
  const auto at = wrapped_axis(axis.value_or(0), arr.size());
  for (std::size_t d = 0; axis && at && shape.size() == arr.size() && d < shape.size(); ++d) {
    if (d != *at && shape[d] == 1) shape[d] = arr[d];
  }
  return shape;
}

constexpr Operator list[] = {
    {"numpy", "add_at", at_parameters, all_dtypes, integer_dtypes, false, &describe_at<add>,
     "Adds b to a[indices], once for each time an index occurs (np.add.at).", &indexed_shape<add>},
    {"numpy", "subtract_at", at_parameters, number_dtypes, integer_dtypes, false, &describe_at<subtract>,
     "Subtracts b from a[indices], once for each time an index occurs (np.subtract.at).", &indexed_shape<subtract>},
    {"numpy", "multiply_at", at_parameters, number_dtypes, integer_dtypes, false, &describe_at<multiply>,
     "Multiplies a[indices] by b, once for each time an index occurs (np.multiply.at).", &indexed_shape<multiply>},
    {"numpy", "minimum_at", at_parameters, number_dtypes, integer_dtypes, false, &describe_at<minimum>,
     "Makes a[indices] the smaller of itself and b; a NaN wins (np.minimum.at).", &indexed_shape<minimum>},
    {"numpy", "maximum_at", at_parameters, number_dtypes, integer_dtypes, false, &describe_at<maximum>,
     "Makes a[indices] the larger of itself and b; a NaN wins (np.maximum.at).", &indexed_shape<maximum>},
    {"numpy", "put_along_axis", put_parameters, all_dtypes, integer_dtypes, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op(
           [&] { return describe::put_along_axis(out, args.tensor("indices"), args.source("values"), args.optional_integer("axis")); });
     },
     "Writes values where indices point along axis, or into the flat array without one (np.put_along_axis).", &placed_shape},
};

}  // namespace

}  // namespace strew::inline v0::numpy

namespace strew::internal {

std::span<const Operator> numpy_operators() { return numpy::list; }

}  // namespace strew::internal
