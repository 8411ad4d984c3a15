// Whether two views share memory, and whether one shares it with itself.
#pragma once

#include "core/view.h"

namespace strew::internal {

enum class Overlap : std::uint8_t {
  certain,
  unknown,  // the extents overlap, but perhaps no elements do
};

[[nodiscard]] inline bool meet(const Extent& a, const Extent& b) { return a.begin < b.end && b.begin < a.end; }

// For views whose extents overlap.
[[nodiscard]] Overlap overlap(const View& a, const View& b);

// Whether two elements of the view share memory. Exact, and faster than reading the elements, for any strides.
[[nodiscard]] bool overlaps_itself(const View& view);

[[nodiscard]] bool same_view(const View& a, const View& b);

}  // namespace strew::internal
