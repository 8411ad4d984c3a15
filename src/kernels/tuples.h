// Tuples of indices into numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew {

inline constexpr std::size_t widest_tuple = 4;

// numbers[i] = first + sum of tuple[i][k] * strides[k]    for i < count; tuples follow each other in memory, and numbers fit 32 bits
struct TupleRun {
  const std::byte* tuples;
  std::int64_t count;
  std::array<std::int64_t, widest_tuple> extents, strides;
  std::int64_t first;
  std::int32_t* numbers;
};
// Returns whether an index is bad; then the numbers must not be used.
using TupleKernel = bool (*)(const TupleRun& run);
// For tuples of so many common indices; null where there is none.
TupleKernel tuple_kernel(Dtype index, Negative negative, std::size_t width);

}  // namespace strew
