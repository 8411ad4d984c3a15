// Scratch memory of a call. Large blocks use huge pages: page faults on small pages cost as much as the work itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace strew::internal {

// Advises the kernel to back newly allocated memory with huge pages; does nothing below two of them.
void prefer_huge_pages(void* memory, std::size_t size);

// An owned, uninitialised block of bytes, aligned to a cache line. Converts to false if it is empty.
class Scratch {
 public:
  // Empty if `bytes` is negative or the allocation fails.
  explicit Scratch(std::int64_t bytes);
  Scratch() = default;
  Scratch(Scratch&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), size_(other.size_) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Scratch();

  explicit operator bool() const { return memory_ != nullptr; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace strew::internal
