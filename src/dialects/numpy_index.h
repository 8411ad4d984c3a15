// What a[...] means in NumPy: basic indices narrow the view, advanced ones become columns of indices.
#pragma once

#include <vector>

#include "dialects/check.h"
#include "strew/dialects/numpy.h"

namespace strew::internal::numpy {

using namespace strew::numpy;

// Tensors that an op needs and nobody else owns.
using Kept = std::vector<Tensor>;

struct Indexed {
  TensorRef view;                 // `a` after slices and integers. An integer leaves an axis of size 1, so that axes keep their numbers
  Addressing where;
  Dims shape;                     // of a[...]
  std::size_t points_at = 0;      // where the points stand in it
  SmallVector<int, 8> row_at;     // which dimension of it each dimension of the row is; -1: none, of size 1
};

// Masks are turned into indices, which `kept` owns.
[[nodiscard]] Indexed indexed(const Check& check, const TensorRef& a, Key key, Kept& kept);

// The key once its indices are known to be good and nobody reads them again: masks are columns of as many indices as they have true
// elements, tensors without dimensions are integers, and of all others only the shape stays.
[[nodiscard]] SmallVector<Index, 2> without_memory(Key key);

// `source`, of the shape of a[...], in the order points ++ row.
[[nodiscard]] ConstTensorRef in_order(const Indexed& x, const ConstTensorRef& source);

// "(2, 3)" and "(2,)", as Python writes it.
[[nodiscard]] std::string tuple_text(const Dims& dims);

// The shape that index tensors have together; an Error if they do not fit.
[[nodiscard]] Dims broadcast_indices(const Check& check, const SmallVector<Dims, 8>& shapes);

// Unsigned 64-bit indices are read as signed ones, as NumPy does.
[[nodiscard]] ConstTensorRef as_column(const ConstTensorRef& indices, const Dims& points);

// How NumPy reads indices, and what it says about a bad one.
[[nodiscard]] Addressing empty_addressing();

}  // namespace strew::internal::numpy
