// Permutes elements.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew::internal {

// to[i] = from[numbers[i]]    for i < count. Elements of `from` are `stride` bytes apart, those of `to` contiguous. Meanwhile prefetches as
// many bytes from `later`, the input of a later call: random access to uncached memory is slow.
struct Permutation {
  std::byte* to;
  const std::byte* from;
  std::int64_t stride;
  const std::uint16_t* numbers;
  std::int64_t count;
  const std::byte* later;
};
using PermuteKernel = void (*)(const Permutation& permutation);

// For elements of 1, 2, 4, 8 or 16 bytes; null for others.
PermuteKernel permute_kernel(std::int64_t bytes);

}  // namespace strew::internal
