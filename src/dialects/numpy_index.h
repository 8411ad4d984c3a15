// NumPy's a[...]: basic indices narrow the view, advanced ones become columns of indices.
#pragma once

#include <vector>

#include "dialects/check.h"
#include "strew/dialects/numpy.h"

namespace strew::internal::numpy {

using namespace strew::numpy;

// Temporary tensors that the op owns.
using Kept = std::vector<Tensor>;

struct Indexed {
  TensorRef view;  // `a` after slices and integers. An integer leaves an axis of size 1, so that axes keep their numbers
  Addressing where;
  Dims shape;                  // of a[...]
  std::size_t points_at = 0;   // position of the points in `shape`
  SmallVector<int, 8> row_at;  // dimension of `shape` for each dimension of the row; -1: none, of size 1
};

// Converts masks to indices, which `kept` owns.
[[nodiscard]] Indexed indexed(const Check& check, const TensorRef& a, Key key, Kept& kept);

// The key after its indices were validated, when they are not read again: a mask becomes as many indices as it has true elements, a rank-0
// tensor an integer, and other tensors keep only their shape.
[[nodiscard]] SmallVector<Index, 2> without_memory(Key key);

// Permutes `source`, of the shape of a[...], to points ++ row.
[[nodiscard]] ConstTensorRef in_order(const Indexed& x, const ConstTensorRef& source);

// Formats a shape like Python: "(2, 3)" and "(2,)".
[[nodiscard]] std::string tuple_text(const Dims& dims);

// The broadcast shape of index tensors; an Error if they cannot be broadcast.
[[nodiscard]] Dims broadcast_indices(const Check& check, const SmallVector<Dims, 8>& shapes);

// Unsigned 64-bit indices are read as signed ones, as NumPy does.
[[nodiscard]] ConstTensorRef as_column(const ConstTensorRef& indices, const Dims& points);

// How NumPy reads indices, and its message for a bad one.
[[nodiscard]] Addressing empty_addressing();

}  // namespace strew::internal::numpy
