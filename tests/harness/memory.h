// Memory with guards on both sides: a call that writes past its tensors is seen even without a sanitizer.
#pragma once

#include <cstddef>
#include <memory>

#include "harness/case.h"

namespace strew::harness {

class GuardedBuffer {
 public:
  // `shift` moves the elements off their alignment by that many bytes (strings stay aligned).
  explicit GuardedBuffer(const Buffer& content, std::size_t shift = 0);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&&) = delete;

  [[nodiscard]] void* data();
  // What the memory holds now.
  [[nodiscard]] Buffer content() const;
  // Whether the guards are as they were.
  [[nodiscard]] bool intact() const;

 private:
  void guard(bool closed) const;

  Dtype dtype_;
  std::size_t size_;   // bytes, or strings
  std::size_t start_;  // of the elements, in bytes
  std::unique_ptr<std::byte[]> bytes_;
  std::unique_ptr<std::string[]> strings_;
};

}  // namespace strew::harness
