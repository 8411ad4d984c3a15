// Views of borrowed memory (TensorRef, ConstTensorRef) and a tensor that owns its memory (Tensor).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/small_vector.h"

namespace strew::inline v0 {

// Sizes, strides or positions, one entry per dimension.
using Dims = SmallVector<std::int64_t, 8>;

// The largest rank of a tensor.
inline constexpr std::size_t max_rank = 64;

// Returns the strides of a dense row-major tensor, in elements. Does not validate the shape: a stride that is too large is 2^63 - 1, and a
// negative size counts as 0.
[[nodiscard]] STREW_API Dims dense_strides(const Dims& shape);

// Returns the product of the sizes. Throws an Error of code `shape` if a size is negative or the product of the nonzero sizes exceeds
// 2^63 - 1.
[[nodiscard]] STREW_API std::int64_t element_count(const Dims& shape);

struct TensorRef;

// A read-only view of borrowed memory. Strides are in elements and may be zero or negative; `data` is element [0, ..., 0] and need not be
// aligned. Without strides a view is dense and row-major. The constructor with strides throws an Error of code `shape` unless there is one
// per dimension; everything else is validated when an op uses the view.
struct STREW_API ConstTensorRef {
  const void* data = nullptr;
  Dtype dtype = Dtype::float32;
  Dims shape;
  Dims strides;

  ConstTensorRef() noexcept {}  // not defaulted: that would zero the inline storage first
  ConstTensorRef(const void* data_, Dtype dtype_, Dims shape_);
  ConstTensorRef(const void* data_, Dtype dtype_, Dims shape_, Dims strides_);
  ConstTensorRef(const TensorRef& view);
  // The number of dimensions.
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

// A writable view of borrowed memory, with the rules of ConstTensorRef. A null `data` stands for an output that compute() allocates.
struct STREW_API TensorRef {
  void* data = nullptr;
  Dtype dtype = Dtype::float32;
  Dims shape;
  Dims strides;

  TensorRef() noexcept {}
  TensorRef(void* data_, Dtype dtype_, Dims shape_);
  TensorRef(void* data_, Dtype dtype_, Dims shape_, Dims strides_);
  // The number of dimensions.
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

inline ConstTensorRef::ConstTensorRef(const TensorRef& view)
    : data(view.data), dtype(view.dtype), shape(view.shape), strides(view.strides) {}

namespace detail {
struct STREW_API FreeElements {
  Dtype dtype = Dtype::float32;
  std::int64_t size = 0;
  void operator()(std::byte* memory) const;
};
}  // namespace detail

// A dense row-major tensor that owns its memory. Movable; clone() copies. Constructors throw an Error if the shape or the type is invalid,
// or the memory cannot be allocated.
class STREW_API Tensor {
 public:
  Tensor() = default;
  // A tensor that was moved from has shape [0].
  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  Tensor& operator=(Tensor&& other) noexcept;
  // Elements are uninitialised; strings are empty.
  Tensor(Dtype dtype, Dims shape);
  // Elements in row-major order. Throws an Error of code `shape` unless the shape has as many.
  template <Element T>
  Tensor(std::initializer_list<T> values, Dims shape) : Tensor(dtype_of<T>, std::move(shape)) {
    fill(std::span<const T>(values.begin(), values.size()));
  }
  // Elements are zero, false or empty.
  [[nodiscard]] static Tensor zeros(Dtype dtype, Dims shape);
  // Returns a dense copy of a view. Throws an Error if the view is invalid.
  [[nodiscard]] static Tensor copy_of(const ConstTensorRef& view);
  // Returns a copy with memory of its own.
  [[nodiscard]] Tensor clone() const { return copy_of(*this); }

  // The type of the elements.
  [[nodiscard]] Dtype dtype() const { return dtype_; }
  // The size of each dimension.
  [[nodiscard]] const Dims& shape() const { return shape_; }
  // The number of elements.
  [[nodiscard]] std::int64_t size() const { return size_; }
  // The first element; null if there is none.
  [[nodiscard]] void* data() { return memory_.get(); }
  [[nodiscard]] const void* data() const { return memory_.get(); }

  // The elements in row-major order. Throws an Error of code `dtype` if T is not the element type.
  template <Element T>
  [[nodiscard]] std::span<T> values() & {
    require(dtype_of<T>);
    return {static_cast<T*>(data()), static_cast<std::size_t>(size_)};
  }
  template <Element T>
  [[nodiscard]] std::span<const T> values() const& {
    require(dtype_of<T>);
    return {static_cast<const T*>(data()), static_cast<std::size_t>(size_)};
  }
  template <Element T>
  std::span<const T> values() const&& = delete;  // give the tensor a name first: a temporary frees its elements

  // Views of the whole tensor, which must outlive them.
  operator TensorRef() { return {data(), dtype_, shape_}; }
  operator ConstTensorRef() const { return {data(), dtype_, shape_}; }

 private:
  template <class T>
  void fill(std::span<const T> from) {
    require_count(static_cast<std::int64_t>(from.size()));
    std::copy(from.begin(), from.end(), static_cast<T*>(data()));
  }
  void fill(std::span<const std::string> from);
  void require(Dtype dtype) const;
  void require_count(std::int64_t count) const;

  Dtype dtype_ = Dtype::float32;
  Dims shape_{0};
  std::int64_t size_ = 0;
  std::unique_ptr<std::byte, detail::FreeElements> memory_;
};

}  // namespace strew::inline v0
