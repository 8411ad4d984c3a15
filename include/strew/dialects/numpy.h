// NumPy's ufunc.at and put_along_axis, as NumPy 2.4 computes them.
//
// All functions work in place and throw the Errors of run(). Updates apply in row-major order of the indexed positions, so every duplicate
// counts, and the last one wins in put_along_axis. Negative indices count from the end; an index that is still out of range is an error,
// and nothing is written. `b` is broadcast to the shape of a[indices]. Each step is computed in the type to which NumPy promotes `a` and
// `b`, then cast to the type of `a`, which may lose information. Number arguments of ufunc.at are int64, uint64, float64 or complex128; in
// put_along_axis they must fit the type of `arr`. Integers wrap. minimum and maximum propagate NaN from either side.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <variant>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::numpy {

// start:stop:step; no value: NumPy's default. A step of 0 is an error.
struct Slice {
  std::optional<std::int64_t> start = {}, stop = {}, step = {};
};
// `...` and `None`.
struct Ellipsis {};
struct NewAxis {};

// One index of a[...]. A tensor holds integers, or is a bool mask over as many axes as its rank. A bool is a mask over no axes: true adds
// an axis of size 1, false one of size 0.
using Index = std::variant<std::int64_t, bool, Slice, Ellipsis, NewAxis, ConstTensorRef>;

// The list of indices of a[...]. Borrowed: the list must outlive the call.
struct Key : std::span<const Index> {
  Key(std::initializer_list<Index> list) : span(list.begin(), list.size()) {}
  template <class List>
    requires std::convertible_to<const List&, std::span<const Index>>
  Key(const List& list) : span(list) {}
};

// The functions in `describe` validate their arguments and return the op, for run(), plan() and explain(). They throw an Error if a type,
// shape or index list is not allowed; indices are checked when the op runs.
namespace describe {

// np.add.at: adds `b` to a[indices], once for each time an index occurs. The ops of these five functions own the tensors that they had to
// make (a mask as indices, `b` in another type) and borrow all others.
[[nodiscard]] STREW_API ScatterOp add_at(const TensorRef& a, Key indices, const Source& b);
// np.subtract.at: subtracts `b` from a[indices].
[[nodiscard]] STREW_API ScatterOp subtract_at(const TensorRef& a, Key indices, const Source& b);
// np.multiply.at: multiplies a[indices] by `b`.
[[nodiscard]] STREW_API ScatterOp multiply_at(const TensorRef& a, Key indices, const Source& b);
// np.minimum.at: a[indices] becomes the minimum of itself and `b`.
[[nodiscard]] STREW_API ScatterOp minimum_at(const TensorRef& a, Key indices, const Source& b);
// np.maximum.at: a[indices] becomes the maximum of itself and `b`.
[[nodiscard]] STREW_API ScatterOp maximum_at(const TensorRef& a, Key indices, const Source& b);
// arr[..., indices[..., i, ...], ...] = values: an index is the coordinate on the axis. Without an axis `arr` is flattened, and `indices`
// must be a vector.
[[nodiscard]] STREW_API ScatterOp put_along_axis(const TensorRef& arr, const ConstTensorRef& indices, const Source& values,
                                                 std::optional<std::int64_t> axis);

}  // namespace describe

// The functions above, run in place.

// Adds `b` to a[indices], once for each time an index occurs.
inline void add_at(const TensorRef& a, Key indices, const Source& b, const RunOptions& options = {}) {
  run(describe::add_at(a, indices, b), options);
}
// Subtracts `b` from a[indices], once for each time an index occurs.
inline void subtract_at(const TensorRef& a, Key indices, const Source& b, const RunOptions& options = {}) {
  run(describe::subtract_at(a, indices, b), options);
}
// Multiplies a[indices] by `b`, once for each time an index occurs.
inline void multiply_at(const TensorRef& a, Key indices, const Source& b, const RunOptions& options = {}) {
  run(describe::multiply_at(a, indices, b), options);
}
// Sets a[indices] to the minimum of itself and `b`.
inline void minimum_at(const TensorRef& a, Key indices, const Source& b, const RunOptions& options = {}) {
  run(describe::minimum_at(a, indices, b), options);
}
// Sets a[indices] to the maximum of itself and `b`.
inline void maximum_at(const TensorRef& a, Key indices, const Source& b, const RunOptions& options = {}) {
  run(describe::maximum_at(a, indices, b), options);
}
// Sets the elements of `arr` that `indices` select on the axis to `values`; the last of several assignments wins.
inline void put_along_axis(const TensorRef& arr, const ConstTensorRef& indices, const Source& values, std::optional<std::int64_t> axis,
                           const RunOptions& options = {}) {
  run(describe::put_along_axis(arr, indices, values, axis), options);
}

}  // namespace strew::inline v0::numpy
