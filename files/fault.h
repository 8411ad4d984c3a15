// Survives the loss of pages of a mapped file: the kernel raises SIGBUS when another process shortens the file, or the disk fails.
#pragma once

#include <atomic>
#include <cstddef>

namespace strew::files {

// While it lives, SIGBUS in a guarded range does not end the process. Not nested, one per process.
class FaultHandler {
 public:
  FaultHandler();
  ~FaultHandler();
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;
};

// A range of mapped memory, from a page on. When one of its pages is lost, zeros replace all of them from there on, and lost() tells so:
// whoever reads the range must ask afterwards.
class GuardedRange {
 public:
  // Throws an Error of code `memory` if there are too many ranges.
  GuardedRange(std::byte* begin, std::size_t size);
  ~GuardedRange();
  GuardedRange(const GuardedRange&) = delete;
  GuardedRange& operator=(const GuardedRange&) = delete;
  [[nodiscard]] bool lost() const;

 private:
  std::size_t slot_;
};

}  // namespace strew::files
