// A vector that holds up to N elements without the heap: calls on tensors of rank 8 and less must not allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
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

  SmallVector() noexcept {}
  SmallVector(std::initializer_list<T> values) : SmallVector(values.begin(), values.end()) {}
  explicit SmallVector(std::size_t count, const T& value = T()) {
    reserve(count);
    for (T* at = data(); size_ < count; ++size_) ::new (static_cast<void*>(at + size_)) T(value);
  }
  template <std::forward_iterator Iterator>
  SmallVector(Iterator first, Iterator last) {
    reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (T* at = data(); first != last; ++first, ++size_) ::new (static_cast<void*>(at + size_)) T(static_cast<T>(*first));
  }
  template <class Range>
    requires(!std::is_same_v<std::remove_cvref_t<Range>, SmallVector> && requires(const Range& r) {
      std::begin(r);
      std::end(r);
    })
  explicit SmallVector(const Range& range) : SmallVector(std::begin(range), std::end(range)) {}

  SmallVector(const SmallVector& other) : storage_(nullptr) {
    if (copies_bytes && other.is_inline()) {
      take_bytes(other);
    } else {
      append(other);
    }
  }
  SmallVector(SmallVector&& other) noexcept : storage_(nullptr) { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    if (copies_bytes && is_inline() && other.is_inline()) {
      take_bytes(other);
    } else {
      clear();
      append(other);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    clear();
    release();
    take(other);
    return *this;
  }
  ~SmallVector() {
    clear();
    release();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return is_inline() ? reinterpret_cast<T*>(storage_.here) : storage_.heap; }
  [[nodiscard]] const T* data() const noexcept { return is_inline() ? reinterpret_cast<const T*>(storage_.here) : storage_.heap; }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + size_; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  T& back() noexcept { return data()[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return data()[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    ::new (static_cast<void*>(data() + size_)) T(std::move(value));
    ++size_;
  }
  // Adds a default element, to be filled in place.
  T& emplace_back() {
    if (size_ == capacity_) reserve(2 * capacity_);
    T* const added = ::new (static_cast<void*>(data() + size_)) T();
    ++size_;
    return *added;
  }
  void pop_back() noexcept { data()[--size_].~T(); }
  void clear() noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_n(data(), size_);
    size_ = 0;
  }
  void resize(std::size_t count, const T& value = T()) {
    if constexpr (std::is_trivially_destructible_v<T>) {
      if (size_ > count) size_ = static_cast<std::uint32_t>(count);
    }
    while (size_ > count) pop_back();
    while (size_ < count) push_back(value);
  }
  template <class Range>
  void append(const Range& range) {
    reserve(size_ + static_cast<std::size_t>(std::end(range) - std::begin(range)));
    for (const T& value : range) push_back(value);
  }
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    T* const grown = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data(), size_, grown);
    std::destroy_n(data(), size_);
    release();
    storage_.heap = grown;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    const T *x = a.data(), *y = b.data();
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(x[i] == y[i])) return false;
    }
    return true;
  }

 private:
  // Copying the whole inline storage beats a loop over a few elements.
  static constexpr bool copies_bytes = std::is_trivially_copyable_v<T> && N * sizeof(T) <= 128;

  [[nodiscard]] bool is_inline() const noexcept { return capacity_ == N; }
  void release() noexcept {
    if (!is_inline()) std::allocator<T>().deallocate(storage_.heap, capacity_);
    capacity_ = N;
  }
  void take_bytes(const SmallVector& other) noexcept {
    std::memcpy(static_cast<void*>(&storage_), &other.storage_, sizeof storage_);
    size_ = other.size_;
  }
  // Only when this holds nothing.
  void take(SmallVector& other) noexcept {
    if (!other.is_inline()) {
      storage_.heap = other.storage_.heap;
      capacity_ = std::exchange(other.capacity_, N);
      size_ = std::exchange(other.size_, 0);
    } else if (copies_bytes) {
      take_bytes(other);
    } else {
      std::uninitialized_move_n(other.data(), other.size_, data());
      size_ = other.size_;
      other.clear();
    }
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  union Storage {
    explicit Storage(std::nullptr_t) noexcept : heap(nullptr) {}  // for copies, which overwrite it
    Storage() noexcept {
      if constexpr (copies_bytes) std::memset(here, 0, sizeof here);
    }
    T* heap;
    alignas(T) std::byte here[N * sizeof(T)];
  } storage_;
};

}  // namespace strew
