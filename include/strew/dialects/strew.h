// Strew's own functions: out[index[i]] = values[i], added, multiplied or compared, on whatever tensor(x) adapts.
//
// They write into `out`. `index` is one tensor of integers, which names places on the first axis, or a list of tensors of one shape, one
// for each of the leading axes. What it names are elements, or rows of all remaining axes. `values` has exactly the shape
// index.shape + out.shape[number of index tensors:] and the type of `out`, or is one number for all of them, which that type must hold.
// Negative indices do not count from the end, they are errors. Updates apply in row-major order of the indices, so the last of several
// assignments stays. A NaN gets through min and max from either side, and of two equal zeros the old one stays; integers wrap; sums and
// products of 16-bit floats are rounded once, at the end of the call. Memory of `out` may not be shared with an input.
#pragma once

#include <complex>
#include <concepts>
#include <initializer_list>
#include <ranges>
#include <type_traits>

#include "strew/adapt.h"
#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0 {
namespace detail {

// A view, a Tensor, or what tensor(x) adapts.
template <class X>
concept TensorLike = std::convertible_to<X&, ConstTensorRef> || (Adaptable<X> && !Text<X>);

// Whether what is written into it can be read afterwards: a variable, or a view of one.
template <class X>
concept Lasting = std::is_lvalue_reference_v<X> || std::ranges::borrowed_range<X> || !Contiguous<X>;

}  // namespace detail

// An argument that is read.
struct AnyInput : ConstTensorRef {
  template <class X>
    requires detail::TensorLike<const X>
  AnyInput(const X& x) : ConstTensorRef(view_of(x)) {}

 private:
  template <class X>
  static ConstTensorRef view_of(const X& x) {
    if constexpr (std::convertible_to<const X&, ConstTensorRef>) return x;
    else return tensor(x);
  }
};

// An argument that is written. The default one stands for memory that compute() allocates.
struct AnyOutput : TensorRef {
  AnyOutput() = default;
  template <class X>
    requires(detail::TensorLike<std::remove_reference_t<X>> && !std::derived_from<std::remove_cvref_t<X>, AnyOutput>)
  AnyOutput(X&& x) : TensorRef(view_of<X>(x)) {}

 private:
  template <class X>
  static TensorRef view_of(std::remove_reference_t<X>& x) {
    static_assert(detail::Lasting<X>, "the output must not be a temporary: nobody could read it afterwards");
    if constexpr (std::convertible_to<std::remove_reference_t<X>&, TensorRef>) {
      return x;
    } else if constexpr (std::convertible_to<std::remove_reference_t<X>&, ConstTensorRef>) {
      static_assert(std::convertible_to<X, TensorRef>, "the output must not be const");
    } else {
      static_assert(std::same_as<decltype(tensor(x)), TensorRef>, "the output must not be const");
      return tensor(x);
    }
  }
};

// Index tensors: one, or in braces one for each of the leading axes.
struct AnyIndices {
  SmallVector<ConstTensorRef, 8> columns;

  AnyIndices() = default;
  template <class X>
    requires detail::TensorLike<const X>
  AnyIndices(const X& x) {
    columns.emplace_back(AnyInput(x));
  }
  AnyIndices(std::initializer_list<AnyInput> list) {
    for (const AnyInput& column : list) columns.emplace_back(column);
  }
};

// What is scattered: a tensor, or a number for every update.
struct AnyValues : Source {
  AnyValues(const Source& source) : Source(source) {}
  template <class X>
    requires detail::TensorLike<const X>
  AnyValues(const X& x) : Source(ConstTensorRef(AnyInput(x))) {}
  template <std::convertible_to<Number> N>
  AnyValues(const N& number) : Source(Number(number)) {}
  template <std::floating_point F>
  AnyValues(std::complex<F> number) : Source(Number(std::complex<double>(number))) {}
};

namespace describe {

// The op borrows the memory of its arguments, so none of them may be a temporary that owns its elements, unless the op is used in the same
// expression.
[[nodiscard]] STREW_API ScatterOp scatter(const AnyOutput& out, const AnyIndices& index, const AnyValues& values);
[[nodiscard]] STREW_API ScatterOp scatter_add(const AnyOutput& out, const AnyIndices& index, const AnyValues& values);
[[nodiscard]] STREW_API ScatterOp scatter_sub(const AnyOutput& out, const AnyIndices& index, const AnyValues& values);
[[nodiscard]] STREW_API ScatterOp scatter_mul(const AnyOutput& out, const AnyIndices& index, const AnyValues& values);
[[nodiscard]] STREW_API ScatterOp scatter_min(const AnyOutput& out, const AnyIndices& index, const AnyValues& values);
[[nodiscard]] STREW_API ScatterOp scatter_max(const AnyOutput& out, const AnyIndices& index, const AnyValues& values);
[[nodiscard]] STREW_API ScatterOp scatter_mean(const AnyOutput& out, const AnyIndices& index, const AnyValues& values);
[[nodiscard]] STREW_API GatherOp gather(const AnyOutput& out, const AnyInput& source, const AnyIndices& index);

}  // namespace describe

// out[index[i]] = values[i]
inline void scatter(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter(out, index, values), options);
}
// out[index[i]] += values[i]
inline void scatter_add(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_add(out, index, values), options);
}
// out[index[i]] -= values[i]
inline void scatter_sub(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_sub(out, index, values), options);
}
// out[index[i]] *= values[i]
inline void scatter_mul(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_mul(out, index, values), options);
}
// out[index[i]] = min(out[index[i]], values[i])
inline void scatter_min(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_min(out, index, values), options);
}
// out[index[i]] = max(out[index[i]], values[i])
inline void scatter_max(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_max(out, index, values), options);
}
// Each place that is named becomes the mean of its values, without what it held; others stay. Integer means round down.
inline void scatter_mean(const AnyOutput& out, const AnyIndices& index, const AnyValues& values, const RunOptions& options = {}) {
  run(describe::scatter_mean(out, index, values), options);
}
// y[i] = source[index[i]]
[[nodiscard]] inline Tensor gather(const AnyInput& source, const AnyIndices& index, const RunOptions& options = {}) {
  return compute(describe::gather({}, source, index), options);
}
inline void gather_into(const AnyOutput& out, const AnyInput& source, const AnyIndices& index, const RunOptions& options = {}) {
  run(describe::gather(out, source, index), options);
}

}  // namespace strew::inline v0
