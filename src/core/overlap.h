// Whether two views share memory, and whether one shares it with itself.
#pragma once

#include "core/view.h"

namespace strew::internal {

enum class Overlap : std::uint8_t {
  certain,
  unknown,  // the extents meet, but the elements may still be apart
};

[[nodiscard]] inline bool meet(const Extent& a, const Extent& b) { return a.begin < b.end && b.begin < a.end; }

// For views whose extents meet.
[[nodiscard]] Overlap overlap(const View& a, const View& b);

// Whether two elements of the view are the same memory. Exact, and in less time than to read them, whatever the strides are.
[[nodiscard]] bool overlaps_itself(const View& view);

[[nodiscard]] bool same_view(const View& a, const View& b);

}  // namespace strew::internal
