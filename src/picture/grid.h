// Where the cells of a panel lie.
#pragma once

#include <vector>

#include "picture/scene.h"
#include "picture/svg.h"

namespace strew::internal {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
};

// Room for indices out of range beside the cells.
struct Beyond {
  bool left = false, right = false, above = false, below = false;
};

// The geometry of one panel, relative to its own corner, which move() sets.
class PanelGrid {
 public:
  // `gutter` is the width of the row labels, `cell` the size of a cell. Column numbers are above the cells or below them, row
  // labels at their left or at their right.
  struct Labels {
    bool below = false, right = false;
  };
  // Space behind each row and column, beginning with the one before the first; empty: none.
  struct Gaps {
    std::vector<double> rows, columns;
  };
  // A slice is at least `name` wide.
  PanelGrid(const Window& window, Box cell, double gutter, double name, Beyond beyond, Labels labels, const Gaps& gaps);
  void move(double x, double y) { x_ = x, y_ = y; }

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }
  [[nodiscard]] double x() const { return x_; }
  [[nodiscard]] double y() const { return y_; }
  // The cell at these numbers; column -1 and the number of columns are beyond the edges, and so for rows.
  [[nodiscard]] Box cell(std::int64_t slice, std::int64_t row, std::int64_t column) const;
  // Coordinates of rows and columns, and dots where some are left out.
  void draw_row_labels(Svg& svg, std::int64_t slice, bool numbers) const;
  void draw_column_labels(Svg& svg, std::int64_t slice, bool numbers) const;
  // Beside one row or column of the cells.
  void draw_column_label(Svg& svg, std::int64_t slice, std::int64_t column, std::string_view classes, std::string_view label) const;
  void draw_row_label(Svg& svg, std::int64_t slice, std::int64_t row, std::string_view classes, std::string_view label) const;
  void draw_slice_name(Svg& svg, std::int64_t slice, std::string_view name) const;

 private:
  const Window& window_;
  Box cell_;
  std::vector<double> columns_, rows_;  // offsets of the cells, with one more at each end for what is beyond
  std::vector<double> slices_;
  double x_ = 0, y_ = 0, width_ = 0, height_ = 0, slice_height_ = 0, cells_end_ = 0;
  Labels labels_;
};

}  // namespace strew::internal
