// Strew's own functions: scatter, scatter_add, _sub, _mul, _min, _max, _mean and gather.
#include "strew/dialects/strew.h"

#include <cmath>

#include "dialects/addressing.h"
#include "dialects/check.h"
#include "dialects/numbers.h"
#include "dialects/registry.h"
#include "dialects/views.h"

namespace strew::inline v0 {
using namespace internal;
namespace {

struct Function {
  const char* op;
  Fold fold;
};
constexpr Function assigning{"strew.scatter", {.step = Reduction::assign}};
constexpr Function adding{"strew.scatter_add", {.step = Reduction::add, .round = FoldRound::at_finish}};
constexpr Function subtracting{"strew.scatter_sub", {.step = Reduction::sub, .round = FoldRound::at_finish}};
constexpr Function multiplying{"strew.scatter_mul", {.step = Reduction::mul, .round = FoldRound::at_finish}};
constexpr Function smallest{"strew.scatter_min", {.step = Reduction::min, .compare = FoldCompare::propagate}};
constexpr Function largest{"strew.scatter_max", {.step = Reduction::max, .compare = FoldCompare::propagate}};
constexpr Function averaging{
    "strew.scatter_mean",
    {.step = Reduction::add, .begin = FoldBegin::identity, .finish = FoldFinish::mean, .round = FoldRound::at_finish}};

// One tensor of integers, or one for each of the leading axes of `addressed`, all of one shape.
void check_index(const Check& check, const IndexColumns& index, const char* addressed_name, const Dims& addressed) {
  if (index.empty()) check.fail(ErrorCode::shape, "index must be a tensor of integers, or one for each of the leading axes, got none");
  for (const ConstTensorRef& column : index) check.views({{"index", column}});
  for (const ConstTensorRef& column : index) check.dtype("index", column, integer_dtypes);
  if (index.size() > addressed.size()) {
    check.fail(ErrorCode::shape,
               cat("index may have one tensor for each axis of ", addressed_name, " ", bracketed(addressed), ", got ", index.size()));
  }
  for (const ConstTensorRef& column : index) {
    if (column.shape == index[0].shape) continue;
    check.fail(ErrorCode::shape,
               cat("the tensors of index must have one shape, got ", bracketed(index[0].shape), " and ", bracketed(column.shape)));
  }
}

Dims points_and_row(const Dims& points, std::size_t depth, const Dims& addressed) {
  return joined(points, slice(addressed, std::min(depth, addressed.size()), addressed.size()));
}

std::string number_words(const Number& number, Dtype dtype) {
  return cat("values must be a number that ", to_string(dtype), " holds, got ", text_of(number));
}

// Whether the dtype holds the number; floats may round it. to_scalar() rejects numbers that are too large.
bool holds(Dtype dtype, const Number& number) {
  const DtypeKind kind = dtype_info(dtype).kind;
  const bool is_whole_kind = is_integer(dtype) || kind == DtypeKind::boolean;
  const auto real_fits = [&](auto value) {
    if (kind == DtypeKind::boolean) return value == 0 || value == 1;
    return kind != DtypeKind::unsigned_integer || value >= 0;
  };
  if (const auto* value = std::get_if<std::int64_t>(&number)) return real_fits(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&number)) return real_fits(*value);
  if (const auto* value = std::get_if<double>(&number)) return real_fits(*value) && (!is_whole_kind || std::trunc(*value) == *value);
  return !std::holds_alternative<std::complex<double>>(number) || kind == DtypeKind::complex;
}

Scalar scalar_of(const Check& check, const Number& number, Dtype dtype) {
  if (dtype == Dtype::string) check.fail(ErrorCode::dtype, "values must be strings, as out is, got a number");
  if (!holds(dtype, number)) check.fail(ErrorCode::argument, number_words(number, dtype));
  return to_scalar(check, number, dtype, Overflow::rejected, &number_words);
}

ScatterOp scatter_by(const Function& function, const TensorRef& out, const IndexColumns& index, const Source& values) {
  const Check check({function.op, "out", "values"});
  const ConstTensorRef addressed = out;
  const auto* const tensor = std::get_if<ConstTensorRef>(&values);
  check.views({{"out", addressed}});
  check_index(check, index, "out", out.shape);
  if (tensor != nullptr) {
    check.views({{"values", *tensor}});
    check.same_dtype("out", addressed, "values", *tensor);
    const Dims expected = points_and_row(index[0].shape, index.size(), out.shape);
    if (!(tensor->shape == expected)) {
      const std::string row = index.size() < out.rank() ? cat(" + out.shape[", index.size(), ":]") : std::string();
      check.fail(ErrorCode::shape,
                 cat("values must have shape index.shape", row, " = ", bracketed(expected), ", got ", bracketed(tensor->shape)));
    }
  }
  return {
      .name = check.op(),
      .where = by_columns(index, out.shape, {.words = {.argument = "index"}}),
      .out = out,
      .base = InPlace{},
      .updates = tensor != nullptr ? *tensor : ConstTensorRef(),
      .scalar = tensor != nullptr ? std::optional<Scalar>() : scalar_of(check, std::get<Number>(values), out.dtype),
      .fold = function.fold,
  };
}

GatherOp gather_by(const TensorRef& out, const ConstTensorRef& source, const IndexColumns& index) {
  const Check check({"strew.gather", "source"});
  check.views({{"source", source}});
  check_index(check, index, "source", source.shape);
  return {
      .name = check.op(),
      .where = by_columns(index, source.shape, {.words = {.argument = "index"}}),
      .from = source,
      .out = check.output(out, source.dtype, points_and_row(index[0].shape, index.size(), source.shape)),
  };
}

}  // namespace

namespace describe {

ScatterOp scatter(const AnyOutput& out, const NamedIndices& index, const NamedValues& values) {
  return scatter_by(assigning, out, index.columns, values);
}
ScatterOp scatter_add(const AnyOutput& out, const NamedIndices& index, const NamedValues& values) {
  return scatter_by(adding, out, index.columns, values);
}
ScatterOp scatter_sub(const AnyOutput& out, const NamedIndices& index, const NamedValues& values) {
  return scatter_by(subtracting, out, index.columns, values);
}
ScatterOp scatter_mul(const AnyOutput& out, const NamedIndices& index, const NamedValues& values) {
  return scatter_by(multiplying, out, index.columns, values);
}
ScatterOp scatter_min(const AnyOutput& out, const NamedIndices& index, const NamedValues& values) {
  return scatter_by(smallest, out, index.columns, values);
}
ScatterOp scatter_max(const AnyOutput& out, const NamedIndices& index, const NamedValues& values) {
  return scatter_by(largest, out, index.columns, values);
}
ScatterOp scatter_mean(const AnyOutput& out, const NamedIndices& index, const NamedValues& values) {
  return scatter_by(averaging, out, index.columns, values);
}
GatherOp gather(const AnyOutput& out, const NamedInput& source, const NamedIndices& index) { return gather_by(out, source, index.columns); }

}  // namespace describe

namespace {

constexpr Parameter out_parameter{"out", Parameter::target}, source_parameter{"source", Parameter::tensor},
    index_parameter{"index", Parameter::columns}, values_parameter{"values", Parameter::source};
constexpr Parameter scatter_parameters[] = {out_parameter, index_parameter, values_parameter};
constexpr Parameter gather_parameters[] = {source_parameter, index_parameter};

// An integer stands for a tensor of rank 0, which borrows it.
IndexColumns columns_of(const Check& check, const IndexKey& key) {
  IndexColumns list;
  for (const numpy::Index& part : key) {
    if (const auto* const tensor = std::get_if<ConstTensorRef>(&part)) {
      list.push_back(*tensor);
    } else if (const auto* const integer = std::get_if<std::int64_t>(&part)) {
      ConstTensorRef& column = list.emplace_back();
      column.data = integer;
      column.dtype = Dtype::int64;
    } else {
      check.fail(ErrorCode::dtype, "index must be a tensor of integers, or one for each of the leading axes, got something else");
    }
  }
  return list;
}

template <const Function& function>
AnyOp describe_scatter(const TensorRef& out, const Arguments& args) {
  return any_op([&] { return scatter_by(function, out, columns_of(Check(function.op), args.index_key("index")), args.source("values")); });
}

Dims values_shape(const Arguments& args) {
  const IndexKey& key = args.index_key("index");
  const auto* const first = key.empty() ? nullptr : std::get_if<ConstTensorRef>(&key[0]);
  return points_and_row(first == nullptr ? Dims{} : first->shape, key.size(), args.tensor("out").shape);
}

template <const Function& function>
constexpr Operator scatters(std::string_view name, DtypeSet dtypes, std::string_view summary) {
  return {"strew", name, scatter_parameters, dtypes, integer_dtypes, false, &describe_scatter<function>, summary, &values_shape};
}

constexpr Operator list[] = {
    scatters<assigning>("scatter", all_dtypes, "Writes values to the elements of out that index selects; the last of several wins."),
    scatters<adding>("scatter_add", all_dtypes, "Adds values to the elements of out that index selects."),
    scatters<subtracting>("scatter_sub", number_dtypes - of_kind(DtypeKind::boolean),
                          "Subtracts values from the elements of out that index selects."),
    scatters<multiplying>("scatter_mul", number_dtypes, "Multiplies the elements of out that index selects by values."),
    scatters<smallest>("scatter_min", ordered_dtypes,
                       "Sets each element of out that index selects to the minimum of itself and its values."),
    scatters<largest>("scatter_max", ordered_dtypes,
                      "Sets each element of out that index selects to the maximum of itself and its values."),
    scatters<averaging>("scatter_mean", number_dtypes - of_kind(DtypeKind::boolean),
                        "Sets each element of out that index selects to the mean of its values; the old element does not count."),
    {"strew", "gather", gather_parameters, all_dtypes, integer_dtypes, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] { return gather_by(out, args.tensor("source"), columns_of(Check("strew.gather"), args.index_key("index"))); });
     },
     "The elements or rows of source that index selects."},
};

}  // namespace
}  // namespace strew::inline v0

namespace strew::internal {

std::span<const Operator> strew_operators() { return list; }

}  // namespace strew::internal
