// What happens to a touched element before its first step and after its last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew {

// to[i] = the neutral element of the reduction, `count` elements of type `dtype`, dense.
using IdentityKernel = void (*)(std::byte* to, std::int64_t count);
IdentityKernel identity_kernel(Reduction reduction, Compare compare, Dtype dtype);

// A row of accumulators, dense, and where its result goes.
struct FinishRow {
  const std::byte* accumulators;
  std::byte* out;
  std::int64_t width;
  std::int64_t out_width_step;
  std::int64_t count;  // what a mean divides by
};
using FinishKernel = void (*)(const FinishRow& row);
FinishKernel finish_kernel(Finish finish, Dtype dtype, Dtype accumulator);

}  // namespace strew
