// A vector that holds up to N elements without the heap: calls on tensors of rank 8 and less must not allocate.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace strew {

template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() noexcept : data_(inline_data()) {}
  SmallVector(std::initializer_list<T> values) : SmallVector(values.begin(), values.end()) {}
  explicit SmallVector(std::size_t count, const T& value = T()) : SmallVector() {
    reserve(count);
    for (std::size_t i = 0; i < count; ++i) push_back(value);
  }
  template <class Iterator>
    requires requires(Iterator i) { *i; ++i; }
  SmallVector(Iterator first, Iterator last) : SmallVector() {
    for (; first != last; ++first) push_back(static_cast<T>(*first));
  }
  template <class Range>
    requires(!std::is_same_v<std::remove_cvref_t<Range>, SmallVector> && requires(const Range& r) {
      std::begin(r);
      std::end(r);
    })
  explicit SmallVector(const Range& range) : SmallVector(std::begin(range), std::end(range)) {}

  SmallVector(const SmallVector& other) : SmallVector() { append(other); }
  SmallVector(SmallVector&& other) noexcept : SmallVector() { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      clear();
      append(other);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      clear();
      release();
      take(other);
    }
    return *this;
  }
  ~SmallVector() {
    clear();
    release();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T& back() noexcept { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return data_[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    ::new (static_cast<void*>(data_ + size_)) T(std::move(value));
    ++size_;
  }
  void pop_back() noexcept { data_[--size_].~T(); }
  void clear() noexcept {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(std::size_t count, const T& value = T()) {
    while (size_ > count) pop_back();
    while (size_ < count) push_back(value);
  }
  template <class Range>
  void append(const Range& range) {
    for (const T& value : range) push_back(value);
  }
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    T* const grown = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data_, size_, grown);
    std::destroy_n(data_, size_);
    release();
    data_ = grown;
    capacity_ = capacity;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  T* inline_data() noexcept { return reinterpret_cast<T*>(inline_); }
  void release() noexcept {
    if (data_ != inline_data()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = inline_data();
    capacity_ = N;
  }
  void take(SmallVector& other) noexcept {
    if (other.data_ != other.inline_data()) {
      data_ = std::exchange(other.data_, other.inline_data());
      capacity_ = std::exchange(other.capacity_, N);
      size_ = std::exchange(other.size_, 0);
      return;
    }
    std::uninitialized_move_n(other.data_, other.size_, data_);
    size_ = other.size_;
    other.clear();
  }

  T* data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace strew
