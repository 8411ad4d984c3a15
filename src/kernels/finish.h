// What happens to a touched element before its first step and after its last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// to[i] = the neutral element of the reduction, `count` elements of type `dtype`, dense.
using IdentityKernel = void (*)(std::byte* to, std::int64_t count);
IdentityKernel identity_kernel(Reduction reduction, FoldCompare compare, Dtype dtype);

// Rows of accumulators, each dense, with the counts of their updates, and where their results go. Steps are in bytes.
struct FinishBlock {
  const std::byte* accumulators;
  std::int64_t step;         // from one row to the next, and from one count to the next
  const std::byte* counts;
  bool wide_counts;          // of 64 bits instead of 32
  std::int64_t self;         // what a mean counts besides the updates
  std::byte* out;
  std::int64_t out_step;
  std::int64_t rows;
  std::int64_t width;        // elements in a row
  std::int64_t out_width_step;
};
// Rows without updates are left as they are.
using FinishKernel = void (*)(const FinishBlock& block);
FinishKernel finish_kernel(FoldFinish finish, Dtype dtype, Dtype accumulator);

}  // namespace strew::internal
