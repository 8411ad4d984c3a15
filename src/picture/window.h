// The part of a tensor that is drawn: slices of a few rows and columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/view.h"

namespace strew::internal {

// Shown coordinates on one axis, or shown combinations of coordinates on several, in ascending order and at most `most`.
template <class Coordinate>
class Shown {
 public:
  Shown() = default;
  explicit Shown(std::size_t most) : most_(most) {}

  // Adds a coordinate. Returns false if it is not there and there is no room.
  bool add(const Coordinate& coordinate) {
    const auto at = std::lower_bound(list_.begin(), list_.end(), coordinate);
    if (at != list_.end() && *at == coordinate) return true;
    if (list_.size() == most_) return false;
    list_.insert(at, coordinate);
    return true;
  }
  // The number of a coordinate in the list; -1 if it is not there.
  [[nodiscard]] std::int64_t find(const Coordinate& coordinate) const {
    const auto at = std::lower_bound(list_.begin(), list_.end(), coordinate);
    return at != list_.end() && *at == coordinate ? at - list_.begin() : -1;
  }
  [[nodiscard]] bool full() const { return list_.size() == most_; }
  [[nodiscard]] const std::vector<Coordinate>& list() const { return list_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(list_.size()); }

 private:
  std::size_t most_ = 0;
  std::vector<Coordinate> list_;
};

using Coordinates1 = std::vector<std::int64_t>;

// The last two axes are rows and columns; each combination of coordinates on the others is a slice. Tensors of lower rank have one row or
// one column.
struct Window {
  Dims shape;
  Shown<Coordinates1> slices;
  Shown<std::int64_t> rows, columns;

  Window() = default;
  Window(Dims shape_, std::size_t most_slices, std::size_t most_rows, std::size_t most_columns)
      : shape(std::move(shape_)), slices(most_slices), rows(most_rows), columns(most_columns) {}

  [[nodiscard]] std::size_t slice_axes() const { return shape.size() < 2 ? 0 : shape.size() - 2; }
  [[nodiscard]] std::int64_t row_count() const { return shape.size() < 2 ? 1 : shape[shape.size() - 2]; }
  [[nodiscard]] std::int64_t column_count() const { return shape.empty() ? 1 : shape.back(); }
  [[nodiscard]] std::int64_t cells() const { return slices.size() * rows.size() * columns.size(); }

  // Adds the first coordinates on all axes, as long as there is room.
  void fill();
  // The position of a drawn element.
  [[nodiscard]] Dims position(std::int64_t slice, std::int64_t row, std::int64_t column) const;
};

// Calls use(slice, row, column) for every drawn element.
template <class Use>
void each_cell(const Window& window, Use use) {
  for (std::int64_t slice = 0; slice < window.slices.size(); ++slice) {
    for (std::int64_t row = 0; row < window.rows.size(); ++row) {
      for (std::int64_t column = 0; column < window.columns.size(); ++column) use(slice, row, column);
    }
  }
}

}  // namespace strew::internal
