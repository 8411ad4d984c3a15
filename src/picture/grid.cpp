// Lays cells out with gaps where coordinates are left out.
#include "picture/grid.h"

#include <algorithm>

#include "base/text.h"

namespace strew::internal {
namespace {

constexpr double gap = 20, label_height = 15, slice_gap = 12;
constexpr std::string_view dots = "\xE2\x8B\xAF", vertical_dots = "\xE2\x8B\xAE";

// Offsets of the shown coordinates, with one more at each end. A gap stands for coordinates that are left out.
std::vector<double> offsets(const std::vector<std::int64_t>& shown, std::int64_t count, double start, double size, bool before, bool after,
                            std::vector<double> behind, double& end) {
  behind.resize(shown.size() + 2, 0);
  std::vector<double> result{start};
  double at = start + (before ? size + std::max(8.0, behind.front()) : 0);
  std::int64_t expected = 0;
  for (const std::int64_t coordinate : shown) {
    if (coordinate != expected) at += gap;
    result.push_back(at);
    at += size + behind[result.size() - 1];
    expected = coordinate + 1;
  }
  if (expected != count) at += gap;
  result.push_back(at + 8);
  end = after ? at + 8 + size + behind.back() : at;
  return result;
}

}  // namespace

PanelGrid::PanelGrid(const Window& window, Box cell, double gutter, double slice_name, Beyond beyond, Labels labels, const Gaps& gaps)
    : window_(window), cell_(cell), labels_(labels) {
  const double start = labels.right ? 0 : gutter;
  columns_ = offsets(window.columns.list(), window.column_count(), start, cell.width, beyond.left, beyond.right, gaps.columns, width_);
  cells_end_ = width_;
  if (labels.right) width_ += gutter;
  width_ = std::max(width_, columns_[1] + slice_name);
  rows_ = offsets(window.rows.list(), window.row_count(), 0, cell.height, beyond.above, beyond.below, gaps.rows, slice_height_);
  const double name = window.slice_axes() > 0 ? label_height : 0;
  for (std::int64_t slice = 0; slice < window.slices.size(); ++slice) {
    height_ += (slice > 0 ? slice_gap : 0) + name + (labels.below ? 0 : label_height);
    slices_.push_back(height_);
    height_ += slice_height_ + (labels.below ? label_height : 0);
  }
}

Box PanelGrid::cell(std::int64_t slice, std::int64_t row, std::int64_t column) const {
  return {x_ + columns_[static_cast<std::size_t>(column + 1)],
          y_ + slices_[static_cast<std::size_t>(slice)] + rows_[static_cast<std::size_t>(row + 1)], cell_.width, cell_.height};
}

void PanelGrid::draw_slice_name(Svg& svg, std::int64_t slice, std::string_view name) const {
  const Box first = cell(slice, 0, 0);
  const double top = y_ + slices_[static_cast<std::size_t>(slice)];
  svg.text(first.x, top - (labels_.below ? 0 : label_height) - 3, "label", Svg::Anchor::start, name);
}

void PanelGrid::draw_column_label(Svg& svg, std::int64_t slice, std::int64_t column, std::string_view classes,
                                  std::string_view label) const {
  const Box box = cell(slice, 0, column);
  const double top = y_ + slices_[static_cast<std::size_t>(slice)], base = labels_.below ? top + slice_height_ + 12 : top - 4;
  svg.text(box.x + box.width / 2, base, classes, Svg::Anchor::middle, label);
}

void PanelGrid::draw_column_labels(Svg& svg, std::int64_t slice, bool numbers) const {
  const std::vector<std::int64_t>& columns = window_.columns.list();
  const Box first = cell(slice, 0, 0);
  std::int64_t expected = 0;
  for (std::size_t i = 0; i <= columns.size(); ++i) {
    const std::int64_t coordinate = i < columns.size() ? columns[i] : window_.column_count();
    const double before = i < columns.size() ? x_ + columns_[i + 1] : x_ + columns_[i + 1] - 8;
    if (coordinate != expected) svg.text(before - gap / 2, first.y + cell_.height / 2 + 4, "label", Svg::Anchor::middle, dots);
    if (i < columns.size() && numbers) draw_column_label(svg, slice, static_cast<std::int64_t>(i), "label", cat(coordinate));
    expected = coordinate + 1;
  }
}

void PanelGrid::draw_row_label(Svg& svg, std::int64_t slice, std::int64_t row, std::string_view classes, std::string_view label) const {
  const double base = cell(slice, row, 0).y + cell_.height / 2 + 4;
  if (labels_.right) svg.text(x_ + cells_end_ + 6, base, classes, Svg::Anchor::start, label);
  else svg.text(cell(slice, row, 0).x - 6, base, classes, Svg::Anchor::end, label);
}

void PanelGrid::draw_row_labels(Svg& svg, std::int64_t slice, bool numbers) const {
  const std::vector<std::int64_t>& rows = window_.rows.list();
  const Box first = cell(slice, 0, 0);
  const double start = y_ + slices_[static_cast<std::size_t>(slice)];
  std::int64_t expected = 0;
  for (std::size_t i = 0; i <= rows.size(); ++i) {
    const std::int64_t coordinate = i < rows.size() ? rows[i] : window_.row_count();
    const double before = i < rows.size() ? start + rows_[i + 1] : start + rows_[i + 1] - 8;
    if (coordinate != expected) svg.text(first.x + cell_.width / 2, before - gap / 2 + 4, "label", Svg::Anchor::middle, vertical_dots);
    if (i < rows.size() && numbers) draw_row_label(svg, slice, static_cast<std::int64_t>(i), "label", cat(coordinate));
    expected = coordinate + 1;
  }
}

}  // namespace strew::internal
