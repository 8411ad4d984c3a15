// tensor(x): views of contiguous containers, mdspan, Eigen and xtensor objects, without including their headers.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "strew/tensor.h"

namespace strew::inline v0 {
namespace detail {

// Throws an Error of code `shape` unless the shape has `object` elements.
STREW_API void require_count(const Dims& shape, std::int64_t object);

template <class T>
auto view_of(T* data, Dims shape, Dims strides) {
  static_assert(Element<std::remove_const_t<T>>, "tensor(x): x must hold elements of one of Strew's types, see dtype.h");
  if constexpr (std::is_const_v<T>) {
    return ConstTensorRef(data, dtype_of<T>, std::move(shape), std::move(strides));
  } else {
    return TensorRef(data, dtype_of<T>, std::move(shape), std::move(strides));
  }
}

template <class X>
concept MdspanLike = requires(const X& x) {
  x.data_handle();
  x.rank();
  x.extent(0);
  x.stride(0);
};
template <class X>
concept XtensorLike = requires(X& x) {
  x.data();
  x.shape();
  x.strides();
  x.dimension();
};
template <class X>
concept EigenLike = requires(X& x) {
  x.data();
  x.rows();
  x.cols();
  x.rowStride();
  x.colStride();
};
// An object with dimensions of a kind that is not known here: data() and size() alone do not tell where its elements are.
template <class X>
concept OtherLayout = requires(X& x) { x.dimensions(); } || requires(X& x) { x.stride(0); } || requires(X& x) { x.strides(); };
template <class X>
concept Contiguous = requires(X& x) {
  { std::data(x) } -> std::convertible_to<const volatile void*>;
  std::size(x);
} && !XtensorLike<X> && !EigenLike<X> && !OtherLayout<X>;

template <class X>
concept Adaptable = MdspanLike<X> || XtensorLike<X> || EigenLike<X> || Contiguous<X>;

// Text is one element, not a vector of characters, so tensor() does not accept it.
template <class X>
concept Text = std::is_convertible_v<const X&, std::string_view>;

template <class X>
auto data_of(X& x) -> decltype(std::data(x));
template <MdspanLike X>
auto data_of(X& x) -> decltype(x.data_handle());

// A const view refers to elements of the same type as a mutable one; a const owner has const elements.
template <class X>
concept ConstantAsItsElements = requires(X& x, const X& constant) {
  { data_of(x) } -> std::same_as<decltype(data_of(constant))>;
};
// Eigen's maps and blocks are views; a matrix that owns its elements is its own PlainObject.
template <class X>
concept EigenView = EigenLike<X> && requires { typename X::PlainObject; } && !std::is_same_v<X, typename X::PlainObject>;
template <class X>
concept Owner = Adaptable<X> && !EigenView<X> && !ConstantAsItsElements<X>;
template <class X>
concept TemporaryOwner = !std::is_reference_v<X> && Owner<std::remove_const_t<X>>;
template <class X>
concept Viewable = Adaptable<std::remove_reference_t<X>> && !Text<std::remove_reference_t<X>> && !TemporaryOwner<X> &&
                   !std::is_same_v<std::remove_cvref_t<X>, Tensor>;

// Named in the compiler's message.
struct TheTemporaryIsGoneBeforeItsView {};

}  // namespace detail

// Deleted for a temporary that owns its elements: store it in a variable that outlives the view. Temporary views (std::span, mdspan, a
// block of an Eigen matrix) are accepted.
template <detail::TemporaryOwner X>
detail::TheTemporaryIsGoneBeforeItsView tensor(X&& x) = delete;  // give x a name first
template <detail::TemporaryOwner X>
detail::TheTemporaryIsGoneBeforeItsView tensor(X&& x, Dims shape) = delete;  // give x a name first

// Returns a view of a Tensor, which must outlive the view. A shape must have as many elements as the Tensor.
[[nodiscard]] inline TensorRef tensor(Tensor& x) { return x; }
[[nodiscard]] inline ConstTensorRef tensor(const Tensor& x) { return x; }
[[nodiscard]] inline TensorRef tensor(Tensor& x, Dims shape) {
  detail::require_count(shape, x.size());
  return {x.data(), x.dtype(), std::move(shape)};
}
[[nodiscard]] inline ConstTensorRef tensor(const Tensor& x, Dims shape) {
  detail::require_count(shape, x.size());
  return {x.data(), x.dtype(), std::move(shape)};
}

// Returns a view of `x` with its own shape and strides. `x` is a contiguous container, mdspan, Eigen matrix or array, or xtensor object
// with elements of a type in dtype.h. The view is a ConstTensorRef if the elements are const, else a TensorRef. The memory must outlive it.
template <detail::Viewable X>
auto tensor(X&& x) {
  using Object = std::remove_reference_t<X>;
  if constexpr (detail::MdspanLike<Object>) {
    Dims shape, strides;
    for (std::size_t d = 0; d < static_cast<std::size_t>(x.rank()); ++d) {
      shape.push_back(static_cast<std::int64_t>(x.extent(d)));
      strides.push_back(static_cast<std::int64_t>(x.stride(d)));
    }
    return detail::view_of(x.data_handle(), std::move(shape), std::move(strides));
  } else if constexpr (detail::XtensorLike<Object>) {
    auto* data = x.data();  // of a view the start of the memory that it selects from
    if constexpr (requires { x.data_offset(); }) data += x.data_offset();
    return detail::view_of(data, Dims(x.shape()), Dims(x.strides()));
  } else if constexpr (detail::EigenLike<Object>) {
    const auto size = [](auto n) { return static_cast<std::int64_t>(n); };
    // Row and column vectors both have rank 1.
    if constexpr (Object::ColsAtCompileTime == 1) return detail::view_of(x.data(), {size(x.rows())}, {size(x.rowStride())});
    else if constexpr (Object::RowsAtCompileTime == 1) return detail::view_of(x.data(), {size(x.cols())}, {size(x.colStride())});
    else return detail::view_of(x.data(), {size(x.rows()), size(x.cols())}, {size(x.rowStride()), size(x.colStride())});
  } else {
    return detail::view_of(std::data(x), {static_cast<std::int64_t>(std::size(x))}, {1});
  }
}

// Returns a dense row-major view of a contiguous container with another shape. Throws an Error of code `shape` unless the shape has as many
// elements as the container.
template <detail::Viewable X>
  requires detail::Contiguous<std::remove_reference_t<X>>
auto tensor(X&& x, Dims shape) {
  detail::require_count(shape, static_cast<std::int64_t>(std::size(x)));
  Dims strides = dense_strides(shape);
  return detail::view_of(std::data(x), std::move(shape), std::move(strides));
}

// Returns a dense row-major view of `data`, which must point to as many elements as the shape has.
template <class T>
  requires Element<std::remove_const_t<T>>
auto tensor(T* data, Dims shape) {
  Dims strides = dense_strides(shape);
  return detail::view_of(data, std::move(shape), std::move(strides));
}

// Returns a view of memory with strides in elements, which may be zero or negative; `data` points to element [0, ..., 0]. Throws an Error
// of code `shape` unless there is one stride per dimension.
template <class T>
  requires Element<std::remove_const_t<T>>
auto tensor(T* data, Dims shape, Dims strides) {
  return detail::view_of(data, std::move(shape), std::move(strides));
}

}  // namespace strew::inline v0
