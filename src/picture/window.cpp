// Fills windows and finds the positions of their elements.
#include "picture/window.h"

namespace strew::internal {
namespace {

void fill_axis(Shown<std::int64_t>& shown, std::int64_t count) {
  for (std::int64_t at = 0; at < count && !shown.full(); ++at) shown.add(at);
}

}  // namespace

void Window::fill() {
  fill_axis(rows, row_count());
  fill_axis(columns, column_count());
  const Sizes leading(shape.data(), slice_axes());
  if (is_empty(leading)) return;
  Coordinates1 at(leading.size(), 0);
  while (!slices.full()) {
    slices.add(at);
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == leading[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

Dims Window::position(std::int64_t slice, std::int64_t row, std::int64_t column) const {
  Dims position(slices.list()[static_cast<std::size_t>(slice)]);
  if (shape.size() >= 2) position.push_back(rows.list()[static_cast<std::size_t>(row)]);
  if (!shape.empty()) position.push_back(columns.list()[static_cast<std::size_t>(column)]);
  return position;
}

}  // namespace strew::internal
