// Orders the lanes of a line so that they do not cross: the arrow with the shortest lane is nearest to the cells.
#include "picture/lanes.h"

#include <algorithm>

namespace strew::internal {
namespace {

constexpr double first_lane = 6, behind_last = 5, widest_spacing = 5, most_space = 40;

}  // namespace

ArrowLanes::ArrowLanes(const Window& window, bool in_rows, bool leaves)
    : in_rows_(in_rows),
      leaves_(leaves),
      lines_(in_rows ? window.rows.size() : window.columns.size()),
      length_(in_rows ? window.columns.size() : window.rows.size()) {}

std::int64_t ArrowLanes::depth(const CellRange& cells) const {
  return leaves_ ? length_ - 1 - (in_rows_ ? cells.right : cells.bottom) : near(cells);
}

bool ArrowLanes::is_direct(const CellRange& cells) const {
  const std::int64_t at = depth(cells);
  return at < 0 || (at == 0 && !beyond_.contains(line_of(cells)));
}

void ArrowLanes::add_beyond(const CellRange& cell) {
  if (depth(cell) < 0) beyond_.insert(line_of(cell));
}

void ArrowLanes::add(const CellRange& cells) {
  if (!is_direct(cells)) depths_[line_of(cells)].insert(depth(cells));
}

double ArrowLanes::spacing(const Line& line) const {
  return std::min(widest_spacing, most_space / static_cast<double>(depths_.at(line).size()));
}

std::vector<double> ArrowLanes::gaps() const {
  std::vector<double> result(static_cast<std::size_t>(lines_ + 2), 0);
  for (const auto& [line, depths] : depths_) {
    double& gap = result[static_cast<std::size_t>(std::clamp<std::int64_t>(line.second + 1, 0, lines_ + 1))];
    gap = std::max(gap, first_lane + static_cast<double>(depths.size() - 1) * spacing(line) + behind_last);
  }
  return result;
}

double ArrowLanes::offset(const CellRange& cells) const {
  if (is_direct(cells)) return 0;
  const std::set<std::int64_t>& depths = depths_.at(line_of(cells));
  return first_lane + static_cast<double>(std::distance(depths.begin(), depths.find(depth(cells)))) * spacing(line_of(cells));
}

}  // namespace strew::internal
