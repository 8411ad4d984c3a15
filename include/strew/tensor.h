// Views of anybody's memory (TensorRef, ConstTensorRef) and a tensor that owns its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/small_vector.h"

namespace strew::inline v0 {

using Dims = SmallVector<std::int64_t, 8>;

inline constexpr std::size_t max_rank = 64;

// Strides of a dense row-major tensor, in elements.
[[nodiscard]] STREW_API Dims dense_strides(const Dims& shape);

// Product of the sizes. Throws when a size is negative or the product does not fit 63 bits.
[[nodiscard]] STREW_API std::int64_t element_count(const Dims& shape);

struct TensorRef;

// A view to read from. Strides are in elements and may be zero or negative; `data` is element [0, ..., 0].
// It need not be aligned.
struct STREW_API ConstTensorRef {
  const void* data = nullptr;
  Dtype dtype = Dtype::float32;
  Dims shape;
  Dims strides;

  ConstTensorRef() noexcept {}  // not defaulted: that would zero the room for shapes first
  ConstTensorRef(const void* data_, Dtype dtype_, Dims shape_);
  ConstTensorRef(const void* data_, Dtype dtype_, Dims shape_, Dims strides_);
  ConstTensorRef(const TensorRef& view);
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

// A view to write to.
struct STREW_API TensorRef {
  void* data = nullptr;
  Dtype dtype = Dtype::float32;
  Dims shape;
  Dims strides;

  TensorRef() noexcept {}
  TensorRef(void* data_, Dtype dtype_, Dims shape_);
  TensorRef(void* data_, Dtype dtype_, Dims shape_, Dims strides_);
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

// A dense row-major tensor that owns its memory. Movable; copy it with `clone`.
class STREW_API Tensor {
 public:
  Tensor() = default;
  // What was moved from has no elements.
  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  Tensor& operator=(Tensor&& other) noexcept;
  // Elements are left uninitialised, strings are empty.
  Tensor(Dtype dtype, Dims shape);
  template <Element T>
  Tensor(std::initializer_list<T> values, Dims shape) : Tensor(dtype_of<T>, std::move(shape)) {
    fill(std::span<const T>(values.begin(), values.size()));
  }
  [[nodiscard]] static Tensor zeros(Dtype dtype, Dims shape);
  // A dense copy of a view.
  [[nodiscard]] static Tensor copy_of(const ConstTensorRef& view);
  [[nodiscard]] Tensor clone() const { return copy_of(*this); }

  [[nodiscard]] Dtype dtype() const { return dtype_; }
  [[nodiscard]] const Dims& shape() const { return shape_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] void* data() { return memory_.get(); }
  [[nodiscard]] const void* data() const { return memory_.get(); }

  // The elements in row-major order; throws when T is not the element type.
  template <Element T>
  [[nodiscard]] std::span<T> values() {
    require(dtype_of<T>);
    return {static_cast<T*>(data()), static_cast<std::size_t>(size_)};
  }
  template <Element T>
  [[nodiscard]] std::span<const T> values() const {
    require(dtype_of<T>);
    return {static_cast<const T*>(data()), static_cast<std::size_t>(size_)};
  }

  operator TensorRef() { return {data(), dtype_, shape_}; }
  operator ConstTensorRef() const { return {data(), dtype_, shape_}; }

 private:
  template <class T>
  void fill(std::span<const T> from) {
    require_count(static_cast<std::int64_t>(from.size()));
    try {
      std::copy(from.begin(), from.end(), static_cast<T*>(data()));
    } catch (const std::bad_alloc&) {  // of strings
      detail::throw_no_memory();
    }
  }
  void require(Dtype dtype) const;
  void require_count(std::int64_t count) const;

  Dtype dtype_ = Dtype::float32;
  Dims shape_{0};
  std::int64_t size_ = 0;
  std::unique_ptr<std::byte, detail::FreeElements> memory_;
};

}  // namespace strew::inline v0
