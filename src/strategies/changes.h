// Finding the elements of a copy that were changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/types.h"
#include "strategies/blocks.h"

namespace strew {

// Calls use(first, count) for each stretch of the elements [begin, end) of `after`, `element` bytes each, that are not the bits of those of
// `before`, which are `step` bytes apart.
template <class Use>
void each_change(const std::byte* after, const std::byte* before, std::int64_t step, std::int64_t element, std::int64_t begin,
                 std::int64_t end, const Use& use) {
  const auto compare_as = [&]<class Bits>(Tag<Bits>) {
    const auto is_changed = [&](std::int64_t i) {
      return load<Bits>(after + i * static_cast<std::int64_t>(sizeof(Bits))) != load<Bits>(before + i * step);
    };
    each_stretch(begin, end, is_changed, use);
  };
  switch (element) {
    case 1: return compare_as(Tag<std::uint8_t>{});
    case 2: return compare_as(Tag<std::uint16_t>{});
    case 4: return compare_as(Tag<std::uint32_t>{});
    case 8: return compare_as(Tag<std::uint64_t>{});
    default: return compare_as(Tag<std::array<std::uint64_t, 2>>{});
  }
}

}  // namespace strew
