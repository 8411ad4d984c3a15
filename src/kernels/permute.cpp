// Permutes elements by their size alone.
#include "kernels/permute.h"

#include <algorithm>
#include <cstring>

#include "kernels/prefetch.h"

namespace strew::internal {
namespace {

template <std::int64_t bytes>
void permute(const Permutation& p) {
  constexpr std::int64_t block = 64;
  std::byte* const to = p.to;
  const std::byte *const from = p.from, *const later = p.later;
  const std::uint16_t* const numbers = p.numbers;
  const std::int64_t count = p.count, stride = p.stride;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t end = std::min(begin + block, count);
    for (std::int64_t line = begin * bytes; line < end * bytes; line += line_bytes) prefetch(later, line);
    if (stride == bytes) {
      for (std::int64_t i = begin; i < end; ++i) std::memcpy(to + i * bytes, from + numbers[i] * bytes, bytes);
    } else {
      for (std::int64_t i = begin; i < end; ++i) std::memcpy(to + i * bytes, from + numbers[i] * stride, bytes);
    }
  }
}

}  // namespace

PermuteKernel permute_kernel(std::int64_t bytes) {
  switch (bytes) {
    case 1: return &permute<1>;
    case 2: return &permute<2>;
    case 4: return &permute<4>;
    case 8: return &permute<8>;
    case 16: return &permute<16>;
    default: return nullptr;
  }
}

}  // namespace strew::internal
