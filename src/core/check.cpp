// Validates an op: if it passes, and indices are checked, no access can leave its tensor.
#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"
#include "core/view.h"

namespace strew::internal {
namespace {

constexpr std::int64_t one[] = {1};

[[noreturn]] void reject(const char* op, ErrorCode code, std::string_view sentence) { throw Error(code, cat(op, ": ", sentence)); }

enum class Flaw : std::uint8_t { none, dtype, rank, strides, size, bytes, reach, address, null, alignment };

[[noreturn, gnu::cold, gnu::noinline]] void reject_view(const char* op, const char* argument, const View& view, Flaw flaw) {
  const auto sentence = [&]() -> std::string {
    const std::string shape = bracketed(view.shape);
    switch (flaw) {
      case Flaw::dtype: return cat(": there is no dtype ", static_cast<int>(view.dtype));
      case Flaw::rank: return cat(": rank must be at most ", max_rank, ", got ", view.rank());
      case Flaw::strides: return cat(": strides must have one entry per dimension, got ", view.strides.size(), " for shape ", shape);
      case Flaw::size: return cat(": sizes must be >= 0, got shape ", shape);
      case Flaw::bytes: return cat(": shape ", shape, " would have more than 2**63 - 1 bytes");
      case Flaw::reach: return cat(": strides ", bracketed(view.strides), " of shape ", shape, " would reach further than 2**63 - 1 bytes");
      case Flaw::address: return cat(": strides ", bracketed(view.strides), " of shape ", shape, " would leave the address space");
      case Flaw::null: return cat(": data is null, but shape ", shape, " has elements");
      case Flaw::alignment: return cat(": strings must be aligned to ", alignof(std::string), " bytes");
      case Flaw::none: break;
    }
    return "";
  };
  reject(op, flaw == Flaw::dtype ? ErrorCode::dtype : ErrorCode::shape, cat(argument, sentence()));
}

// Checks that sizes, their product and the reach of the strides in bytes fit, and that data is not null unless there are no elements.
[[gnu::noinline]] Flaw find_flaw(const View& view, bool needs_memory, Extent& extent) {
  if (view.dtype > Dtype::string) return Flaw::dtype;
  if (view.rank() > max_rank) return Flaw::rank;
  if (view.strides.size() != view.rank()) return Flaw::strides;
  std::int64_t count = 1, smallest = 1, low = 0, high = 1;  // `low` and `high` in elements
  bool too_many = false, too_far = false;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    const std::int64_t size = view.shape[d], stride = view.strides[d];
    smallest = std::min(smallest, size);
    if (size <= 1) continue;
    too_many |= __builtin_mul_overflow(count, size, &count);
    std::int64_t reach = 0;
    too_far |= __builtin_mul_overflow(stride, size - 1, &reach);
    too_far |= reach < 0 ? __builtin_add_overflow(low, reach, &low) : __builtin_add_overflow(high, reach, &high);
  }
  const std::int64_t element = size_of(view.dtype);
  std::int64_t bytes = 0, span = 0;
  too_many |= __builtin_mul_overflow(count, element, &bytes);
  too_far |= __builtin_sub_overflow(high, low, &span);
  too_far |= __builtin_mul_overflow(span, element, &span);
  if (smallest < 0) return Flaw::size;
  if (too_many) return Flaw::bytes;
  if (too_far) return Flaw::reach;
  const bool empty = smallest == 0;
  if (view.data == nullptr && needs_memory && !empty) return Flaw::null;
  // Every other type is read and written byte by byte.
  if (view.dtype == Dtype::string && reinterpret_cast<std::uintptr_t>(view.data) % alignof(std::string) != 0) return Flaw::alignment;
  extent = {};
  if (empty) return Flaw::none;
  // Bytes before and after the first element; without data there is no address space to leave.
  const auto first = reinterpret_cast<std::uintptr_t>(view.data), before = static_cast<std::uintptr_t>(-(low * element));
  const std::uintptr_t behind = static_cast<std::uintptr_t>(span) - before;
  if (view.data != nullptr && (!std::in_range<std::uintptr_t>(span) || first < before || behind > UINTPTR_MAX - first))
    return Flaw::address;
  extent.begin = first - before;
  extent.end = first + behind;
  return Flaw::none;
}

// Fast path: nearly every view has elements, evenly spaced in row-major order. Returns false for others.
template <class Ref>
[[gnu::always_inline]] inline bool is_even(const Ref& view, Extent& extent) {
  if (view.dtype >= Dtype::string || view.data == nullptr || view.strides.size() != view.rank() || view.rank() > max_rank) return false;
  const std::int64_t *const shape = view.shape.data(), *const strides = view.strides.data();
  std::size_t d = view.rank();
  while (d > 0 && shape[d - 1] == 1) --d;
  const std::int64_t spacing = d == 0 ? 1 : strides[d - 1];  // from one element to the next
  std::int64_t reach = spacing;                              // from the first to beyond the last
  if (spacing <= 0) return false;
  while (d-- > 0) {
    if (shape[d] == 1) continue;
    if (shape[d] <= 0 || strides[d] != reach || __builtin_mul_overflow(reach, shape[d], &reach)) return false;
  }
  const std::int64_t element = size_of(view.dtype);
  if (__builtin_mul_overflow(reach, element, &reach)) return false;
  reach -= (spacing - 1) * element;
  if (!std::in_range<std::uintptr_t>(reach)) return false;
  extent.begin = reinterpret_cast<std::uintptr_t>(view.data);
  if (__builtin_add_overflow(extent.begin, static_cast<std::uintptr_t>(reach), &extent.end)) return false;
  extent.evenly_spaced = true;
  extent.packed = spacing == 1;
  return true;
}

// Inlined: the call was half of its cost.
template <class Ref>
[[gnu::always_inline]] inline void check_view(const char* op, const char* argument, const Ref& view, bool needs_memory, Extent& extent) {
  if (is_even(view, extent)) return;
  const Flaw flaw = find_flaw(view, needs_memory, extent);
  if (flaw != Flaw::none) reject_view(op, argument, view, flaw);
}

}  // namespace

Extent check_view(const char* op, const char* argument, const View& view, bool needs_memory) {
  Extent extent;
  check_view(op, argument, view, needs_memory, extent);
  return extent;
}

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void reject_joined(const char* op, const char* argument, const Dims& shape,
                                                          const Addressing& where) {
  Dims expected = where.points;
  expected.append(where.row);
  reject(op, ErrorCode::shape, cat(argument, " must have shape ", bracketed(expected), ", got ", bracketed(shape)));
}
inline void check_joined(const char* op, const char* argument, const Dims& shape, const Addressing& where) {
  if (!is_joined(shape, where.points, where.row)) reject_joined(op, argument, shape, where);
}

// The sizes of a scalar source: it has no memory that bounds them.
void check_sizes(const char* op, const Addressing& where) {
  std::int64_t count = 1;
  bool fits = where.points.size() <= max_rank && where.row.size() <= max_rank;
  for (const Dims* sizes : {&where.points, &where.row}) {
    for (const std::int64_t size : *sizes) fits &= size >= 0 && !__builtin_mul_overflow(count, std::max<std::int64_t>(size, 1), &count);
  }
  if (fits) return;
  const std::string points = bracketed(where.points), row = bracketed(where.row);
  reject(op, ErrorCode::shape,
         cat("points of shape ", points, " and rows of shape ", row, " must have sizes >= 0, at most ", max_rank,
             " dimensions each and 2**63 - 1 elements"));
}

// Whether an axis of `size` holds dimension `at` of `sizes`.
bool has_room(const Dims& sizes, std::size_t at, std::int64_t size) { return at < sizes.size() && sizes[at] <= size; }

[[noreturn, gnu::cold, gnu::noinline]] void reject_axis(const char* op, const char* argument, const Addressing& where, std::size_t axis,
                                                        std::int64_t size) {
  const std::size_t at = where.axes[axis].at;
  const auto too_small = [&](const char* from, const Dims& sizes) {
    return cat("must be at least as large as ", from, " ", bracketed(sizes), "[", at, "], got ", size);
  };
  const auto sentence = [&]() -> std::string {
    switch (where.axes[axis].from) {
      case Axis::point: return too_small("points", where.points);
      case Axis::row:
        return has_room(where.row, at, size) ? cat("takes row dimension ", at, " a second time") : too_small("row", where.row);
      case Axis::column: break;
      default: return cat("takes its coordinate from ", static_cast<int>(where.axes[axis].from), ", which its type does not name");
    }
    return at < where.columns.size() ? cat("takes column ", at, " a second time") : cat("takes column ", at, " of ", where.columns.size());
  };
  reject(op, ErrorCode::shape, cat("axis ", axis, " of ", argument, " ", sentence()));
}
[[noreturn, gnu::cold, gnu::noinline]] void reject_rows(const char* op, const char* argument, const Addressing& where) {
  reject(op, ErrorCode::shape, cat("every dimension of row ", bracketed(where.row), " must be an axis of ", argument));
}
[[noreturn, gnu::cold, gnu::noinline]] void reject_columns(const char* op, const char* argument) {
  reject(op, ErrorCode::shape, cat("every column of indices must be an axis of ", argument));
}

// Marks item `at` of `count` in the bit set `taken`. Returns false if it does not exist or was marked already.
bool take(std::size_t at, std::size_t count, std::uint64_t& taken) {
  if (at >= count || (taken >> at & 1) != 0) return false;
  taken |= std::uint64_t{1} << at;
  return true;
}
bool all_taken(std::size_t count, std::uint64_t taken) { return count == 0 || taken == ~std::uint64_t{0} >> (max_rank - count); }

// Checks that each axis takes its coordinate from an existing source, whose size it can hold.
inline void check_axes(const char* op, const Addressing& where, const char* argument, Sizes shape) {
  if (where.row.size() > shape.size()) reject_rows(op, argument, where);
  if (where.columns.size() > shape.size()) reject_columns(op, argument);
  std::uint64_t rows = 0, columns = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t at = where.axes[d].at;
    bool fine = true;
    switch (where.axes[d].from) {
      case Axis::point: fine = has_room(where.points, at, shape[d]); break;
      case Axis::row: fine = has_room(where.row, at, shape[d]) && take(at, where.row.size(), rows); break;
      case Axis::column: fine = take(at, where.columns.size(), columns); break;
    }
    if (!fine || where.axes[d].from > Axis::row) reject_axis(op, argument, where, d, shape[d]);
  }
  if (!all_taken(where.row.size(), rows)) reject_rows(op, argument, where);
  if (!all_taken(where.columns.size(), columns)) reject_columns(op, argument);
}

[[gnu::always_inline]] inline void check_addressing(const char* op, const Addressing& where, const char* argument, const Dims& own_shape,
                                                    Extents& extents) {
  const bool as_vector = own_shape.empty() && where.axes.size() == 1;  // promote_rank_zero
  const Sizes shape = as_vector ? Sizes(one) : Sizes(own_shape);
  if (where.axes.size() != shape.size())
    reject(op, ErrorCode::shape, cat(argument, " must have ", where.axes.size(), " axes, got shape ", bracketed(shape)));
  if (where.negative > Negative::wrap || where.out_of_range > OutOfRange::clamp) {
    reject(op, ErrorCode::argument, "the addressing has a value that its type does not name");
  }
  check_axes(op, where, argument, shape);
  for (const ConstTensorRef& column : where.columns) {
    check_view(op, where.words.argument, column, true, extents.columns.emplace_back());
    if (!is_integer(column.dtype))
      reject(op, ErrorCode::dtype, cat(where.words.argument, " must be integers, got ", to_string(column.dtype)));
    if (!same(column.shape, where.points))
      reject(op, ErrorCode::shape,
             cat(where.words.argument, " must have the shape of the points ", bracketed(where.points), ", got ", bracketed(column.shape)));
  }
}

}  // namespace

// Whether a fold can begin and finish on an element type.
static bool can_begin_and_finish(const Fold& fold, Dtype dtype) {
  if (!needs_accumulators(fold, dtype)) return true;
  const Dtype accumulator = accumulator_of(fold, dtype);
  if (fold.begin == FoldBegin::identity && identity_kernel(fold.step, fold.compare, accumulator) == nullptr) return false;
  return finish_kernel(fold.finish, dtype, accumulator) != nullptr;
}

static bool is_known(const Fold& fold) {
  return static_cast<std::size_t>(fold.step) < std::size(reduction_names) && fold.begin <= FoldBegin::first &&
         fold.finish <= FoldFinish::mean && fold.round <= FoldRound::at_finish && fold.compare <= FoldCompare::lexical;
}

void check_scalar(const char* op, const char* argument, const Scalar& scalar) {
  if (scalar.dtype > Dtype::string) reject(op, ErrorCode::dtype, cat(argument, ": there is no dtype ", static_cast<int>(scalar.dtype)));
  if (scalar.dtype == Dtype::string) reject(op, ErrorCode::dtype, cat(argument, " cannot be a string; a tensor of strings can"));
}
// Whether updates of a type can step the output: its own type, or one in which the steps are computed and then cast back.
static bool can_step(const ScatterOp& op, Dtype updates) {
  if (updates == op.out.dtype) return true;
  const bool is_plain = !needs_accumulators(op.fold, op.out.dtype) && !op.scale;
  if (!is_plain || updates > Dtype::string || size_of(updates) < size_of(op.out.dtype)) return false;
  return step_kernel(op.fold.step, op.fold.compare, updates, op.out.dtype) != nullptr;
}

Extents check_form(const ScatterOp& op, bool needs_memory) {
  Extents extents;
  check_view(op.name, std::holds_alternative<InPlace>(op.base) ? op.name.input : "out", op.out, needs_memory, extents.out);
  check_addressing(op.name, op.where, "out", op.out.shape, extents);
  const Fold& fold = op.fold;
  if (!is_known(fold)) reject(op.name, ErrorCode::argument, "the fold has a value that its type does not name");
  if (op.scale) check_scalar(op.name, "the scale", *op.scale);
  if (op.scalar) {
    check_scalar(op.name, "the number", *op.scalar);
    check_sizes(op.name, op.where);
    if (!can_step(op, op.scalar->dtype))
      reject(op.name, ErrorCode::dtype, cat("the number must be ", to_string(op.out.dtype), ", got ", to_string(op.scalar->dtype)));
  } else {
    check_view(op.name, op.name.updates, op.updates, true, extents.updates);
    if (!can_step(op, op.updates.dtype))
      reject(op.name, ErrorCode::dtype, cat("updates must be ", to_string(op.out.dtype), ", got ", to_string(op.updates.dtype)));
    check_joined(op.name, op.name.updates, op.updates.shape, op.where);
  }
  if (const auto* base = std::get_if<ConstTensorRef>(&op.base)) {
    check_view(op.name, op.name.input, *base, true, extents.input);
    if (base->dtype != op.out.dtype)
      reject(op.name, ErrorCode::dtype, cat("out must be ", to_string(base->dtype), ", got ", to_string(op.out.dtype)));
    if (!(base->shape == op.out.shape))
      reject(op.name, ErrorCode::shape, cat("out must have shape ", bracketed(base->shape), ", got ", bracketed(op.out.shape)));
  }
  if (op.scale && (op.scale->dtype != op.out.dtype || op.scalar))
    reject(op.name, ErrorCode::dtype, cat("the scale must be ", to_string(op.out.dtype), " and the updates a tensor"));
  const bool scales = !op.scale || step_kernel(Reduction::mul, FoldCompare::keep_out, op.out.dtype, op.out.dtype) != nullptr;
  const Dtype updates = op.scalar ? op.scalar->dtype : op.updates.dtype;
  extents.step = step_kernel(fold.step, fold.compare, updates, accumulator_of(fold, op.out.dtype));
  if (extents.step == nullptr || !can_begin_and_finish(fold, op.out.dtype) || !scales) {
    const std::string_view reduction = op.fold.finish == FoldFinish::mean ? "mean" : to_string(op.fold.step);
    reject(op.name, ErrorCode::unsupported, cat(reduction, " is not defined for ", to_string(op.out.dtype)));
  }
  return extents;
}

Extents check_form(const GatherOp& op, bool needs_memory) {
  Extents extents;
  check_view(op.name, op.name.input, op.from, true, extents.input);
  check_view(op.name, "out", op.out, needs_memory, extents.out);
  check_addressing(op.name, op.where, op.name.input, op.from.shape, extents);
  if (op.out.dtype != op.from.dtype)
    reject(op.name, ErrorCode::dtype, cat("out must be ", to_string(op.from.dtype), ", got ", to_string(op.out.dtype)));
  check_joined(op.name, "out", op.out.shape, op.where);
  return extents;
}

}  // namespace strew::internal

namespace strew::inline v0 {

void validate(const ScatterOp& op) { internal::check_form(op, true); }
void validate(const GatherOp& op) { internal::check_form(op, true); }

bool supports(const Fold& fold, Dtype dtype) {
  if (!internal::is_known(fold) || dtype > Dtype::string) return false;
  return internal::step_kernel(fold.step, fold.compare, dtype, internal::accumulator_of(fold, dtype)) != nullptr &&
         internal::can_begin_and_finish(fold, dtype);
}

}  // namespace strew::inline v0
