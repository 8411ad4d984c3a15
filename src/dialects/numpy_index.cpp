// Resolves the parts of an index expression in order: the axes they consume, and the shape of the result.
#include "dialects/numpy_index.h"

#include <algorithm>

#include "base/checked.h"
#include "core/copy.h"
#include "core/core.h"
#include "dialects/views.h"
#include "strategies/blocks.h"

namespace strew::internal::numpy {
namespace {

constexpr bool yes = true, no = false;

bool is_mask(const ConstTensorRef& tensor) { return tensor.dtype == Dtype::bool_; }
bool is_scalar_index(const ConstTensorRef& tensor) { return tensor.rank() == 0 && !is_mask(tensor); }

// A bool is a mask of rank 0.
ConstTensorRef mask_of(bool value) { return {value ? &yes : &no, Dtype::bool_, {}}; }

// Advanced indices are tensors and bools. Integers, also as rank-0 tensors, are advanced only next to another advanced index.
bool is_advanced(const Index& index) {
  const auto* const tensor = std::get_if<ConstTensorRef>(&index);
  return std::holds_alternative<bool>(index) || (tensor != nullptr && !is_scalar_index(*tensor));
}

// How many axes of `a` a part consumes; an ellipsis consumes the rest.
std::size_t axes_taken(const Index& index) {
  if (const auto* const tensor = std::get_if<ConstTensorRef>(&index)) return is_mask(*tensor) ? tensor->rank() : 1;
  return std::holds_alternative<std::int64_t>(index) || std::holds_alternative<Slice>(index) ? 1 : 0;
}

// Validates the parts; returns the number of axes that an ellipsis consumes.
std::size_t check_parts(const Check& check, std::size_t rank, Key key) {
  std::size_t taken = 0;
  bool has_ellipsis = false;
  for (const Index& index : key) {
    if (const auto* const tensor = std::get_if<ConstTensorRef>(&index)) {
      check.views({{"indices", *tensor}});
      check_view(check.op(), "indices", *tensor);
      if (!is_mask(*tensor) && !is_integer(tensor->dtype))
        check.fail(ErrorCode::index, cat("arrays used as indices must be of integer (or boolean) type, got ", to_string(tensor->dtype)));
    }
    if (std::holds_alternative<Ellipsis>(index)) {
      if (has_ellipsis) check.fail(ErrorCode::index, "an index can only have a single ellipsis ('...')");
      has_ellipsis = true;
    }
    taken += axes_taken(index);
  }
  if (taken > rank)
    check.fail(ErrorCode::index, cat("too many indices for array: array is ", rank, "-dimensional, but ", taken, " were indexed"));
  return rank - taken;
}

void check_mask(const Check& check, const ConstTensorRef& mask, const TensorRef& a, std::size_t axis) {
  for (std::size_t d = 0; d < mask.rank(); ++d) {
    if (mask.shape[d] == a.shape[axis + d]) continue;
    check.fail(ErrorCode::index, cat("boolean index did not match indexed array along axis ", axis + d, "; size of axis is ",
                                     a.shape[axis + d], " but size of corresponding boolean axis is ", mask.shape[d]));
  }
}

void move(TensorRef& view, std::size_t axis, std::int64_t by) {
  if (view.data != nullptr)
    view.data = static_cast<std::byte*>(view.data) + wrapping_mul(by, wrapping_mul(view.strides[axis], size_of(view.dtype)));
}

void take_integer(const Check& check, TensorRef& view, std::size_t axis, std::int64_t index) {
  const std::int64_t size = view.shape[axis], at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) {
    const std::string valid = size == 0 ? "no index is valid" : cat("valid: ", -size, "..", size - 1);
    throw Error(cat(check.op(), ": index ", index, " is out of bounds for axis ", axis, " with size ", size, " (", valid, ")"),
                BadIndex{index, {}, static_cast<int>(axis), size, 1});
  }
  move(view, axis, at);
  view.shape[axis] = 1;
}

// Bounds beyond the axis are clamped, as in Python.
void take_slice(const Check& check, TensorRef& view, std::size_t axis, const Slice& slice) {
  const std::int64_t size = view.shape[axis], step = slice.step.value_or(1);
  if (step == 0) check.fail(ErrorCode::shape, "slice step cannot be zero");
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto within = [&](std::optional<std::int64_t> end, std::int64_t otherwise) {
    return end ? std::clamp(*end < 0 ? *end + size : *end, low, high) : otherwise;
  };
  const std::int64_t start = within(slice.start, step > 0 ? low : high), stop = within(slice.stop, step > 0 ? high : low);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  // Unsigned, because the most negative step has no positive counterpart.
  const auto stride = static_cast<std::uint64_t>(step > 0 ? step : wrapping_mul(step, -1));
  const std::int64_t length = distance <= 0 ? 0 : static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride) + 1;
  if (length > 0) move(view, axis, start);
  if (length > 1) view.strides[axis] = wrapping_mul(view.strides[axis], step);
  view.shape[axis] = length;
}

std::int64_t integer_in(const Check& check, const ConstTensorRef& tensor) {
  const std::int64_t value = read_index(tensor.dtype, Negative::wrap, static_cast<const std::byte*>(tensor.data), 1).value;
  if (tensor.dtype == Dtype::uint64 && value < 0)
    check.fail(ErrorCode::index, cat("index ", static_cast<std::uint64_t>(value), " is too large to convert to int64"));
  return value;
}

// Calls use(coordinates) for every true element.
template <class Use>
void each_true(const ConstTensorRef& mask, Use use) {
  Dims all = mask.shape;
  all.push_back(1);  // so that each_run visits every dimension
  const auto* const data = static_cast<const std::byte*>(mask.data);
  each_run(all, [&](const Coordinates& at) {
    if (data[dot(at, mask.strides)] != std::byte{0}) use(at);
    return true;
  });
}

// Broadcast repeats of the mask are read once.
std::int64_t count_true(const ConstTensorRef& mask) {
  std::int64_t count = 0;
  const ConstTensorRef own = without_repeats(mask);
  each_true(own, [&](const Coordinates&) { ++count; });
  if (count == 0) return 0;
  for (std::size_t d = 0; d < mask.rank(); ++d) count = saturating_mul(count, mask.shape[d] / own.shape[d]);
  return count;
}

// One column of coordinates for each dimension of the mask. The mask may change concurrently, so at most `count` are stored.
Tensor coordinates_of(const ConstTensorRef& mask) {
  const std::int64_t count = count_true(mask);
  const auto rank = static_cast<std::int64_t>(mask.rank());
  Tensor columns = Tensor::zeros(Dtype::int64, {rank, count});
  std::int64_t* const values = columns.values<std::int64_t>().data();
  std::int64_t next = 0;
  each_true(mask, [&](const Coordinates& at) {
    if (next == count) return;
    for (std::int64_t d = 0; d < rank; ++d) values[d * count + next] = at[static_cast<std::size_t>(d)];
    ++next;
  });
  return columns;
}

constexpr std::int64_t zero = 0;

// Whether only the number of true elements of a mask matters: there is nothing to write, or the output repeats elements and will be
// rejected. The mask's shape then does not bound the memory of its columns.
bool has_no_places(const TensorRef& a) {
  if (a.data == nullptr || is_empty(a.shape)) return true;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (a.strides[d] == 0 && a.shape[d] > 1) return true;
  }
  return false;
}

// Calls use(part, axis) with the first axis of each part.
template <class Use>
void each_part(Key key, std::size_t ellipsis_axes, Use use) {
  std::size_t axis = 0;
  for (const Index& index : key) {
    use(index, axis);
    axis += std::holds_alternative<Ellipsis>(index) ? ellipsis_axes : axes_taken(index);
  }
}

// The part of `a` that integers and slices select. It keeps the rank: integers leave axes of size 1.
TensorRef narrowed(const Check& check, const TensorRef& a, Key key, std::size_t ellipsis_axes) {
  TensorRef view = a;
  each_part(key, ellipsis_axes, [&](const Index& index, std::size_t axis) {
    const auto* const tensor = std::get_if<ConstTensorRef>(&index);
    if (const auto* const integer = std::get_if<std::int64_t>(&index)) take_integer(check, view, axis, *integer);
    if (const auto* const slice = std::get_if<Slice>(&index)) take_slice(check, view, axis, *slice);
    if (tensor != nullptr && is_scalar_index(*tensor)) take_integer(check, view, axis, integer_in(check, *tensor));
  });
  return view;
}

// Processes the parts, axis by axis, on a view that integers and slices have narrowed.
class Resolver {
 public:
  Resolver(const Check& check, const TensorRef& view, Key key, Kept& kept)
      : check_(check), kept_(kept), has_advanced_(std::any_of(key.begin(), key.end(), is_advanced)), only_counts_(has_no_places(view)) {
    x_.view = view;
    x_.where = empty_addressing();
  }

  void operator()(std::int64_t) {
    if (has_advanced_) add_advanced();
    add_row(-1);
  }
  void operator()(bool value) { (*this)(mask_of(value)); }
  void operator()(const Slice&) { add_dimension(); }
  void operator()(Ellipsis) {
    is_apart_ = true;
    for (std::size_t left = ellipsis_axes; left > 0; --left) add_dimension();
  }
  void operator()(NewAxis) {
    is_apart_ = true;
    x_.shape.push_back(1);
  }
  void operator()(const ConstTensorRef& tensor) {
    if (is_scalar_index(tensor)) {
      (*this)(std::int64_t{0});
      return;
    }
    add_advanced();
    if (!is_mask(tensor)) {
      add_column(tensor);
      return;
    }
    if (only_counts_) {
      const std::int64_t count = count_true(tensor);
      for (std::size_t d = 0; d < tensor.rank(); ++d) add_column({&zero, Dtype::int64, {count}, {0}});
      if (tensor.rank() == 0) shapes_.push_back({count});
      return;
    }
    const ConstTensorRef columns = std::as_const(kept_.emplace_back(coordinates_of(tensor)));
    const auto* const data = static_cast<const std::int64_t*>(columns.data);
    const std::int64_t count = columns.shape[1];
    for (std::size_t d = 0; d < tensor.rank(); ++d) add_column({data + static_cast<std::int64_t>(d) * count, Dtype::int64, {count}});
    if (tensor.rank() == 0) shapes_.push_back({count});
  }

  Indexed finish() {
    x_.where.points = broadcast_indices(check_, shapes_);
    const Dims& points = x_.where.points;
    for (ConstTensorRef& column : x_.where.columns) column = as_column(column, points);
    if (!stay_together_) x_.points_at = 0;
    const Sizes before = slice(x_.shape, 0, x_.points_at), after = slice(x_.shape, x_.points_at, x_.shape.size());
    x_.shape = joined(joined(before, points), after);
    for (int& at : x_.row_at) {
      if (at >= static_cast<int>(x_.points_at)) at += static_cast<int>(points.size());
    }
    if (x_.shape.size() > max_rank)
      check_.fail(ErrorCode::index,
                  cat("number of dimensions must be within [0, ", max_rank, "], indexing result would have ", x_.shape.size()));
    return std::move(x_);
  }

  std::size_t ellipsis_axes = 0;

 private:
  // The points take the position of the first advanced index, or come first if basic indices separate two advanced ones.
  void add_advanced() {
    if (seen_advanced_ && is_apart_) stay_together_ = false;
    if (!seen_advanced_) x_.points_at = x_.shape.size();
    seen_advanced_ = true;
    is_apart_ = false;
  }
  void add_column(const ConstTensorRef& column) {
    shapes_.push_back(column.shape);
    x_.where.axes.push_back({Axis::column, static_cast<std::uint8_t>(x_.where.columns.size())});
    x_.where.columns.push_back(column);
    ++axis_;
  }
  void add_row(int at) {
    x_.where.axes.push_back({Axis::row, static_cast<std::uint8_t>(x_.where.row.size())});
    x_.where.row.push_back(x_.view.shape[axis_]);
    x_.row_at.push_back(at);
    ++axis_;
  }
  void add_dimension() {
    is_apart_ = true;
    x_.shape.push_back(x_.view.shape[axis_]);
    add_row(static_cast<int>(x_.shape.size()) - 1);
  }

  const Check& check_;
  Kept& kept_;
  Indexed x_;
  SmallVector<Dims, 8> shapes_;  // of the advanced indices
  std::size_t axis_ = 0;
  bool has_advanced_, only_counts_;
  bool seen_advanced_ = false, is_apart_ = false, stay_together_ = true;
};

}  // namespace

Indexed indexed(const Check& check, const TensorRef& a, Key key, Kept& kept) {
  const std::size_t ellipsis_axes = check_parts(check, a.rank(), key);
  bool has_ellipsis = false;
  each_part(key, ellipsis_axes, [&](const Index& index, std::size_t axis) {
    const auto* const tensor = std::get_if<ConstTensorRef>(&index);
    if (tensor != nullptr && is_mask(*tensor)) check_mask(check, *tensor, a, axis);
    has_ellipsis = has_ellipsis || std::holds_alternative<Ellipsis>(index);
  });
  Resolver resolve(check, narrowed(check, a, key, ellipsis_axes), key, kept);
  resolve.ellipsis_axes = ellipsis_axes;
  for (const Index& index : key) std::visit(resolve, index);
  if (!has_ellipsis) resolve(Ellipsis{});
  return resolve.finish();
}

SmallVector<Index, 2> without_memory(Key key) {
  SmallVector<Index, 2> parts;
  for (const Index& index : key) {
    const auto* const tensor = std::get_if<ConstTensorRef>(&index);
    if (tensor == nullptr) {
      parts.push_back(index);
    } else if (is_scalar_index(*tensor)) {
      parts.push_back(read_index(tensor->dtype, Negative::wrap, static_cast<const std::byte*>(tensor->data), 1).value);
    } else if (!is_mask(*tensor)) {
      parts.push_back(stand_in(tensor->dtype, tensor->shape));
    } else {
      const std::int64_t count = count_true(*tensor);
      for (std::size_t d = 0; d < tensor->rank(); ++d) parts.push_back(stand_in(Dtype::int64, {count}));
      if (tensor->rank() == 0) parts.push_back(ConstTensorRef(count == 0 ? &no : &yes, Dtype::bool_, {}));
    }
  }
  return parts;
}

ConstTensorRef in_order(const Indexed& x, const ConstTensorRef& source) {
  ConstTensorRef view;
  view.data = source.data;
  view.dtype = source.dtype;
  view.shape = joined(x.where.points, x.where.row);
  for (std::size_t d = 0; d < x.where.points.size(); ++d) view.strides.push_back(source.strides[x.points_at + d]);
  for (const int at : x.row_at) view.strides.push_back(at < 0 ? 0 : source.strides[static_cast<std::size_t>(at)]);
  return view;
}

std::string tuple_text(const Dims& dims) {
  std::string text;
  for (const std::int64_t size : dims) append(text, cat(text.empty() ? "" : ",", size));
  return cat("(", text, dims.size() == 1 ? ",)" : ")");
}

Dims broadcast_indices(const Check& check, const SmallVector<Dims, 8>& shapes) {
  std::size_t rank = 0;
  for (const Dims& shape : shapes) rank = std::max(rank, shape.size());
  Dims together(rank, 1);
  bool fits = true;
  for (const Dims& shape : shapes) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::int64_t& size = together[rank - shape.size() + d];
      fits = fits && (size == 1 || shape[d] == 1 || size == shape[d]);
      if (size == 1) size = shape[d];
    }
  }
  if (fits) return together;
  std::string texts;
  for (const Dims& shape : shapes) append(texts, cat(" ", tuple_text(shape)));
  check.fail(ErrorCode::index, cat("shape mismatch: indexing arrays could not be broadcast together with shapes", texts));
}

ConstTensorRef as_column(const ConstTensorRef& indices, const Dims& points) {
  ConstTensorRef column = broadcast(indices, points);
  if (column.dtype == Dtype::uint64) column.dtype = Dtype::int64;
  return column;
}

Addressing empty_addressing() {
  Addressing where;
  where.negative = Negative::wrap;
  return where;
}

}  // namespace strew::internal::numpy
