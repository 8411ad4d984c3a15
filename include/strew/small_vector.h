// A vector with inline storage, so that calls on tensors of rank <= 8 do not allocate.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "strew/export.h"

namespace strew::inline v0 {

namespace detail {
// Throws an Error of code `memory`, without allocating.
[[noreturn]] STREW_API void throw_no_memory();
// Throws an Error of code `shape`: a size or a stride that no std::int64_t holds.
[[noreturn]] STREW_API void throw_too_large(std::uint64_t value);

// An integer that may be a size. Characters are text.
template <class N>
concept SizeLike = std::integral<N> && !std::same_as<N, bool> && !std::same_as<N, char> && !std::same_as<N, wchar_t> &&
                   !std::same_as<N, char8_t> && !std::same_as<N, char16_t> && !std::same_as<N, char32_t>;

// An integer of any type as std::int64_t, so that a list of sizes needs no casts. One that does not fit is an Error.
struct Integer {
  std::int64_t value;

  template <class N>
    requires(std::convertible_to<const N&, std::int64_t> && !std::is_floating_point_v<N> &&
             (!std::is_arithmetic_v<N> || sizeof(N) <= sizeof(std::int64_t)))
  constexpr Integer(const N& n) : value(static_cast<std::int64_t>(n)) {
    if constexpr (std::unsigned_integral<N> && sizeof(N) == sizeof(std::int64_t)) {
      if (n > N{std::numeric_limits<std::int64_t>::max()}) throw_too_large(n);
    }
  }
};
}  // namespace detail

// A vector that stores up to N elements inline and more on the heap. The interface follows std::vector; arguments may be elements of the
// vector itself. Throws an Error of code `memory` if an allocation fails or the size would exceed 2^32 - 1.
template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_nothrow_move_constructible_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  static constexpr bool holds_integers = std::is_same_v<T, std::int64_t>;
  using Item = std::conditional_t<holds_integers, detail::Integer, T>;
  // Whether a range of `Value` converts implicitly.
  template <class Value>
  static constexpr bool takes = std::is_same_v<Value, T> || (holds_integers && detail::SizeLike<Value>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() noexcept : data_(here()) {}
  SmallVector(std::initializer_list<Item> values) : SmallVector(values.begin(), values.end()) {}
  // Exact match: in a template clang 14 would treat `{n}` as a count.
  template <std::same_as<T> Same>
    requires holds_integers
  SmallVector(std::initializer_list<Same> values) : SmallVector(values.begin(), values.end()) {}
  explicit SmallVector(std::size_t count)
    requires(!holds_integers)
      : SmallVector(count, T()) {}
  SmallVector(std::size_t count, const T& value) : SmallVector() { assign(count, value); }
  template <std::forward_iterator Iterator>
  SmallVector(Iterator first, Iterator last) : SmallVector() {
    reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first, ++size_) {
      if constexpr (holds_integers) {
        ::new (static_cast<void*>(data_ + size_)) T(Item(*first).value);
      } else {
        ::new (static_cast<void*>(data_ + size_)) T(static_cast<T>(*first));
      }
    }
  }
  template <class Range>
    requires(!std::is_same_v<std::remove_cvref_t<Range>, SmallVector> &&
             requires(const Range& r) {
               std::begin(r);
               std::end(r);
             })
  explicit(!takes<std::remove_cvref_t<decltype(*std::begin(std::declval<const Range&>()))>>) SmallVector(const Range& range)
      : SmallVector(std::begin(range), std::end(range)) {}

  SmallVector(const SmallVector& other) : SmallVector() {
    if (copies_whole && other.size_ <= N) {
      copy_whole(other);
    } else {
      copy_long(other);
    }
  }
  SmallVector(SmallVector&& other) noexcept : data_(here()) { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    clear();
    if (copies_whole && other.size_ <= N) {
      copy_whole(other);
    } else {
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
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_n(data_, size_);
    release();
  }

  // As those of std::vector:
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

  // Appends an element.
  void push_back(T value) {
    if (size_ == capacity_) grow(2 * std::size_t{capacity_});
    ::new (static_cast<void*>(data_ + size_)) T(std::move(value));
    ++size_;
  }
  // Appends a default-initialised element and returns it.
  T& emplace_back() {
    if (size_ == capacity_) grow(2 * std::size_t{capacity_});
    T* const added = ::new (static_cast<void*>(data_ + size_)) T;
    ++size_;
    return *added;
  }
  // Appends an element that is constructed in place, and returns it.
  template <class... Arguments>
    requires(sizeof...(Arguments) > 0)
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) {
      push_back(T(std::forward<Arguments>(arguments)...));
      return back();
    }
    T* const added = ::new (static_cast<void*>(data_ + size_)) T(std::forward<Arguments>(arguments)...);
    ++size_;
    return *added;
  }
  // Appends `count` uninitialised elements and returns a pointer to the first one. The caller must write all of them before any other use.
  T* extend(std::size_t count)
    requires std::is_trivially_copyable_v<T>
  {
    if (count > most) detail::throw_no_memory();
    reserve(size_ + count);
    T* const added = data_ + size_;
    size_ += static_cast<std::uint32_t>(count);
    return added;
  }
  // Requires a vector that is not empty.
  void pop_back() noexcept { data_[--size_].~T(); }
  // Removes all elements and keeps the memory.
  void clear() noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_n(data_, size_);
    size_ = 0;
  }
  // Removes all elements from position `count` on.
  void truncate(std::size_t count) noexcept {
    if constexpr (std::is_trivially_destructible_v<T>) {
      if (count < size_) size_ = static_cast<std::uint32_t>(count);
    } else {
      while (size_ > count) pop_back();
    }
  }
  // Removes elements at the end, or appends copies of `value`, until there are `count`.
  void resize(std::size_t count, T value = T()) {
    truncate(count);
    reserve(count);
    while (size_ < count) push_back(value);
  }
  // Replaces all elements by `count` copies of `value`.
  void assign(std::size_t count, T value) {
    clear();
    reserve(count);
    if (copies_whole && count <= N) {
      std::uninitialized_fill_n(data_, N, value);
    } else {
      std::uninitialized_fill_n(data_, count, value);
    }
    size_ = static_cast<std::uint32_t>(count);
  }
  // Appends the elements of a contiguous range, which may be part of this vector.
  template <class Range>
  void append(const Range& range) {
    const auto* from = std::data(range);
    const std::size_t count = std::size(range);
    if (count > capacity_ - size_) {
      append_growing(SmallVector(from, from + count));
      return;
    }
    std::uninitialized_copy_n(from, count, data_ + size_);
    size_ += static_cast<std::uint32_t>(count);
  }
  // Allocates memory for at least `capacity` elements.
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    grow(capacity);
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  // Whether to copy the whole inline storage: a constant number of bytes is copied faster than a variable one. Bytes behind the last
  // element may be uninitialised; they are only copied.
  static constexpr bool copies_whole = std::is_trivially_copyable_v<T> && N * sizeof(T) <= 64;

  static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();  // elements

  // Requires other.size() <= N.
  void copy_whole(const SmallVector& other) noexcept {
    std::memcpy(static_cast<void*>(data_), static_cast<const void*>(other.data_), N * sizeof(T));
    size_ = other.size_;
  }
  // Not inlined, so that copy_whole can be.
  [[gnu::noinline]] void copy_long(const SmallVector& other) { append(other); }
  [[nodiscard]] T* here() noexcept { return reinterpret_cast<T*>(storage_); }
  // Takes a copy of the elements, because they may be part of this vector.
  [[gnu::noinline]] void append_growing(SmallVector added) {
    reserve(size_ + added.size());
    std::uninitialized_move_n(added.begin(), added.size(), data_ + size_);
    size_ += added.size_;
  }
  [[nodiscard]] static T* allocate(std::size_t capacity) {
    if (capacity > most) detail::throw_no_memory();
    void* const memory = ::operator new(capacity * sizeof(T), std::nothrow);
    if (memory == nullptr) detail::throw_no_memory();
    return static_cast<T*>(memory);
  }
  // Not inlined: vectors rarely grow.
  [[gnu::noinline]] void grow(std::size_t capacity) {
    T* const grown = allocate(capacity);
    std::uninitialized_move_n(data_, size_, grown);
    std::destroy_n(data_, size_);
    release();
    data_ = grown;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void release() noexcept {
    if (capacity_ == N) return;
    ::operator delete(data_);
    data_ = here();
    capacity_ = N;
  }
  // Requires that this vector is empty and inline.
  void take(SmallVector& other) noexcept {
    if (other.capacity_ != N) {
      data_ = std::exchange(other.data_, other.here());
      capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(N));
      size_ = std::exchange(other.size_, 0u);
    } else if constexpr (copies_whole) {
      copy_whole(other);
    } else {
      std::uninitialized_move_n(other.data_, other.size_, data_);
      size_ = other.size_;
      other.clear();
    }
  }

  T* data_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) std::byte storage_[N * sizeof(T)];
};

}  // namespace strew::inline v0
