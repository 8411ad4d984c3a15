// NumPy's ufunc.at and put_along_axis, as NumPy 2.4 computes them.
//
// In place, like NumPy's own. Updates apply in row-major order of the indexed positions, so duplicates count each time, and
// put_along_axis leaves the last one. Negative indices count from the end; what is still out of range is an error, and
// then nothing is written. `b` is broadcast to the shape of a[indices]. Each step is computed in the type that NumPy
// promotes `a` and `b` to, and cast back to that of `a`, whatever is lost. A number is an int64, float64 or complex128
// for ufunc.at; put_along_axis wants one that fits. Integers wrap. minimum and maximum let a NaN through from either side.
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

struct Slice {
  std::optional<std::int64_t> start = {}, stop = {}, step = {};
};
struct Ellipsis {};
struct NewAxis {};

// One part of what stands between the brackets of a[...]. A tensor is integers, or bool: a mask over as many axes as it has. So a bool
// is a mask over none: true adds an axis of size 1, false one of size 0.
using Index = std::variant<std::int64_t, bool, Slice, Ellipsis, NewAxis, ConstTensorRef>;

// What stands between the brackets. It borrows the list, which must live until the call returns.
struct Key : std::span<const Index> {
  Key(std::initializer_list<Index> list) : span(list.begin(), list.size()) {}
  template <class List>
    requires std::convertible_to<const List&, std::span<const Index>>
  Key(const List& list) : span(list) {}
};

namespace describe {

// The op keeps what it had to make itself (a mask as indices, `b` in another type), and borrows everything else.
[[nodiscard]] STREW_API ScatterOp add_at(const TensorRef& a, Key indices, const Source& b);
[[nodiscard]] STREW_API ScatterOp subtract_at(const TensorRef& a, Key indices, const Source& b);
[[nodiscard]] STREW_API ScatterOp multiply_at(const TensorRef& a, Key indices, const Source& b);
[[nodiscard]] STREW_API ScatterOp minimum_at(const TensorRef& a, Key indices, const Source& b);
[[nodiscard]] STREW_API ScatterOp maximum_at(const TensorRef& a, Key indices, const Source& b);
// Without an axis `arr` is seen as flat, and `indices` must be a vector.
[[nodiscard]] STREW_API ScatterOp put_along_axis(const TensorRef& arr, const ConstTensorRef& indices, const Source& values,
                                                 std::optional<std::int64_t> axis);

}  // namespace describe

inline void add_at(const TensorRef& a, Key indices, const Source& b) { run(describe::add_at(a, indices, b)); }
inline void subtract_at(const TensorRef& a, Key indices, const Source& b) { run(describe::subtract_at(a, indices, b)); }
inline void multiply_at(const TensorRef& a, Key indices, const Source& b) { run(describe::multiply_at(a, indices, b)); }
inline void minimum_at(const TensorRef& a, Key indices, const Source& b) { run(describe::minimum_at(a, indices, b)); }
inline void maximum_at(const TensorRef& a, Key indices, const Source& b) { run(describe::maximum_at(a, indices, b)); }
inline void put_along_axis(const TensorRef& arr, const ConstTensorRef& indices, const Source& values, std::optional<std::int64_t> axis) {
  run(describe::put_along_axis(arr, indices, values, axis));
}

}  // namespace strew::inline v0::numpy
