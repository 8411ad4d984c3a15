// An uninitialised array of trivially copyable elements in scratch memory.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "base/checked.h"
#include "base/scratch.h"

namespace strew::internal {

template <class T>
  requires(std::is_trivially_copyable_v<T>)
class Array {
 public:
  Array() = default;
  // Throws std::bad_alloc if the memory cannot be allocated, or if its size overflows.
  explicit Array(std::int64_t count) : memory_(checked_mul(count, sizeof(T)).value_or(-1)), count_(count) {
    if (!memory_) throw std::bad_alloc();
  }
  Array(Array&& other) noexcept : memory_(std::move(other.memory_)), count_(std::exchange(other.count_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    memory_ = std::move(other.memory_);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }

  [[nodiscard]] std::int64_t size() const { return count_; }
  [[nodiscard]] std::int64_t bytes() const { return count_ * static_cast<std::int64_t>(sizeof(T)); }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] T* data() { return memory_.template as<T>(); }
  [[nodiscard]] const T* data() const { return memory_.template as<T>(); }
  T& operator[](std::int64_t i) { return data()[i]; }
  const T& operator[](std::int64_t i) const { return data()[i]; }

 private:
  Scratch memory_{};
  std::int64_t count_ = 0;
};

}  // namespace strew::internal
