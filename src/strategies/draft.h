// A small output with many updates is stepped as a draft, of which what changed is written back. Nothing of the caller's is written before,
// so indices are checked as they are used, without a pass of their own.
#pragma once

#include "base/scratch.h"
#include "strategies/job.h"

namespace strew::internal {

// Whether so many indices into a dense output of so many bytes are worth a draft: no cache is too small for it, and reading all indices
// twice would cost more than copying it.
bool pays_as_draft(std::int64_t indices, std::int64_t elements, std::int64_t bytes);

class Draft {
 public:
  // Of `size` bytes at `out`, in elements of `element` bytes, made and written back on the threads of the job.
  Draft(std::byte* out, std::int64_t element, std::int64_t size, const Job& job);
  // Nothing if there is no memory.
  explicit operator bool() const { return static_cast<bool>(memory_); }
  [[nodiscard]] static std::int64_t scratch(std::int64_t size) { return 2 * size; }

  // Where the job steps instead of the output.
  [[nodiscard]] std::byte* data() const { return memory_.as<std::byte>(); }
  // What no update changed is not written: another thread may be at work there.
  void write_back() const;

 private:
  // Calls use(begin, end) for the bytes of all elements, a piece at a time, on the threads of the job.
  template <class Use>
  void each_piece(const Use& use) const;

  const Job& job_;
  std::byte* out_;
  std::int64_t element_, size_;  // bytes
  const Scratch memory_;  // the draft, and the output as it was
};

}  // namespace strew::internal
