// DirectML's operators on tensors; directml_desc.cpp has the form on descriptions.
#include "strew/dialects/directml.h"

#include "dialects/addressing.h"
#include "dialects/check.h"
#include "dialects/registry.h"
#include "dialects/views.h"

namespace strew::inline v0::directml {
using namespace internal;
namespace {

const Check::OutputWords output_words{
    [](Dtype expected, Dtype got) { return cat("OutputTensor.DataType must be ", to_string(expected), ", got ", to_string(got)); },
    [](const Dims& expected, const Dims& got) { return cat("OutputTensor.Sizes must be ", bracketed(expected), ", got ", bracketed(got)); },
};

constexpr DtypeSet floats{Dtype::float32, Dtype::float16};
constexpr DtypeSet small_integers{Dtype::int32, Dtype::int16, Dtype::int8, Dtype::uint32, Dtype::uint16, Dtype::uint8};
constexpr DtypeSet wide{Dtype::float64, Dtype::int64, Dtype::uint64};
constexpr DtypeSet indices_3_0{Dtype::int64, Dtype::int32, Dtype::uint64, Dtype::uint32};
constexpr DtypeSet indices_1_0{Dtype::uint32};

struct Level {
  std::string_view name;
  DML_FEATURE_LEVEL level;
};
constexpr Level levels[] = {
    {"1_0", DML_FEATURE_LEVEL_1_0}, {"2_0", DML_FEATURE_LEVEL_2_0}, {"2_1", DML_FEATURE_LEVEL_2_1}, {"3_0", DML_FEATURE_LEVEL_3_0},
    {"3_1", DML_FEATURE_LEVEL_3_1}, {"4_0", DML_FEATURE_LEVEL_4_0}, {"4_1", DML_FEATURE_LEVEL_4_1}, {"5_0", DML_FEATURE_LEVEL_5_0},
    {"5_1", DML_FEATURE_LEVEL_5_1}, {"5_2", DML_FEATURE_LEVEL_5_2}, {"6_0", DML_FEATURE_LEVEL_6_0}, {"6_1", DML_FEATURE_LEVEL_6_1},
    {"6_2", DML_FEATURE_LEVEL_6_2}, {"6_3", DML_FEATURE_LEVEL_6_3}, {"6_4", DML_FEATURE_LEVEL_6_4},
};

std::string_view name_of(const Check& check, DML_FEATURE_LEVEL level) {
  for (const Level& row : levels) {
    if (row.level == level) return row.name;
  }
  check.fail(ErrorCode::argument, cat("feature level must be one of DML_FEATURE_LEVEL_1_0 to 6_4, got ", static_cast<int>(level)));
}

DtypeSet data_dtypes(DML_FEATURE_LEVEL level) {
  return level >= DML_FEATURE_LEVEL_4_1   ? floats | small_integers | wide
         : level >= DML_FEATURE_LEVEL_2_1 ? floats | small_integers
                                          : floats;
}
DtypeSet index_dtypes(DML_FEATURE_LEVEL level) { return level >= DML_FEATURE_LEVEL_3_0 ? indices_3_0 : indices_1_0; }

void check_available(const Check& check, const Options& options, DML_FEATURE_LEVEL since) {
  const std::string_view level = name_of(check, options.feature_level);
  if (options.feature_level < since)
    check.fail(ErrorCode::unsupported, cat("this operator was introduced in DML_FEATURE_LEVEL_", name_of(check, since), ", got ", level));
  if (options.out_of_range != OutOfRange::error && options.out_of_range != OutOfRange::clamp) {
    const bool skips = options.out_of_range == OutOfRange::skip;
    check.fail(ErrorCode::argument,
               cat("out_of_range must be error or clamp, got ", skips ? "skip" : cat(static_cast<int>(options.out_of_range))));
  }
}

void check_data(const Check& check, std::string_view argument, const ConstTensorRef& tensor, const Options& options) {
  const DtypeSet allowed = data_dtypes(options.feature_level);
  if (!allowed.has(tensor.dtype)) {
    check.fail(ErrorCode::dtype, cat(argument, ".DataType must be ", choice_of(allowed), " at feature level ",
                                     name_of(check, options.feature_level), ", got ", to_string(tensor.dtype)));
  }
}
void check_indices(const Check& check, const ConstTensorRef& indices, const Options& options) {
  const DtypeSet allowed = index_dtypes(options.feature_level);
  if (!allowed.has(indices.dtype)) {
    check.fail(ErrorCode::dtype, cat("IndicesTensor.DataType must be ", choice_of(allowed), " at feature level ",
                                     name_of(check, options.feature_level), ", got ", to_string(indices.dtype)));
  }
}

void check_sizes(const Check& check, std::string_view argument, const ConstTensorRef& tensor) {
  if (is_empty(tensor.shape))
    check.fail(ErrorCode::shape,
               cat(argument, ".Sizes: specifying a size of zero in any dimension is invalid, got ", bracketed(tensor.shape)));
}

// Below 3_0 every tensor has 4 dimensions, later 1 to 8. Optional leading dimensions are ignored for both.
void check_dimension_count(const Check& check, std::string_view argument, const ConstTensorRef& tensor, const Options& options, bool pads) {
  const std::size_t most = options.feature_level >= DML_FEATURE_LEVEL_3_0 ? 8 : 4;
  const std::size_t least = pads ? 0 : options.feature_level >= DML_FEATURE_LEVEL_3_0 ? 1 : 4;
  if (tensor.rank() < least || tensor.rank() > most) {
    check.fail(ErrorCode::shape,
               cat(argument, ".DimensionCount must be ", least == most ? cat(most) : cat(std::max<std::size_t>(1, least), " to ", most),
                   " at feature level ", name_of(check, options.feature_level), ", got ", tensor.rank()));
  }
}

void check_same_type(const Check& check, const ConstTensorRef& input, const ConstTensorRef& updates) {
  if (input.dtype != updates.dtype)
    check.fail(ErrorCode::dtype, cat("InputTensor and UpdatesTensor must have the same DataType, got ", to_string(input.dtype), " and ",
                                     to_string(updates.dtype)));
}

// The trailing dimensions that the operator uses.
ConstTensorRef meant(const Check& check, std::string_view argument, const ConstTensorRef& tensor, std::string_view count_name,
                     const std::optional<std::int64_t>& count) {
  const auto rank = static_cast<std::int64_t>(tensor.rank());
  const std::int64_t kept = count.value_or(rank);
  if (kept < 1 || kept > rank)
    check.fail(ErrorCode::shape, cat(count_name, " must be in [1, ", argument, ".DimensionCount] = [1, ", rank, "], got ", kept));
  const auto leading = static_cast<std::size_t>(rank - kept);
  for (std::size_t d = 0; d < leading; ++d) {
    if (tensor.shape[d] != 1)
      check.fail(ErrorCode::shape, cat(argument, ".Sizes before the last ", kept, " dimensions must be 1, got ", bracketed(tensor.shape)));
  }
  return without_leading(tensor, leading);
}

// The tensor with exactly the dimensions of `expected`: leading ones are dropped or added.
ConstTensorRef aligned(const Check& check, std::string_view argument, ConstTensorRef tensor, const Dims& expected) {
  const Dims given = tensor.shape;
  while (tensor.rank() > expected.size() && tensor.shape[0] == 1) tensor = without_leading(tensor, 1);
  while (tensor.rank() < expected.size())
    tensor = {tensor.data, tensor.dtype, joined(Dims{1}, tensor.shape), joined(Dims{0}, tensor.strides)};
  if (!(tensor.shape == expected))
    check.fail(ErrorCode::shape, cat(argument, ".Sizes must be ", bracketed(expected), " after leading ones, got ", bracketed(given)));
  return tensor;
}

std::size_t check_axis(const Check& check, std::int64_t axis, const ConstTensorRef& input) {
  if (axis < 0 || axis >= static_cast<std::int64_t>(input.rank()))
    check.fail(ErrorCode::axis, cat("Axis must be in [0, InputTensor.DimensionCount) = [0, ", input.rank(), "), got ", axis));
  return static_cast<std::size_t>(axis);
}

void check_off_axis(const Check& check, const ConstTensorRef& input, const ConstTensorRef& indices, std::size_t axis) {
  bool match = input.rank() == indices.rank();
  for (std::size_t d = 0; match && d < input.rank(); ++d) match = d == axis || indices.shape[d] == input.shape[d];
  if (!match) {
    check.fail(ErrorCode::shape, cat("IndicesTensor.Sizes must match InputTensor.Sizes for every dimension except Axis ", axis, ", got ",
                                     bracketed(indices.shape), " and ", bracketed(input.shape)));
  }
}

IndexRule index_rule(const Options& options) {
  return {.negative = options.feature_level >= DML_FEATURE_LEVEL_3_0 ? Negative::wrap : Negative::reject,
          .out_of_range = options.out_of_range,
          .words = {"IndicesTensor", "index {value} is out of range"}};
}

// DirectML only allows aliasing for operators that document it; these do not.
void check_apart(const Check& check, const TensorRef& out, const ConstTensorRef& input) {
  if (in_place(out, input))
    check.fail(ErrorCode::overlap, "OutputTensor may not be InputTensor: this operator does not support in-place execution");
}

// Coordinates per tuple, for an operator whose tuples can address `axes` axes.
std::size_t check_depth(const Check& check, const ConstTensorRef& indices, std::size_t axes) {
  const std::int64_t depth = indices.shape.back();
  if (depth > static_cast<std::int64_t>(axes)) {
    check.fail(ErrorCode::shape, cat("the last dimension of IndicesTensor, the number of coordinates per index tuple, mustn't exceed the ",
                                     axes, " dimensions of InputTensor, got ", depth));
  }
  return static_cast<std::size_t>(depth);
}

}  // namespace

namespace describe {

ScatterOp scatter_nd(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const ConstTensorRef& updates,
                     const NdAttrs& attrs) {
  const Check check({"directml.scatter_nd", "InputTensor", "UpdatesTensor"});
  const Options& options = attrs.options;
  check.views({{"InputTensor", input}, {"IndicesTensor", indices}, {"UpdatesTensor", updates}});
  check_available(check, options, DML_FEATURE_LEVEL_2_1);
  if (attrs.batch_dimension_count != 0)
    check.fail(ErrorCode::unsupported, cat("scatter has no batch dimensions, got batch_dimension_count ", attrs.batch_dimension_count));
  check_data(check, "InputTensor", input, options);
  check_indices(check, indices, options);
  check_same_type(check, input, updates);
  check_dimension_count(check, "InputTensor", input, options, true);
  check_dimension_count(check, "IndicesTensor", indices, options, true);
  check_dimension_count(check, "UpdatesTensor", updates, options, true);
  check_sizes(check, "InputTensor", input);
  check_sizes(check, "IndicesTensor", indices);
  check_sizes(check, "UpdatesTensor", updates);
  const ConstTensorRef addressed = meant(check, "InputTensor", input, "InputDimensionCount", attrs.input_dimension_count);
  const ConstTensorRef tuple = meant(check, "IndicesTensor", indices, "IndicesDimensionCount", attrs.indices_dimension_count);
  const std::size_t depth = check_depth(check, tuple, addressed.rank());
  const Dims expected = joined(slice(tuple.shape, 0, tuple.rank() - 1), slice(addressed.shape, depth, addressed.rank()));
  ConstTensorRef source = aligned(check, "UpdatesTensor", updates, expected);
  check_apart(check, out, input);

  // One tuple per point. The input's leading dimensions of size 1 become part of the row, so that the output keeps them.
  Addressing where = tuples(tuple, addressed.shape, index_rule(options));
  SmallVector<Axis, 8> axes;
  for (std::size_t d = addressed.rank(); d < input.rank(); ++d) {
    axes.push_back({Axis::row, static_cast<std::uint8_t>(where.row.size())});
    where.row.push_back(1);
    source.shape.push_back(1);
    source.strides.push_back(0);
  }
  axes.append(where.axes);
  where.axes = axes;
  return {
      .name = check.op(),
      .where = std::move(where),
      .out = check.output(out, input.dtype, input.shape, output_words),
      .base = input,
      .updates = std::move(source),
      .fold = stepping(Reduction::assign),
  };
}

ScatterOp scatter(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const ConstTensorRef& updates,
                  const AxisAttrs& attrs) {
  const Check check({"directml.scatter", "InputTensor", "UpdatesTensor"});
  const Options& options = attrs.options;
  check.views({{"InputTensor", input}, {"IndicesTensor", indices}, {"UpdatesTensor", updates}});
  check_available(check, options, DML_FEATURE_LEVEL_1_0);
  check_data(check, "InputTensor", input, options);
  check_indices(check, indices, options);
  check_same_type(check, input, updates);
  check_dimension_count(check, "InputTensor", input, options, false);
  check_sizes(check, "InputTensor", input);
  check_sizes(check, "IndicesTensor", indices);
  const std::size_t axis = check_axis(check, attrs.axis, input);
  check_off_axis(check, input, indices, axis);
  if (!(updates.shape == indices.shape))
    check.fail(ErrorCode::shape,
               cat("UpdatesTensor.Sizes must match IndicesTensor.Sizes ", bracketed(indices.shape), ", got ", bracketed(updates.shape)));
  check_apart(check, out, input);
  return {
      .name = check.op(),
      .where = along_axis(indices, axis, index_rule(options)),
      .out = check.output(out, input.dtype, input.shape, output_words),
      .base = input,
      .updates = updates,
      .fold = stepping(Reduction::assign),
  };
}

GatherOp gather_elements(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const AxisAttrs& attrs) {
  const Check check({"directml.gather_elements", "InputTensor", "UpdatesTensor"});
  const Options& options = attrs.options;
  check.views({{"InputTensor", input}, {"IndicesTensor", indices}});
  check_available(check, options, DML_FEATURE_LEVEL_2_1);
  check_data(check, "InputTensor", input, options);
  check_indices(check, indices, options);
  check_dimension_count(check, "InputTensor", input, options, false);
  check_sizes(check, "InputTensor", input);
  check_sizes(check, "IndicesTensor", indices);
  const std::size_t axis = check_axis(check, attrs.axis, input);
  check_off_axis(check, input, indices, axis);
  return {.name = check.op(),
          .where = along_axis(indices, axis, index_rule(options)),
          .from = input,
          .out = check.output(out, input.dtype, indices.shape, output_words)};
}

GatherOp gather_nd(const TensorRef& out, const ConstTensorRef& input, const ConstTensorRef& indices, const NdAttrs& attrs) {
  const Check check({"directml.gather_nd", "InputTensor", "UpdatesTensor"});
  const Options& options = attrs.options;
  check.views({{"InputTensor", input}, {"IndicesTensor", indices}});
  check_available(check, options, attrs.batch_dimension_count == 0 ? DML_FEATURE_LEVEL_2_1 : DML_FEATURE_LEVEL_3_0);
  check_data(check, "InputTensor", input, options);
  check_indices(check, indices, options);
  check_dimension_count(check, "InputTensor", input, options, true);
  check_dimension_count(check, "IndicesTensor", indices, options, true);
  check_sizes(check, "InputTensor", input);
  check_sizes(check, "IndicesTensor", indices);
  const ConstTensorRef addressed = meant(check, "InputTensor", input, "InputDimensionCount", attrs.input_dimension_count);
  const ConstTensorRef tuple = meant(check, "IndicesTensor", indices, "IndicesDimensionCount", attrs.indices_dimension_count);
  const auto least = static_cast<std::int64_t>(std::min(addressed.rank(), tuple.rank()));
  if (attrs.batch_dimension_count < 0 || attrs.batch_dimension_count >= least) {
    check.fail(ErrorCode::axis, cat("BatchDimensionCount must be in [0, min(InputDimensionCount, IndicesDimensionCount)) = [0, ", least,
                                    "), got ", attrs.batch_dimension_count));
  }
  const auto batch = static_cast<std::size_t>(attrs.batch_dimension_count);
  if (!same(slice(addressed.shape, 0, batch), slice(tuple.shape, 0, batch))) {
    check.fail(ErrorCode::shape, cat("the first ", batch, " dimensions of InputTensor ", bracketed(addressed.shape), " and IndicesTensor ",
                                     bracketed(tuple.shape), " must be equal (BatchDimensionCount)"));
  }
  const std::size_t depth = check_depth(check, tuple, addressed.rank() - batch);
  const Dims result = joined(slice(tuple.shape, 0, tuple.rank() - 1), slice(addressed.shape, batch + depth, addressed.rank()));
  return {.name = check.op(),
          .where = tuples(tuple, addressed.shape, index_rule(options), batch),
          .from = addressed,
          .out = check.output(out, input.dtype, result, output_words)};
}

}  // namespace describe

namespace {

DML_FEATURE_LEVEL level_of(std::string_view dialect_op, std::string_view word) {
  for (const Level& row : levels) {
    if (row.name == word) return row.level;
  }
  throw Error(ErrorCode::argument, cat(dialect_op, ": feature_level must be one of 1_0 to 6_4, got \"", word, "\""));
}
struct RangeWord {
  std::string_view name;
  OutOfRange out_of_range;
};
constexpr RangeWord ranges[] = {{"error", OutOfRange::error}, {"clamp", OutOfRange::clamp}};
OutOfRange out_of_range_of(std::string_view dialect_op, std::string_view word) {
  for (const RangeWord& row : ranges) {
    if (row.name == word) return row.out_of_range;
  }
  throw Error(ErrorCode::argument, cat(dialect_op, ": out_of_range must be error or clamp, got \"", word, "\""));
}
Options options_of(std::string_view dialect_op, const Arguments& args) {
  return {.feature_level = level_of(dialect_op, args.word("feature_level")),
          .out_of_range = out_of_range_of(dialect_op, args.word("out_of_range"))};
}
NdAttrs nd_attrs(std::string_view dialect_op, const Arguments& args) {
  return {.input_dimension_count = args.optional_integer("input_dimension_count"),
          .indices_dimension_count = args.optional_integer("indices_dimension_count"),
          .options = options_of(dialect_op, args)};
}

constexpr Parameter input{"input", Parameter::tensor}, indices_parameter{"indices", Parameter::indices},
    updates_parameter{"updates", Parameter::updates};
constexpr auto level_names = names_in(levels);
constexpr auto range_names = names_in(ranges);
constexpr Parameter axis_parameter = keyword({"axis", Parameter::integer}),
                    level_parameter = one_of(level_names, keyword({"feature_level", Parameter::word, "3_0"})),
                    range_parameter = one_of(range_names, keyword({"out_of_range", Parameter::word, "error"}));
constexpr Parameter input_count = keyword({"input_dimension_count", Parameter::integer, "none"}),
                    indices_count = keyword({"indices_dimension_count", Parameter::integer, "none"});
constexpr Parameter scatter_nd_parameters[] = {input,         indices_parameter, updates_parameter, input_count,
                                               indices_count, level_parameter,   range_parameter};
constexpr Parameter scatter_parameters[] = {input, indices_parameter, updates_parameter, axis_parameter, level_parameter, range_parameter};
constexpr Parameter gather_elements_parameters[] = {input, indices_parameter, axis_parameter, level_parameter, range_parameter};
constexpr Parameter gather_nd_parameters[] = {
    input,           indices_parameter, input_count, indices_count, keyword({"batch_dimension_count", Parameter::integer, "0"}),
    level_parameter, range_parameter};
constexpr DtypeSet any_level = floats | small_integers | wide;

// The trailing sizes that the operator uses, of a shape that may be invalid.
Dims trailing(const Dims& shape, const std::optional<std::int64_t>& count) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  return Dims(slice(shape, static_cast<std::size_t>(rank - std::clamp<std::int64_t>(count.value_or(rank), 0, rank)), shape.size()));
}

constexpr Operator list[] = {
    {"directml", "scatter_nd", scatter_nd_parameters, any_level, indices_3_0, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter_nd(out, args.tensor("input"), args.tensor("indices"), args.tensor("updates"),
                                     nd_attrs("directml.scatter_nd", args));
       });
     },
     "A copy of input with updates over the slices that indices name (DML_SCATTER_ND).",
     [](const Arguments& args) {
       return updates_of_tuples(trailing(args.tensor("indices").shape, args.optional_integer("indices_dimension_count")),
                                trailing(args.tensor("input").shape, args.optional_integer("input_dimension_count")));
     }},
    {"directml", "scatter", scatter_parameters, any_level, indices_3_0, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::scatter(out, args.tensor("input"), args.tensor("indices"), args.tensor("updates"),
                                  {.axis = args.integer("axis"), .options = options_of("directml.scatter", args)});
       });
     },
     "A copy of input with updates where indices point along axis (DML_SCATTER).",
     [](const Arguments& args) { return args.tensor("indices").shape; }},
    {"directml", "gather_elements", gather_elements_parameters, any_level, indices_3_0, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       return any_op([&] {
         return describe::gather_elements(out, args.tensor("input"), args.tensor("indices"),
                                          {.axis = args.integer("axis"), .options = options_of("directml.gather_elements", args)});
       });
     },
     "The elements of input to which indices point along axis (DML_GATHER_ELEMENTS)."},
    {"directml", "gather_nd", gather_nd_parameters, any_level, indices_3_0, false,
     [](const TensorRef& out, const Arguments& args) -> AnyOp {
       NdAttrs attrs = nd_attrs("directml.gather_nd", args);
       attrs.batch_dimension_count = args.integer("batch_dimension_count");
       return describe::gather_nd(out, args.tensor("input"), args.tensor("indices"), attrs);
     },
     "The slices of input that indices name (DML_GATHER_ND1)."},
};

}  // namespace

}  // namespace strew::inline v0::directml

namespace strew::internal {

std::span<const Operator> directml_operators() { return directml::list; }

}  // namespace strew::internal
