// Lanes for arrows between the lines of a panel: an arrow to or from a cell with other cells in its way takes one, so that it crosses none.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "picture/window.h"

namespace strew::internal {

// Drawn cells of one slice, by number, ends included: those of a point or of a place. Numbers beyond the window are those of bad indices.
struct CellRange {
  std::int64_t slice = -1, top = 0, bottom = 0, left = 0, right = 0;
  [[nodiscard]] bool empty() const { return slice < 0; }
};

// A line is a row of cells if arrows go from left to right, and a column if they go down. Arrows with the same cell at the end of their
// lane share it.
class ArrowLanes {
 public:
  // `leaves`: whether arrows leave the panel or arrive there.
  ArrowLanes(const Window& window, bool in_rows, bool leaves);

  // A cell beyond the window, which is in the way of others. All of them come before add().
  void add_beyond(const CellRange& cell);
  void add(const CellRange& cells);

  // Space behind each line, beginning with the one before the first.
  [[nodiscard]] std::vector<double> gaps() const;
  // Distance of an arrow's lane from its cells; 0 if nothing is in its way.
  [[nodiscard]] double offset(const CellRange& cells) const;

 private:
  using Line = std::pair<std::int64_t, std::int64_t>;  // slice, and number of the line
  [[nodiscard]] Line line_of(const CellRange& cells) const { return {cells.slice, in_rows_ ? cells.bottom : cells.right}; }
  [[nodiscard]] std::int64_t near(const CellRange& cells) const { return in_rows_ ? cells.left : cells.top; }
  // How far the lane goes into the panel: shorter ones are nearer to the cells.
  [[nodiscard]] std::int64_t depth(const CellRange& cells) const;
  [[nodiscard]] bool is_direct(const CellRange& cells) const;
  [[nodiscard]] double spacing(const Line& line) const;

  bool in_rows_, leaves_;
  std::int64_t lines_, length_;  // drawn lines, and cells of a line
  std::map<Line, std::set<std::int64_t>> depths_;
  std::set<Line> beyond_;  // lines with a cell beyond the window
};

}  // namespace strew::internal
