// Memory for the time of a call. Large pieces ask for huge pages: faults on small ones cost as much as the work they serve.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

class Scratch {
 public:
  // Aligned to a cache line, its bytes undefined. Nothing if it cannot be had.
  explicit Scratch(std::int64_t bytes);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  explicit operator bool() const { return memory_ != nullptr; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
};

}  // namespace strew
