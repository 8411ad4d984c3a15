// Rewrites indices: vectors and tuples into one index per element, and those into tuples.
#include "compare/forms.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "kernels/types.h"

namespace strew::internal {
namespace {

std::int64_t count_of(const Dims& shape, std::size_t end) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < end; ++d) count *= shape[d];
  return count;
}

bool is_dense(const ConstTensorRef& view) { return view.strides == dense_strides(view.shape); }

class Rewriter {
 public:
  Rewriter(std::deque<Tensor>& made, const std::function<bool(const Rewritten&)>& use) : made_(made), use_(use) {}

  // Each returns false once `use` does.
  bool along(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates, std::int64_t axis) {
    if (indices.rank() == 1 && data.rank() > 1) return rows(data, indices, updates, axis);
    if (!elements(data, indices, updates, axis)) return false;
    if (indices.rank() == 1 && data.rank() == 1) return rows(data, indices, updates, axis);
    if (indices.rank() != data.rank() || data.rank() == max_rank) return true;
    const ConstTensorRef tuples = with_coordinates(data, indices, axis);
    return use_({IndexForm::tuples, data, tuples, updates}) && use_({IndexForm::keys, data, tuples, updates});
  }

  bool tuples(ConstTensorRef data, const ConstTensorRef& indices, ConstTensorRef updates) {
    if (!use_({IndexForm::tuples, data, indices, updates})) return false;
    const std::int64_t depth = indices.rank() == 0 ? -1 : indices.shape.back();
    if (depth != 0 && !use_({IndexForm::keys, data, indices, updates})) return false;
    if (depth < 0 || depth > std::min<std::int64_t>(1, static_cast<std::int64_t>(data.rank())) || data.rank() == max_rank) return true;
    const std::size_t points = indices.rank() - 1;
    const std::int64_t count = count_of(indices.shape, points);
    ConstTensorRef index;
    if (depth == 0) {  // each tuple selects the whole of data, as one row
      index = made_.emplace_back(Tensor::zeros(indices.dtype, {count}));
      Dims shape{1}, strides{1};
      shape.append(data.shape);
      strides.append(data.strides);
      data.shape = shape;
      data.strides = strides;
    } else {
      index = reshaped(indices, {count});
    }
    const bool has_points =
        updates.rank() >= points &&
        std::equal(indices.shape.begin(), indices.shape.begin() + static_cast<std::ptrdiff_t>(points), updates.shape.begin());
    if (has_points) {
      Dims shape{count};
      shape.append(Dims(updates.shape.begin() + static_cast<std::ptrdiff_t>(points), updates.shape.end()));
      updates = reshaped(updates, shape);
    }
    return rows(data, index, updates, 0);
  }

 private:
  // Indices have the rank of data.
  bool elements(const ConstTensorRef& data, const ConstTensorRef& indices, const ConstTensorRef& updates, std::int64_t axis) {
    if (!use_({IndexForm::elements, data, indices, updates, axis})) return false;
    if (indices.rank() != data.rank()) return true;
    const std::size_t along = normalized(axis, data.rank());
    ConstTensorRef part = data;
    for (std::size_t d = 0; d < data.rank(); ++d) {
      if (d == along) continue;
      if (indices.shape[d] > data.shape[d]) return true;
      part.shape[d] = indices.shape[d];
    }
    if (!use_({IndexForm::covering_in_place, part, indices, updates, axis})) return false;
    return !(part.shape == data.shape) || use_({IndexForm::covering, data, indices, updates, axis});
  }

  // The index is a vector that selects rows of data along the axis.
  bool rows(const ConstTensorRef& data, const ConstTensorRef& index, const ConstTensorRef& updates, std::int64_t axis) {
    if (!use_({IndexForm::rows, data, index, updates, axis})) return false;
    const std::size_t along = normalized(axis, data.rank());
    if (along == 0) {
      ConstTensorRef single = index;
      single.shape.push_back(1);
      single.strides.push_back(1);
      if (!use_({IndexForm::first_rows, data, index, updates}) || !use_({IndexForm::tuples, data, single, updates})) return false;
    }
    ConstTensorRef repeated = index;
    repeated.shape = data.shape;
    repeated.strides = Dims(data.rank(), 0);
    repeated.shape[along] = index.shape[0];
    repeated.strides[along] = index.strides[0];
    if (!elements(data, repeated, updates, axis)) return false;
    if (along == 0) return true;
    repeated.shape = Dims(repeated.shape.begin(), repeated.shape.begin() + static_cast<std::ptrdiff_t>(along + 1));
    repeated.strides = Dims(repeated.strides.begin(), repeated.strides.begin() + static_cast<std::ptrdiff_t>(along + 1));
    const ConstTensorRef tuples = with_coordinates(data, repeated, static_cast<std::int64_t>(along));
    return use_({IndexForm::tuples, data, tuples, updates}) && use_({IndexForm::keys, data, tuples, updates});
  }

  // Tuples: the position of each index in `indices`, with the index itself as the coordinate on the axis. In the dtype of the indices if
  // that can represent the coordinates.
  ConstTensorRef with_coordinates(const ConstTensorRef& data, const ConstTensorRef& indices, std::int64_t axis) {
    const std::size_t along = normalized(axis, indices.rank());
    const std::int64_t largest = *std::max_element(data.shape.begin(), data.shape.end());
    Tensor* tuples = nullptr;
    visit_dtype(Integers{}, indices.dtype, [&]<class I>(Tag<I>) {
      const bool fits = std::cmp_less_equal(largest, std::numeric_limits<I>::max());
      Dims shape = indices.shape;
      shape.push_back(static_cast<std::int64_t>(indices.rank()));
      tuples = &made_.emplace_back(fits ? indices.dtype : Dtype::int64, shape);
      if (fits) fill_tuples<I, I>(*tuples, indices, along);
      else fill_tuples<I, std::int64_t>(*tuples, indices, along);
    });
    return *tuples;
  }
  template <class From, class To>
  static void fill_tuples(Tensor& tuples, const ConstTensorRef& indices, std::size_t along) {
    const Tensor dense = Tensor::copy_of(indices);
    const std::span<To> to = tuples.values<To>();
    const std::span<const From> from = dense.values<From>();
    Dims at(indices.rank(), 0);
    std::size_t next = 0;
    for (const From index : from) {
      for (std::size_t d = 0; d < at.size(); ++d) to[next++] = d == along ? static_cast<To>(index) : static_cast<To>(at[d]);
      for (std::size_t d = at.size(); d > 0 && ++at[d - 1] == indices.shape[d - 1]; --d) at[d - 1] = 0;
    }
  }

  ConstTensorRef reshaped(const ConstTensorRef& view, const Dims& shape) {
    if (is_dense(view)) return {view.data, view.dtype, shape};
    const Tensor& copy = made_.emplace_back(Tensor::copy_of(view));
    return {copy.data(), copy.dtype(), shape};
  }

  static std::size_t normalized(std::int64_t axis, std::size_t rank) {
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  }

  std::deque<Tensor>& made_;
  const std::function<bool(const Rewritten&)>& use_;
};

}  // namespace

void each_form(const Question& question, std::deque<Tensor>& made, const std::function<bool(const Rewritten&)>& use) {
  Rewriter rewriter(made, use);
  if (question.axis) rewriter.along(question.data, question.indices, question.updates, *question.axis);
  else rewriter.tuples(question.data, question.indices, question.updates);
}

IndexKey key_of(const Rewritten& rewritten) {
  IndexKey key;
  if (rewritten.form == IndexForm::rows) {
    const std::int64_t axis = rewritten.axis.value_or(0), rank = static_cast<std::int64_t>(rewritten.data.rank());
    for (std::int64_t d = 0; d < (axis < 0 ? axis + rank : axis); ++d) key.push_back(numpy::Slice{});
    key.push_back(rewritten.indices);
  } else if (rewritten.form == IndexForm::first_rows || rewritten.indices.rank() == 0) {
    key.push_back(rewritten.indices);
  } else {
    for (std::int64_t d = 0; d < rewritten.indices.shape.back(); ++d) {
      ConstTensorRef column = rewritten.indices;
      const std::int64_t step = wrapping_mul(wrapping_mul(d, column.strides.back()), size_of(column.dtype));
      if (column.data != nullptr) column.data = static_cast<const std::byte*>(column.data) + step;
      column.shape.pop_back();
      column.strides.pop_back();
      key.push_back(column);
    }
  }
  return key;
}

}  // namespace strew::internal
