// Brings elements into another order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

// to[i] = from[numbers[i]]    for i < count; `from` has an element every `step` bytes, `to` is dense
struct Permutation {
  std::byte* to;
  const std::byte* from;
  std::int64_t step;
  const std::uint16_t* numbers;
  std::int64_t count;
};
using PermuteKernel = void (*)(const Permutation& permutation);

// For elements of so many bytes; null where there is none.
PermuteKernel permute_kernel(std::int64_t bytes);

}  // namespace strew
