// Brings elements into another order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew::internal {

// to[i] = from[numbers[i]]    for i < count; `from` has an element every `step` bytes, `to` is dense. `later` is asked for meanwhile, as
// many bytes as are moved: elements in another order come slowly from where no cache holds them.
struct Permutation {
  std::byte* to;
  const std::byte* from;
  std::int64_t step;
  const std::uint16_t* numbers;
  std::int64_t count;
  const std::byte* later;
};
using PermuteKernel = void (*)(const Permutation& permutation);

// For elements of so many bytes; null where there is none.
PermuteKernel permute_kernel(std::int64_t bytes);

}  // namespace strew::internal
