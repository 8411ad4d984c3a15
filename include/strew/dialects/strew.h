// Strew's own functions: out[index[i]] = values[i], and the same with a sum, product, minimum, maximum or mean.
//
// `out` is written in place. `index` is one tensor of integers for the first axis of `out`, or a braced list of tensors of the same shape,
// one for each of the leading axes; an index selects a row of the remaining axes, or an element if there are none. `values` has the dtype
// of `out` and exactly the shape index.shape + out.shape[number of index tensors:], or is a number that the dtype represents. Negative
// indices are out of range. Updates apply in row-major order of the indices, so the last of several assignments wins. NaN propagates
// through min and max from both sides, and ties of zeros keep the old one; integers wrap; sums and products of 16-bit floats are rounded
// once, at the end of the call. `out` must not overlap index or values.
#pragma once

#include <complex>
#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "strew/adapt.h"
#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0 {

// One index tensor per axis, for the leading axes.
using IndexColumns = SmallVector<ConstTensorRef, 8>;

namespace detail {

// A view, a Tensor, or an object that tensor(x) adapts.
template <class X>
concept TensorLike = std::convertible_to<X&, ConstTensorRef> || (Adaptable<X> && !Text<X>);
// A temporary of such a type may be written: another object owns the elements.
template <class X>
concept ElementView = Adaptable<X> && !Text<X> && !Owner<X>;
template <class X>
concept ElementOwner = Adaptable<X> && !Text<X> && Owner<std::remove_const_t<X>>;

// Its elements are bits, which have no addresses.
template <class X>
concept BitVector = std::same_as<std::remove_const_t<X>, std::vector<bool>>;

template <class X>
ConstTensorRef input_view(const X& x) {
  if constexpr (std::convertible_to<const X&, ConstTensorRef>) return x;
  else return tensor(x);
}

}  // namespace detail

// The types of parameters that accept any object with elements. Those of a call accept temporaries, which live until it returns; those of a
// description do not, because an op borrows the memory of its tensors.

// A tensor that is read.
template <bool may_own_elements>
struct BasicInput : ConstTensorRef {
  template <class X>
    requires detail::TensorLike<const X>
  BasicInput(const X& x) : ConstTensorRef(detail::input_view(x)) {}
  template <class X>
    requires(!may_own_elements && detail::Owner<X>)
  BasicInput(const X&& x) = delete;  // give x a name first
  template <detail::BitVector X>
  BasicInput(const X& x) = delete;  // use std::vector<unsigned char>, or std::array<bool, n>
};

// One index tensor, or in braces one for each of the leading axes.
template <bool may_own_elements>
struct BasicIndices {
  IndexColumns columns;

  BasicIndices() = default;
  BasicIndices(const IndexColumns& list) : columns(list) {}
  BasicIndices(std::initializer_list<BasicInput<may_own_elements>> list) {
    for (const ConstTensorRef& column : list) columns.push_back(column);
  }
  template <class X>
    requires detail::TensorLike<const X>
  BasicIndices(const X& x) {
    columns.push_back(detail::input_view(x));
  }
  template <class X>
    requires(!may_own_elements && detail::Owner<X>)
  BasicIndices(const X&& x) = delete;  // give x a name first
  template <detail::BitVector X>
  BasicIndices(const X& x) = delete;  // use std::vector<unsigned char>
  // Braces hold one tensor per axis, so {2, 0} could mean two indices or one position.
  template <std::integral N>
  BasicIndices(std::initializer_list<N> numbers) = delete;  // write std::vector{2, 0} or {std::array{2}, std::array{0}}
};

// A tensor, or a number for every update.
template <bool may_own_elements>
struct BasicValues : Source {
  BasicValues(const Source& source) : Source(source) {}
  template <std::convertible_to<Number> N>
  BasicValues(const N& number) : Source(Number(number)) {}
  template <std::floating_point F>
  BasicValues(std::complex<F> number) : Source(Number(std::complex<double>(number))) {}
  template <class X>
    requires detail::TensorLike<const X>
  BasicValues(const X& x) : Source(detail::input_view(x)) {}
  template <class X>
    requires(!may_own_elements && detail::Owner<X>)
  BasicValues(const X&& x) = delete;  // give x a name first
  template <detail::BitVector X>
  BasicValues(const X& x) = delete;  // use std::vector<unsigned char>, or std::array<bool, n>
};

using AnyInput = BasicInput<true>;
using AnyIndices = BasicIndices<true>;
using AnyValues = BasicValues<true>;
using NamedInput = BasicInput<false>;
using NamedIndices = BasicIndices<false>;
using NamedValues = BasicValues<false>;

// A tensor that is written; a temporary must be a view. The default has no memory, see compute().
struct AnyOutput : TensorRef {
  AnyOutput() = default;
  AnyOutput(const TensorRef& view) : TensorRef(view) {}
  template <detail::ElementView X>
  AnyOutput(X view) : TensorRef(writable(view)) {}
  template <detail::ElementOwner X>
  AnyOutput(X& x) : TensorRef(writable(x)) {}
  template <detail::ElementOwner X>
  AnyOutput(const X&& x) = delete;  // give x a name first: a temporary and its result would be lost
  template <detail::BitVector X>
  AnyOutput(const X& x) = delete;  // use std::vector<unsigned char>, or std::array<bool, n>

 private:
  template <class X>
  static TensorRef writable(X& x) {
    static_assert(std::same_as<decltype(tensor(x)), TensorRef>, "the output must not be const");
    return tensor(x);
  }
};

// The functions in `describe` validate their arguments and return the op of a function below without running it, for run(), plan() and
// explain(). `out` may be empty: compute() then allocates it, gather only. They throw an Error if a type or a shape is not allowed; indices
// are checked when the op runs.
namespace describe {

// out[index[i]] = values[i]
[[nodiscard]] STREW_API ScatterOp scatter(const AnyOutput& out, const NamedIndices& index, const NamedValues& values);
// out[index[i]] += values[i]
[[nodiscard]] STREW_API ScatterOp scatter_add(const AnyOutput& out, const NamedIndices& index, const NamedValues& values);
// out[index[i]] -= values[i]
[[nodiscard]] STREW_API ScatterOp scatter_sub(const AnyOutput& out, const NamedIndices& index, const NamedValues& values);
// out[index[i]] *= values[i]
[[nodiscard]] STREW_API ScatterOp scatter_mul(const AnyOutput& out, const NamedIndices& index, const NamedValues& values);
// out[index[i]] = min(out[index[i]], values[i])
[[nodiscard]] STREW_API ScatterOp scatter_min(const AnyOutput& out, const NamedIndices& index, const NamedValues& values);
// out[index[i]] = max(out[index[i]], values[i])
[[nodiscard]] STREW_API ScatterOp scatter_max(const AnyOutput& out, const NamedIndices& index, const NamedValues& values);
// Each selected element becomes the mean of its values.
[[nodiscard]] STREW_API ScatterOp scatter_mean(const AnyOutput& out, const NamedIndices& index, const NamedValues& values);
// out[i] = source[index[i]]
[[nodiscard]] STREW_API GatherOp gather(const AnyOutput& out, const NamedInput& source, const NamedIndices& index);

}  // namespace describe

// The functions throw the Errors of run().

// out[index[i]] = values[i]
inline void scatter(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter(out, index.columns, values), options);
}
// out[index[i]] += values[i]
inline void scatter_add(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_add(out, index.columns, values), options);
}
// out[index[i]] -= values[i]
inline void scatter_sub(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_sub(out, index.columns, values), options);
}
// out[index[i]] *= values[i]
inline void scatter_mul(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_mul(out, index.columns, values), options);
}
// out[index[i]] = min(out[index[i]], values[i])
inline void scatter_min(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_min(out, index.columns, values), options);
}
// out[index[i]] = max(out[index[i]], values[i])
inline void scatter_max(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_max(out, index.columns, values), options);
}
// Sets each selected element to the mean of its values; the old element does not count. Integer means round down.
inline void scatter_mean(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_mean(out, index.columns, values), options);
}
// Returns y with y[i] = source[index[i]].
[[nodiscard]] inline Tensor gather(const AnyInput& source, const AnyIndices& index, const RunOptions& options = {}) {
  return compute(describe::gather({}, ConstTensorRef(source), index.columns), options);
}
// out[i] = source[index[i]]
inline void gather_into(const AnyOutput& out, const AnyInput& source, const AnyIndices& index, const RunOptions& options = {}) {
  run(describe::gather(out, ConstTensorRef(source), index.columns), options);
}

}  // namespace strew::inline v0
