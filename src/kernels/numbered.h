// Steps single elements that are addressed by 16-bit numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// addressed[numbers[i]] = op(addressed[numbers[i]], updates[i])    for i < count, in order. Elements of `addressed` are `stride` bytes
// apart, those of `updates` contiguous.
struct NumberedRun {
  std::byte* addressed;
  std::int64_t stride;
  const std::uint16_t* numbers;
  const std::byte* updates;
  std::int64_t count;
};
using NumberedKernel = void (*)(const NumberedRun& run);
// For common reductions of common types; null for others. With `counted`, each element is followed by its count, of the same size.
NumberedKernel numbered_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted);

}  // namespace strew::internal
