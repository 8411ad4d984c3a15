// Converts index tuples to the numbers or offsets of their places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

inline constexpr std::size_t widest_tuple = 4;

// numbers[i] = first + sum of tuples[i][k] * strides[k]    for i < count, contiguous tuples
template <class Number>
struct TupleRun {
  const std::byte* tuples;
  std::int64_t count;
  std::array<std::int64_t, widest_tuple> extents, strides;
  std::int64_t first;
  Number* numbers;
};
// Returns whether an index is bad; then the numbers must not be used.
template <class Number>
using TupleKernel = bool (*)(const TupleRun<Number>& run);

struct TupleKernels {
  TupleKernel<std::int32_t> numbers;  // if all of them fit 32 bits
  TupleKernel<std::int64_t> offsets;
};
// For tuples of 2 to widest_tuple indices of a common type; null for others.
TupleKernels tuple_kernels(Dtype index, Negative negative, std::size_t width);

}  // namespace strew::internal
