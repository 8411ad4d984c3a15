// Steps single elements that short numbers name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

// place[numbers[i]] = op(place[numbers[i]], updates[i])    for i < count, in order; `place` has an element every `step` bytes, `updates` is
// dense
struct NumberedRun {
  std::byte* addressed;
  std::int64_t step;
  const std::uint16_t* numbers;
  const std::byte* updates;
  std::int64_t count;
};
using NumberedKernel = void (*)(const NumberedRun& run);
// For common steps on common types; null for others. Elements that are counted have their count beside them, of the same size.
NumberedKernel numbered_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted);

}  // namespace strew::internal
