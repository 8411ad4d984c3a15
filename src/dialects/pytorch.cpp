// PyTorch: scatter, scatter_add, scatter_reduce, index_add, index_copy and gather.
#include "strew/dialects/pytorch.h"

#include "dialects/addressing.h"
#include "dialects/check.h"
#include "dialects/numbers.h"
#include "dialects/registry.h"
#include "dialects/views.h"

namespace strew::inline v0::pytorch {
using namespace internal;
namespace {

constexpr DtypeSet index_dtypes{Dtype::int32, Dtype::int64};
constexpr DtypeSet copy_index_dtypes{Dtype::int64};

struct Word {
  std::string_view name;
  Fold fold;
};
// 16-bit sums and products are rounded once, at the end.
constexpr Fold assigning{.step = Reduction::assign};
constexpr Fold adding{.step = Reduction::add, .round = FoldRound::at_finish};
constexpr Fold multiplying{.step = Reduction::mul, .round = FoldRound::at_finish};
constexpr Fold averaging{.step = Reduction::add, .finish = FoldFinish::mean, .round = FoldRound::at_finish};
constexpr Fold largest{.step = Reduction::max, .compare = FoldCompare::propagate};
constexpr Fold smallest{.step = Reduction::min, .compare = FoldCompare::propagate};

constexpr Word scatter_words[] = {{"", assigning}, {"add", adding}, {"multiply", multiplying}};
constexpr Word reduce_words[] = {{"sum", adding},    {"prod", multiplying}, {"mean", averaging}, {"amax", largest},
                                 {"amin", smallest}, {"max", largest},      {"min", smallest}};

Fold fold_of(const Check& check, std::string_view word, std::span<const Word> words, std::string_view sentence) {
  for (const Word& row : words) {
    if (row.name == word) return row.fold;
  }
  check.fail(ErrorCode::argument, cat(sentence, ", got \"", word, "\""));
}

std::size_t dimension(const Check& check, std::int64_t dim, const ConstTensorRef& self) {
  const std::size_t rank = std::max<std::size_t>(1, self.rank());
  if (const auto axis = wrapped_axis(dim, rank)) return *axis;
  const auto size = static_cast<std::int64_t>(rank);
  check.fail(ErrorCode::axis, cat("Dimension out of range (expected to be in range of [", -size, ", ", size - 1, "], but got ", dim, ")"));
}

// PyTorch treats a rank-0 tensor as a vector of one element.
constexpr std::int64_t one[] = {1};
Sizes sizes(const ConstTensorRef& tensor) { return tensor.rank() == 0 ? Sizes(one) : Sizes(tensor.shape); }
bool same_rank(const ConstTensorRef& a, const ConstTensorRef& b) { return sizes(a).size() == sizes(b).size(); }

// Whether a shape is no larger than another of its rank, apart from one dimension.
bool is_within(Sizes shape, Sizes other, std::size_t except) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > other[d] && d != except) return false;
  }
  return true;
}

constexpr OverlapWords overlap_words{
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location",
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location"};

// PyTorch would resize an output of another shape, with a warning.
const Check::OutputWords output_words{
    [](Dtype expected, Dtype got) {
      return cat("Expected out tensor to have dtype ", to_string(expected), ", but got ", to_string(got), " instead");
    },
    [](const Dims& expected, const Dims& got) {
      return cat("out had shape ", bracketed(got), ", which does not match the required output shape ", bracketed(expected),
                 "; Strew does not resize it");
    },
};

void check_index_dtype(const Check& check, const ConstTensorRef& index) {
  if (!index_dtypes.has(index.dtype))
    check.fail(ErrorCode::dtype, cat("scatter(): Expected dtype int32/int64 for index, got ", to_string(index.dtype)));
}

// index.size(d) <= self.size(d) off the dimension, and index.size(d) <= src.size(d) everywhere.
void check_sizes(const Check& check, std::size_t dim, const ConstTensorRef& self, const ConstTensorRef& index, const ConstTensorRef* src) {
  if (!same_rank(index, self))
    check.fail(ErrorCode::shape,
               cat("Index tensor must have the same number of dimensions as self tensor, got ", index.rank(), " and ", self.rank()));
  if (src != nullptr && !same_rank(index, *src))
    check.fail(ErrorCode::shape,
               cat("Index tensor must have the same number of dimensions as src tensor, got ", index.rank(), " and ", src->rank()));
  const bool within_src = src == nullptr || is_within(sizes(index), sizes(*src), max_rank);
  if (within_src && is_within(sizes(index), sizes(self), dim)) return;
  check.fail(ErrorCode::shape,
             cat("Expected index ", bracketed(index.shape), " to be no larger than self ", bracketed(self.shape), " apart from dimension ",
                 dim, src == nullptr ? std::string() : cat(" and to be no larger size than src ", bracketed(src->shape))));
}

// Fast path: whether all views and sizes are valid, with a nonempty index, in one pass. If not, the caller searches for the first failing
// check.
bool all_fit(std::size_t dim, const ConstTensorRef& self, const ConstTensorRef& index, const ConstTensorRef& src) {
  if (!has_layout(self) || !has_layout(index) || !has_layout(src) || !same_rank(index, self) || !same_rank(index, src)) return false;
  const Sizes own = sizes(self), covers = sizes(index), offered = sizes(src);
  for (std::size_t d = 0; d < covers.size(); ++d) {
    const std::int64_t size = covers[d];
    if (size <= 0 || size > offered[d] || (size > own[d] && (d != dim || own[d] < 0))) return false;
  }
  return true;
}

IndexRule index_rule(const char* sentence) { return {.words = {"index", sentence}}; }
constexpr const char* out_of_bounds = "index {value} is out of bounds for dimension {axis} with size {size}";

// The part of src that the index covers; unused if a number is scattered.
ConstTensorRef covered(const ConstTensorRef* src, const ConstTensorRef& index) {
  ConstTensorRef part;
  if (src == nullptr) return part;
  part.data = src->data;
  part.dtype = src->dtype;
  part.shape = index.shape;
  if (index.rank() == src->rank()) {
    part.strides = src->strides;
  } else {
    part.strides.assign(index.rank(), 1);  // one of them has rank 0, the other is a vector
  }
  return part;
}

// The source is `src` or `number`.
ScatterOp scatter_along(const Check& check, const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                        const ConstTensorRef& index, const ConstTensorRef* src, const Number* number, const Fold& fold) {
  const ConstTensorRef& taken = src != nullptr ? *src : index;
  const auto wrapped = wrapped_axis(dim, sizes(input).size());
  const bool fits = wrapped && all_fit(*wrapped, input, index, taken);
  if (!fits) check.views({{"input", input}, {"index", index}, {"src", taken}});
  const std::size_t axis = fits ? *wrapped : dimension(check, dim, input);
  const bool no_index = !fits && is_empty(index.shape);
  check.dtype("input", input, number_dtypes);
  if (!no_index) check_index_dtype(check, index);
  if (src != nullptr && src->dtype != input.dtype) {
    check.fail(ErrorCode::dtype, cat("scatter(): Expected self.dtype to be equal to src.dtype, got ", to_string(input.dtype), " and ",
                                     to_string(src->dtype)));
  }
  if (!fits && !no_index) check_sizes(check, axis, input, index, src);
  if (no_index) {
    ScatterOp op{
        .name = check.op(), .out = check.output(out, input.dtype, input.shape, output_words), .base = base_of(out, input), .fold = fold};
    scatter_nothing(op);
    return op;
  }
  return {
      .name = check.op(),
      .where = along_axis(index, axis, index_rule(out_of_bounds)),
      .out = check.output(out, input.dtype, input.shape, output_words),
      .base = base_of(out, input),
      .updates = covered(src, index),
      .scalar = src != nullptr ? std::optional<Scalar>() : to_scalar(check, *number, input.dtype),
      .fold = fold,
  };
}

// Slices along a dimension: the source has one per index.
ScatterOp scatter_slices(const Check& check, const TensorRef& out, const ConstTensorRef& input, std::size_t dim,
                         const ConstTensorRef& index, const ConstTensorRef& source, const char* sentence, const Fold& fold) {
  const ConstTensorRef lined_up = axis_first(at_least_vector(source), source.rank() == 0 ? 0 : dim);
  return {
      .name = check.op(),
      .where = slices(index, dim, at_least_vector(input).shape, index_rule(sentence)),
      .out = out,
      .base = base_of(out, input),
      .updates = index.rank() == 0 ? without_leading(lined_up, 1) : lined_up,
      .fold = fold,
  };
}

// The number 1 in any type but bool.
bool is_one(const Number& alpha) {
  return std::visit([](auto value) { return !std::is_same_v<decltype(value), bool> && value == decltype(value)(1); }, alpha);
}

Dims without(const Dims& shape, std::size_t dim) {
  Dims rest;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d != dim) rest.push_back(shape[d]);
  }
  return rest;
}

}  // namespace

namespace describe {

ScatterOp scatter(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index, const Source& src,
                  std::string_view reduce) {
  const Check check({in_place(out, input) ? "pytorch.scatter_" : "pytorch.scatter", "input", "src", &overlap_words});
  const Fold fold = fold_of(check, reduce, scatter_words, "reduce argument must be either add or multiply");
  return scatter_along(check, out, input, dim, index, std::get_if<ConstTensorRef>(&src), std::get_if<Number>(&src), fold);
}

ScatterOp scatter_add(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                      const ConstTensorRef& src) {
  const Check check({in_place(out, input) ? "pytorch.scatter_add_" : "pytorch.scatter_add", "input", "src", &overlap_words});
  return scatter_along(check, out, input, dim, index, &src, nullptr, adding);
}

ScatterOp scatter_reduce(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                         const ConstTensorRef& src, std::string_view reduce, bool include_self) {
  const Check check({in_place(out, input) ? "pytorch.scatter_reduce_" : "pytorch.scatter_reduce", "input", "src", &overlap_words});
  Fold fold = fold_of(check, reduce, reduce_words, "reduce argument must be either sum, prod, mean, amax or amin");
  if (!include_self) fold.begin = FoldBegin::identity;
  return scatter_along(check, out, input, dim, index, &src, nullptr, fold);
}

ScatterOp index_add(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                    const ConstTensorRef& source, const Number& alpha) {
  const Check check({in_place(out, input) ? "pytorch.index_add_" : "pytorch.index_add", "input", "source", &overlap_words});
  check.views({{"input", input}, {"index", index}, {"source", source}});
  const std::size_t axis = dimension(check, dim, input);
  check.dtype("input", input, number_dtypes);
  if (index.rank() > 1) check.fail(ErrorCode::shape, cat("Index is supposed to be a vector, but got dim: ", index.rank()));
  if (!index_dtypes.has(index.dtype))
    check.fail(ErrorCode::dtype, cat("Expected dtype int32/int64 for index but got: ", to_string(index.dtype)));
  if (source.dtype != input.dtype)
    check.fail(ErrorCode::dtype,
               cat("self (", to_string(input.dtype), ") and source (", to_string(source.dtype), ") must have the same scalar type"));
  if (axis > 0 && axis >= source.rank())
    check.fail(ErrorCode::axis, cat("Indexing dim ", axis, " is out of bounds of source tensor of shape ", bracketed(source.shape)));
  const std::int64_t count = index.rank() == 0 ? 1 : index.shape[0];
  const std::int64_t offered = source.rank() == 0 ? 1 : source.shape[axis];
  if (count != offered)
    check.fail(ErrorCode::shape,
               cat("Number of indices (", count, ") should be equal to source.size(dim): (", offered, "), for dim: ", axis));
  if (source.rank() != input.rank() || !(without(source.shape, axis) == without(input.shape, axis))) {
    check.fail(ErrorCode::shape,
               cat("source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = ",
                   bracketed(input.shape), " source.shape = ", bracketed(source.shape)));
  }
  const TensorRef target = check.output(out, input.dtype, input.shape, output_words);
  if (input.rank() >= 2 && (is_empty(input.shape) || count == 0)) return scatter_nothing(check.op(), target, input);

  // Where PyTorch delegates to scatter_add, 16-bit sums are rounded once; otherwise at every step.
  const bool like_scatter_add =
      input.rank() >= 2 && (axis == 0 || axis + 1 == input.rank()) && is_one(alpha) && index.dtype == Dtype::int64;
  const Fold fold{.step = Reduction::add, .round = like_scatter_add ? FoldRound::at_finish : FoldRound::every_step};
  ScatterOp op =
      scatter_slices(check, target, input, axis, index, source, like_scatter_add ? out_of_bounds : "index out of range in self", fold);
  // Otherwise even an alpha of 1 multiplies, which is visible for complex numbers: an infinity spreads to both parts.
  const bool multiplies = !is_one(alpha) || (!like_scatter_add && dtype_info(input.dtype).kind == DtypeKind::complex);
  if (multiplies) op.scale = to_scalar(check, alpha, input.dtype);
  return op;
}

ScatterOp index_copy(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                     const ConstTensorRef& source) {
  const Check check({in_place(out, input) ? "pytorch.index_copy_" : "pytorch.index_copy", "input", "source", &overlap_words});
  check.views({{"input", input}, {"index", index}, {"source", source}});
  const std::size_t axis = dimension(check, dim, input);
  check.dtype("input", input, number_dtypes);
  if (index.rank() > 1) check.fail(ErrorCode::shape, cat("Index should have dimension 1 or 0 (got ", index.rank(), ")"));
  const std::int64_t count = index.rank() == 0 ? 1 : index.shape[0];
  if (source.rank() == 0 && count != 1)
    check.fail(ErrorCode::shape, cat("When source is scalar, index should have one element (got ", count, ")"));
  if (source.rank() != input.rank() && source.rank() != 0 && input.rank() != 0) {
    check.fail(ErrorCode::shape,
               cat("When source and destination are not scalars, their dimensionality must match. Source dimensionality (", source.rank(),
                   "), destination dimensionality (", input.rank(), ")"));
  }
  if (!copy_index_dtypes.has(index.dtype))
    check.fail(ErrorCode::dtype, cat("Expected a long tensor for index, but got ", to_string(index.dtype)));
  if (source.dtype != input.dtype)
    check.fail(ErrorCode::dtype, cat("self and source expected to have the same dtype, but got (self) ", to_string(input.dtype),
                                     " and (source) ", to_string(source.dtype)));
  if (!(without(source.shape, axis) == without(input.shape, axis))) {
    check.fail(ErrorCode::shape, cat("Source/destination tensor must have same slice shapes. Destination slice shape: ",
                                     bracketed(without(input.shape, axis)), " at dimension ", axis,
                                     " and source slice shape: ", bracketed(without(source.shape, axis)), " at dimension ", axis));
  }
  if (source.rank() > 0 && count != source.shape[axis])
    check.fail(ErrorCode::shape, cat("Number of indices (", count, ") should be equal to source.size(dim) (", source.shape[axis], ")"));
  const TensorRef target = check.output(out, input.dtype, input.shape, output_words);
  // Slices without elements do not validate the index.
  if (is_empty(without(input.shape, axis))) return scatter_nothing(check.op(), target, input);
  return scatter_slices(check, target, input, axis, index, source,
                        "index_copy_(): index {value} is out of bounds for dimension {axis} with size {size}", assigning);
}

GatherOp gather(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index) {
  const Check check({"pytorch.gather", "input", "updates", &overlap_words});
  check.views({{"input", input}, {"index", index}});
  const std::size_t axis = dimension(check, dim, input);
  check.dtype("input", input, number_dtypes);
  const TensorRef target = check.output(out, input.dtype, index.shape, output_words);
  if (is_empty(index.shape)) return gather_nothing(check.op(), target);
  if (!index_dtypes.has(index.dtype))
    check.fail(ErrorCode::dtype, cat("gather(): Expected dtype int32/int64 for index, got ", to_string(index.dtype)));
  if (!same_rank(index, input))
    check.fail(ErrorCode::shape,
               cat("Index tensor must have the same number of dimensions as input tensor, got ", index.rank(), " and ", input.rank()));
  for (std::size_t d = 0; d < index.rank(); ++d) {
    if (d != axis && index.shape[d] > sizes(input)[d]) {
      check.fail(ErrorCode::shape, cat("Size does not match at dimension ", d, " expected index ", bracketed(index.shape),
                                       " to be no larger than self ", bracketed(input.shape), " apart from dimension ", axis));
    }
  }
  return {.name = check.op(), .where = along_axis(index, axis, index_rule(out_of_bounds)), .from = input, .out = target};
}

}  // namespace describe

namespace {

constexpr Parameter input{"input", Parameter::tensor}, dim{"dim", Parameter::integer}, index_parameter{"index", Parameter::indices};
constexpr auto scatter_names = names_in(scatter_words);
constexpr auto reduce_names = names_in(reduce_words);
constexpr Parameter scatter_parameters[] = {input,
                                            dim,
                                            index_parameter,
                                            {.name = "src", .type = Parameter::source, .also = "value"},
                                            one_of(scatter_names, keyword({"reduce", Parameter::word, ""}))};
constexpr Parameter add_parameters[] = {input, dim, index_parameter, {"src", Parameter::updates}};
constexpr Parameter reduce_parameters[] = {input,
                                           dim,
                                           index_parameter,
                                           {"src", Parameter::updates},
                                           one_of(reduce_names, {"reduce", Parameter::word}),
                                           keyword({"include_self", Parameter::boolean, "true"})};
constexpr Parameter index_add_parameters[] = {
    input, dim, index_parameter, {"source", Parameter::updates}, keyword({"alpha", Parameter::number, "1"})};
constexpr Parameter index_copy_parameters[] = {input, dim, index_parameter, {"source", Parameter::updates}};
constexpr Parameter gather_parameters[] = {input, dim, index_parameter};

// One update per index; a source may be larger than what the index covers.
Dims one_per_index(const Arguments& args) { return args.tensor("index").shape; }
Dims one_slice_per_index(const Arguments& args) {
  return updates_of_slices(args.tensor("index").shape, args.tensor("input").shape, args.integer("dim"));
}

constexpr Operator list[] = {
    {"pytorch", "scatter", scatter_parameters, number_dtypes, index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter(out, args.tensor("input"), args.integer("dim"), args.tensor("index"), args.source("src"),
                                  args.word("reduce"));
       });
     },
     "Writes src, an array or a number, where index points along dim; reduce combines it with what is there.", &one_per_index},
    {"pytorch", "scatter_add", add_parameters, number_dtypes, index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op(
           [&] { return describe::scatter_add(out, args.tensor("input"), args.integer("dim"), args.tensor("index"), args.tensor("src")); });
     },
     "Adds src to input where index points along dim.", &one_per_index},
    {"pytorch", "scatter_reduce", reduce_parameters, number_dtypes, index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter_reduce(out, args.tensor("input"), args.integer("dim"), args.tensor("index"), args.tensor("src"),
                                         args.word("reduce"), args.boolean("include_self"));
       });
     },
     "Combines src with input where index points along dim: sum, prod, mean, amax or amin.", &one_per_index},
    {"pytorch", "index_add", index_add_parameters, number_dtypes, index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::index_add(out, args.tensor("input"), args.integer("dim"), args.tensor("index"), args.tensor("source"),
                                    args.number("alpha"));
       });
     },
     "Adds the slices of source, times alpha, to the slices of input that index names.", &one_slice_per_index},
    {"pytorch", "index_copy", index_copy_parameters, number_dtypes, copy_index_dtypes, true,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::index_copy(out, args.tensor("input"), args.integer("dim"), args.tensor("index"), args.tensor("source"));
       });
     },
     "Writes the slices of source over the slices of input that index names.", &one_slice_per_index},
    {"pytorch", "gather", gather_parameters, number_dtypes, index_dtypes, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] { return describe::gather(out, args.tensor("input"), args.integer("dim"), args.tensor("index")); });
     },
     "The elements of input to which index points along dim."},
};

}  // namespace

}  // namespace strew::inline v0::pytorch

namespace strew::internal {

std::span<const Operator> pytorch_operators() { return pytorch::list; }

}  // namespace strew::internal
