// A small output with many updates is stepped in a copy (the draft), whose changes are written back. The caller's output is not written
// before, so indices are validated as they are read, without a separate pass.
#pragma once

#include "base/scratch.h"
#include "strategies/job.h"

namespace strew::internal {

// Whether a draft pays: it fits a cache, and reading all indices twice would cost more than copying the output.
bool pays_as_draft(std::int64_t indices, std::int64_t elements, std::int64_t bytes);

class Draft {
 public:
  // Copies `size` bytes at `out`, in elements of `element` bytes, on the threads of the job.
  Draft(std::byte* out, std::int64_t element, std::int64_t size, const Job& job);
  // False if the memory could not be allocated.
  explicit operator bool() const { return static_cast<bool>(memory_); }
  [[nodiscard]] static std::int64_t scratch(std::int64_t size) { return 2 * size; }

  // To be stepped instead of the output.
  [[nodiscard]] std::byte* data() const { return memory_.as<std::byte>(); }
  // Unchanged elements are not written: another thread may be writing them.
  void write_back() const;

 private:
  // Calls use(begin, end) for all bytes, a chunk at a time, on the threads of the job.
  template <class Use>
  void each_chunk(const Use& use) const;

  const Job& job_;
  std::byte* out_;
  std::int64_t element_, size_;  // bytes
  const Scratch memory_;         // the draft, and the original output
};

}  // namespace strew::internal
