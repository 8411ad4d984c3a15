// Proves that an op is well formed: with this and checked indices no access can leave its tensor.
#include <algorithm>
#include <bitset>

#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"
#include "core/view.h"

namespace strew {
namespace {

const Dims one{1};

[[noreturn]] void refuse(const char* op, ErrorCode code, const std::string& sentence) { throw Error(code, cat(op, ": ", sentence)); }

// Sizes, their product and the reach of the strides in bytes all fit; there is memory where there are elements.
void check_view(const char* op, std::string_view argument, const View& view, bool needs_memory = true) {
  if (view.dtype > Dtype::string) refuse(op, ErrorCode::dtype, cat(argument, ": there is no dtype ", static_cast<int>(view.dtype)));
  const auto refuse_view = [&](const std::string& sentence) { refuse(op, ErrorCode::shape, cat(argument, sentence)); };
  if (view.rank() > max_rank) refuse_view(cat(": rank must be at most ", max_rank, ", got ", view.rank()));
  if (view.strides.size() != view.rank())
    refuse_view(cat(": strides must have one entry per dimension, got ", view.strides.size(), " for shape ", bracketed(view.shape)));
  std::int64_t count = 1, reach = 0;
  bool fits = true, empty = false;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    const std::int64_t size = view.shape[d];
    if (size < 0) refuse_view(cat(": sizes must be >= 0, got shape ", bracketed(view.shape)));
    empty |= size == 0;
    const std::int64_t stride = view.strides[d] < 0 ? wrapping_mul(view.strides[d], -1) : view.strides[d];
    const auto product = checked_mul(count, std::max<std::int64_t>(size, 1));
    const auto far = stride < 0 ? std::nullopt : checked_mul(stride, std::max<std::int64_t>(size - 1, 0));
    const auto sum = far ? checked_add(reach, *far) : std::nullopt;
    fits = fits && product && sum;
    count = product.value_or(1);
    reach = sum.value_or(0);
  }
  const std::int64_t size = size_of(view.dtype);
  fits = fits && reach < INT64_MAX && checked_mul(count, size) && checked_mul(reach + 1, size);
  if (!fits) refuse_view(cat(": shape ", bracketed(view.shape), " would have more than 2**63 - 1 bytes"));
  if (!empty && needs_memory && view.data == nullptr)
    refuse_view(cat(": data is null, but shape ", bracketed(view.shape), " has elements"));
  // Every other type is read and written byte by byte.
  if (view.dtype == Dtype::string && reinterpret_cast<std::uintptr_t>(view.data) % alignof(std::string) != 0)
    refuse_view(cat(": strings must be aligned to ", alignof(std::string), " bytes"));
}

// Whether a shape is points ++ row.
void check_joined(const char* op, std::string_view argument, const Dims& shape, const Addressing& where) {
  const Dims &points = where.points, &row = where.row;
  const bool match = shape.size() == points.size() + row.size() && std::equal(points.begin(), points.end(), shape.begin()) &&
                     std::equal(row.begin(), row.end(), shape.begin() + points.size());
  if (match) return;
  Dims expected = points;
  expected.append(row);
  refuse(op, ErrorCode::shape, cat(argument, " must have shape ", bracketed(expected), ", got ", bracketed(shape)));
}

// The number of points, or of elements in a row, fits; a source may repeat, so this does not follow from the memory.
void check_counts(const char* op, std::string_view argument, const Dims& points) {
  std::int64_t count = 1;
  bool fits = points.size() <= max_rank;
  for (const std::int64_t size : points) {
    const auto product = checked_mul(count, std::max<std::int64_t>(size, 1));
    fits = fits && size >= 0 && product;
    count = product.value_or(1);
  }
  if (!fits) refuse(op, ErrorCode::shape, cat(argument, " of shape ", bracketed(points), " would be more than 2**63 - 1"));
}

// Each axis takes its coordinate from something that exists and stays below its size.
void check_addressing(const char* op, const Addressing& where, std::string_view argument, const Dims& own_shape) {
  const bool as_vector = own_shape.empty() && where.axes.size() == 1;  // see_as_addressed
  const Dims& shape = as_vector ? one : own_shape;
  const auto refuse_axis = [&](std::size_t axis, std::string_view sentence) {
    refuse(op, ErrorCode::shape, cat("axis ", axis, " of ", argument, " ", sentence));
  };
  if (where.axes.size() != shape.size())
    refuse(op, ErrorCode::shape, cat(argument, " must have ", where.axes.size(), " axes, got shape ", bracketed(shape)));
  if (where.negative > Negative::wrap || where.out_of_range > OutOfRange::clamp) {
    refuse(op, ErrorCode::word, "the addressing has a value that its type does not name");
  }
  if (where.columns.size() > max_rank)
    refuse(op, ErrorCode::shape, cat("there must be at most ", max_rank, " columns of indices, got ", where.columns.size()));
  std::bitset<max_rank> rows_used, columns_used;
  std::size_t rows = 0, columns = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t at = where.axes[d].at;
    switch (where.axes[d].from) {
      case Axis::point:
        if (at >= where.points.size() || where.points[at] > shape[d])
          refuse_axis(d, cat("must be at least as large as points ", bracketed(where.points), "[", at, "], got ", shape[d]));
        break;
      case Axis::row:
        if (at >= where.row.size() || where.row[at] > shape[d])
          refuse_axis(d, cat("must be at least as large as row ", bracketed(where.row), "[", at, "], got ", shape[d]));
        if (rows_used[at]) refuse_axis(d, cat("takes row dimension ", at, " a second time"));
        rows_used.set(at);
        ++rows;
        break;
      case Axis::column:
        if (at >= where.columns.size()) refuse_axis(d, cat("takes column ", at, " of ", where.columns.size()));
        if (columns_used[at]) refuse_axis(d, cat("takes column ", at, " a second time"));
        columns_used.set(at);
        ++columns;
        break;
    }
  }
  if (rows != where.row.size())
    refuse(op, ErrorCode::shape, cat("every dimension of row ", bracketed(where.row), " must be an axis of ", argument));
  if (columns != where.columns.size()) refuse(op, ErrorCode::shape, cat("every column of indices must be an axis of ", argument));
  for (const ConstTensorRef& column : where.columns) {
    check_view(op, where.words.argument, column);
    if (!is_integer(column.dtype)) refuse(op, ErrorCode::dtype, cat(where.words.argument, " must be integers, got ", name(column.dtype)));
    if (!(column.shape == where.points))
      refuse(op, ErrorCode::shape,
             cat(where.words.argument, " must have the shape of the points ", bracketed(where.points), ", got ", bracketed(column.shape)));
  }
}

}  // namespace

Dtype accumulator_of(const Fold& fold, Dtype dtype) {
  const bool is_16_bit = dtype == Dtype::float16 || dtype == Dtype::bfloat16;
  const bool is_wide = fold.round == Round::at_finish && is_16_bit && (fold.step == Reduction::add || fold.step == Reduction::mul);
  return is_wide ? Dtype::float32 : dtype;
}

bool needs_accumulators(const Fold& fold, Dtype dtype) {
  return fold.begin != Begin::current || fold.finish != Finish::keep || accumulator_of(fold, dtype) != dtype;
}

bool supports(const Fold& fold, Dtype dtype) {
  const Dtype accumulator = accumulator_of(fold, dtype);
  if (step_kernel(fold.step, fold.compare, dtype, accumulator) == nullptr) return false;
  if (!needs_accumulators(fold, dtype)) return true;
  if (fold.begin == Begin::identity && identity_kernel(fold.step, fold.compare, accumulator) == nullptr) return false;
  return finish_kernel(fold.finish, dtype, accumulator) != nullptr;
}

void check_form(const ScatterOp& op, bool needs_memory) {
  check_counts(op.name, "points", op.where.points);
  check_counts(op.name, "a row", op.where.row);
  check_view(op.name, "out", op.out, needs_memory);
  check_addressing(op.name, op.where, "out", op.out.shape);
  if (op.scalar) {
    if (op.scalar->dtype != op.out.dtype)
      refuse(op.name, ErrorCode::dtype, cat("the number must be ", name(op.out.dtype), ", got ", name(op.scalar->dtype)));
  } else {
    check_view(op.name, "updates", op.updates);
    if (op.updates.dtype != op.out.dtype)
      refuse(op.name, ErrorCode::dtype, cat("updates must be ", name(op.out.dtype), ", got ", name(op.updates.dtype)));
    check_joined(op.name, "updates", op.updates.shape, op.where);
  }
  const Fold& fold = op.fold;
  const bool known = fold.step <= Reduction::max && fold.begin <= Begin::first && fold.finish <= Finish::mean &&
                     fold.round <= Round::at_finish && fold.compare <= Compare::propagate;
  if (!known) refuse(op.name, ErrorCode::word, "the fold has a value that its type does not name");
  if (const auto* base = std::get_if<ConstTensorRef>(&op.base)) {
    check_view(op.name, "base", *base);
    if (base->dtype != op.out.dtype)
      refuse(op.name, ErrorCode::dtype, cat("out must be ", name(base->dtype), ", got ", name(op.out.dtype)));
    if (!(base->shape == op.out.shape))
      refuse(op.name, ErrorCode::shape, cat("out must have shape ", bracketed(base->shape), ", got ", bracketed(op.out.shape)));
  }
  if (op.scale && (op.scale->dtype != op.out.dtype || op.scalar))
    refuse(op.name, ErrorCode::dtype, cat("the scale must be ", name(op.out.dtype), " and the updates a tensor"));
  const bool scales = !op.scale || step_kernel(Reduction::mul, Compare::keep_out, op.out.dtype, op.out.dtype) != nullptr;
  if (!supports(op.fold, op.out.dtype) || !scales) {
    const std::string_view reduction = op.fold.finish == Finish::mean ? "mean" : name(op.fold.step);
    refuse(op.name, ErrorCode::unsupported, cat(reduction, " is not defined for ", name(op.out.dtype)));
  }
}

void check_form(const GatherOp& op, bool needs_memory) {
  check_counts(op.name, "points", op.where.points);
  check_counts(op.name, "a row", op.where.row);
  check_view(op.name, "from", op.from);
  check_view(op.name, "out", op.out, needs_memory);
  check_addressing(op.name, op.where, "from", op.from.shape);
  if (op.out.dtype != op.from.dtype)
    refuse(op.name, ErrorCode::dtype, cat("out must be ", name(op.from.dtype), ", got ", name(op.out.dtype)));
  check_joined(op.name, "out", op.out.shape, op.where);
}

void check(const ScatterOp& op) { check_form(op, true); }
void check(const GatherOp& op) { check_form(op, true); }

}  // namespace strew
