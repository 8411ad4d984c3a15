// Where a point leads: the coordinates that its indices name.
#pragma once

#include <string>

#include "core/view.h"
#include "strew/op.h"

namespace strew::internal {

struct PointTarget {
  enum State : std::uint8_t { inside, left_out, outside } state = inside;
  // Per axis of the addressed tensor. 0 on axes of the row; on a column's axis, if the index is bad, its value as
  // stored; 2^63 - 1 for a larger one.
  Dims at;
  bool clamped = false;  // whether `at` has the nearest coordinate in place of a bad one
};

// `shape` is that of the addressed tensor.
[[nodiscard]] PointTarget reach_of(const Addressing& where, Sizes shape, Sizes point);

// The indices of a point as stored: one number, or a tuple. Empty if no index is read.
[[nodiscard]] std::string index_text(const Addressing& where, Sizes point);

}  // namespace strew::internal
