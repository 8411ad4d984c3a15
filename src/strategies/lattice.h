// Maps row-major element numbers of a tensor to byte offsets, for any strides.
#pragma once

#include <cstdint>

#include "base/checked.h"
#include "strew/tensor.h"

namespace strew::internal {

// Numbers count over `extents`, whose dimensions are `strides` bytes apart and collapsed: most lattices have one dimension.
struct Lattice {
  Dims extents;
  Dims strides;

  [[nodiscard]] bool is_line() const { return extents.size() <= 1; }
  // Of a line: bytes from one number to the next.
  [[nodiscard]] std::int64_t stride() const { return strides.empty() ? 0 : strides[0]; }

  [[nodiscard]] std::int64_t offset(std::int64_t number) const {
    if (is_line()) return wrapping_mul(number, stride());
    std::int64_t offset = 0;
    for (std::size_t d = extents.size(); d-- > 0; number /= extents[d]) offset += number % extents[d] * strides[d];
    return offset;
  }

  // offsets[i] = offset(first + numbers[i])
  template <class N>
  void offsets(std::int64_t first, const N* numbers, std::int64_t count, std::int64_t* offsets) const {
    if (!is_line()) {
      for (std::int64_t i = 0; i < count; ++i) offsets[i] = offset(first + static_cast<std::int64_t>(numbers[i]));
      return;
    }
    const std::int64_t start = wrapping_mul(first, stride()), each = stride();
    for (std::int64_t i = 0; i < count; ++i) offsets[i] = start + wrapping_mul(static_cast<std::int64_t>(numbers[i]), each);
  }
};

}  // namespace strew::internal
