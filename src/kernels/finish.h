// The kernels for the begin and the finish of a fold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// to[i] = the neutral element of the reduction    for i < count, contiguous elements of type `dtype`
using IdentityKernel = void (*)(std::byte* to, std::int64_t count);
// Null if the reduction has no neutral element for the type.
IdentityKernel identity_kernel(Reduction reduction, FoldCompare compare, Dtype dtype);

// Contiguous rows of accumulators, the counts of their updates, and the output rows for the results. Steps are in bytes.
struct FinishBlock {
  const std::byte* accumulators;
  std::int64_t stride;       // between rows, and between counts
  const std::byte* counts;
  bool wide_counts;          // counts have 64 bits instead of 32
  std::int64_t self;         // added to each count of a mean: 1 if the old value takes part
  std::byte* out;
  std::int64_t out_stride;
  std::int64_t rows;
  std::int64_t width;        // elements per row
  std::int64_t out_width_stride;
};
// Leaves rows with a count of 0 unchanged. Null where the mean of the type is not defined.
using FinishKernel = void (*)(const FinishBlock& block);
FinishKernel finish_kernel(FoldFinish finish, Dtype dtype, Dtype accumulator);

}  // namespace strew::internal
