// Shapes, views and the owning tensor.
#include "strew/tensor.h"

#include <algorithm>
#include <new>
#include <span>
#include <string>

#include "base/checked.h"
#include "base/scratch.h"
#include "base/text.h"
#include "core/copy.h"
#include "core/core.h"
#include "core/memory_errors.h"
#include "strew/adapt.h"

namespace strew::inline v0 {
using namespace internal;
namespace {

constexpr std::align_val_t alignment{64};

void require_same_rank(const Dims& shape, const Dims& strides) {
  if (shape.size() == strides.size()) return;
  throw Error(ErrorCode::shape,
              cat("tensor: strides must have one entry per dimension, got ", strides.size(), " for shape ", bracketed(shape)));
}

}  // namespace

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size(), 1);
  // Sizes are unchecked here; element_count rejects a shape that is too large.
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = saturating_mul(strides[d], std::max<std::int64_t>(shape[d], 0));
  return strides;
}

std::int64_t element_count(const Dims& shape) {
  std::int64_t count = 1;
  bool fits = true, empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) throw Error(ErrorCode::shape, cat("tensor: sizes must be >= 0, got shape ", bracketed(shape)));
    empty |= size == 0;
    const auto product = checked_mul(count, size == 0 ? 1 : size);
    fits = fits && product;
    count = product.value_or(1);
  }
  // Even with a size of 0 the others must not overflow: strides are products of them.
  if (!fits) throw Error(ErrorCode::shape, cat("tensor: shape ", bracketed(shape), " would have more than 2**63 - 1 elements"));
  return empty ? 0 : count;
}

ConstTensorRef::ConstTensorRef(const void* data_, Dtype dtype_, Dims shape_)
    : data(data_), dtype(dtype_), shape(std::move(shape_)), strides(dense_strides(shape)) {}
ConstTensorRef::ConstTensorRef(const void* data_, Dtype dtype_, Dims shape_, Dims strides_)
    : data(data_), dtype(dtype_), shape(std::move(shape_)), strides(std::move(strides_)) {
  require_same_rank(shape, strides);
}
TensorRef::TensorRef(void* data_, Dtype dtype_, Dims shape_)
    : data(data_), dtype(dtype_), shape(std::move(shape_)), strides(dense_strides(shape)) {}
TensorRef::TensorRef(void* data_, Dtype dtype_, Dims shape_, Dims strides_)
    : data(data_), dtype(dtype_), shape(std::move(shape_)), strides(std::move(strides_)) {
  require_same_rank(shape, strides);
}

Tensor::Tensor(Dtype dtype, Dims shape) : dtype_(dtype), shape_(std::move(shape)), size_(element_count(shape_)) {
  if (dtype_ > Dtype::string) throw Error(ErrorCode::dtype, cat("tensor: there is no dtype ", static_cast<int>(dtype_)));
  if (shape_.size() > max_rank) throw Error(ErrorCode::shape, cat("tensor: rank must be at most ", max_rank, ", got ", shape_.size()));
  const auto bytes = checked_mul(size_, size_of(dtype_));
  const auto size = to_size(bytes.value_or(-1));
  if (!size)
    throw Error(ErrorCode::memory, cat("tensor: ", to_string(dtype_), " of shape ", bracketed(shape_), " does not fit the address space"));
  void* const memory = ::operator new(*size == 0 ? 1 : *size, alignment, std::nothrow);
  if (memory == nullptr)
    throw Error(ErrorCode::memory,
                cat("tensor: could not allocate ", *size, " bytes for ", to_string(dtype_), " of shape ", bracketed(shape_)));
  prefer_huge_pages(memory, *size);
  memory_ = {static_cast<std::byte*>(memory), detail::FreeElements{dtype_, size_}};
  if (dtype_ == Dtype::string) std::uninitialized_default_construct_n(reinterpret_cast<std::string*>(memory_.get()), size_);
}

void detail::FreeElements::operator()(std::byte* memory) const {
  if (dtype == Dtype::string) std::destroy_n(reinterpret_cast<std::string*>(memory), size);
  ::operator delete(memory, alignment);
}

Tensor Tensor::zeros(Dtype dtype, Dims shape) {
  Tensor tensor(dtype, std::move(shape));
  fill_zeros(tensor);
  return tensor;
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  dtype_ = other.dtype_;
  shape_ = std::exchange(other.shape_, Dims{0});
  size_ = std::exchange(other.size_, 0);
  memory_ = std::move(other.memory_);
  return *this;
}

Tensor Tensor::copy_of(const ConstTensorRef& view) {
  check_view("tensor", "view", view);
  Tensor tensor(view.dtype, view.shape);
  naming_memory_errors("tensor", "a copy of the strings", "", [&] { copy(tensor, view); });
  return tensor;
}

void Tensor::fill(std::span<const std::string> from) {
  require_count(static_cast<std::int64_t>(from.size()));
  try {
    std::copy(from.begin(), from.end(), static_cast<std::string*>(data()));
  } catch (const std::bad_alloc&) {
    detail::throw_no_memory();
  }
}

void detail::require_count(const Dims& shape, std::int64_t object) {
  const std::int64_t count = element_count(shape);
  if (count != object) throw Error(ErrorCode::shape, cat("tensor: the shape has ", count, " elements, the object ", object));
}

void Tensor::require(Dtype dtype) const {
  if (dtype != dtype_) throw Error(ErrorCode::dtype, cat("tensor: values are ", to_string(dtype_), ", requested as ", to_string(dtype)));
}
void Tensor::require_count(std::int64_t count) const {
  if (count != size_) throw Error(ErrorCode::shape, cat("tensor: shape ", bracketed(shape_), " needs ", size_, " values, got ", count));
}

}  // namespace strew::inline v0
