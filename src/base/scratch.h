// Memory for the time of a call. Large pieces ask for huge pages: faults on small ones cost as much as the work they serve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace strew::internal {

// Asks for huge pages under memory that was just taken; small pieces are left as they are.
void prefer_huge_pages(void* memory, std::size_t size);

class Scratch {
 public:
  // Aligned to a cache line, its bytes undefined. Nothing if it cannot be had.
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
