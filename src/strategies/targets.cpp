// Computes the common unit of all strides, and numbers points in it.
#include "strategies/targets.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/checked.h"

namespace strew::internal {

Targets targets_of(const Walk& walk) {
  Targets targets;
  std::int64_t unit = 0;
  for (const Column& column : walk.columns) {
    if (column.extent > 1) unit = std::gcd(unit, column.stride);
  }
  targets.unit = std::max<std::int64_t>(unit, 1);
  for (const Column& column : walk.columns) {
    const std::int64_t last = std::max<std::int64_t>(column.extent - 1, 0) * column.stride;
    targets.low += std::min<std::int64_t>(last, 0);
    targets.count += std::abs(last) / targets.unit;
  }
  return targets;
}

std::int64_t places_of(const Walk& walk) {
  std::int64_t count = 1;
  for (const Column& column : walk.columns) count = saturating_mul(count, column.extent);
  return count;
}

std::string_view numbering_obstacle(const Job& job) {
  const Walk& walk = job.walk;
  if (job.gathers) return "a gather needs no sorting";
  if (job.stream_bytes == 0) return "strings cannot be copied as bytes";
  if (walk.points.size() != 1 || walk.columns.empty()) return "the points must have one dimension";
  if (walk.addressed_strides[0] != 0) return "an axis follows the point's own position";
  if (walk.row.size() > 1) return "the row must have one dimension";
  return {};
}

bool rows_are_dense(const Job& job) {
  constexpr std::int64_t max_element = 16;
  const auto is_dense = [&](std::int64_t stride) { return stride > 0 && stride <= max_element; };
  const Walk& walk = job.walk;
  return walk.row.empty() || (is_dense(walk.addressed_row_strides[0]) && is_dense(walk.stream_row_strides[0]));
}

bool number_points(const Walk& walk, const Targets& targets, std::int64_t begin, std::int64_t count, std::int64_t* numbers) {
  std::fill_n(numbers, count, -targets.low / targets.unit);
  bool bad = false;
  for (const Column& column : walk.columns) {
    const std::int64_t stride = column.index_strides[0];
    bad |= column.kernels.address({column.index + begin * stride, stride, count, column.extent, column.stride / targets.unit}, numbers);
  }
  return !bad;
}

}  // namespace strew::internal
