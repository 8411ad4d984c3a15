// Reads a few pairs of neighbouring indices.
#include "strategies/sample.h"

#include <algorithm>
#include <cstdlib>

namespace strew {
namespace {

constexpr std::int64_t most_pairs = 64, near = 4096;

}  // namespace

Sample sample(const Job& job) {
  Sample seen;
  const Walk& walk = job.walk;
  if (walk.points.empty() || walk.columns.empty() || walk.point_count == 0) return seen;
  const Column& column = walk.columns[0];
  const std::int64_t length = walk.points.back(), step = column.steps.back();
  const auto value_at = [&](std::int64_t i) {
    return read_index(column.dtype, Negative::reject, column.index + i * step, column.extent).value;
  };
  for (std::int64_t i = 0; i < std::min(most_pairs, length - 1); ++i) {
    const std::int64_t at = (length - 2) * i / most_pairs, here = value_at(at), next = value_at(at + 1);
    const auto apart = static_cast<std::uint64_t>(next) - static_cast<std::uint64_t>(here) + near;
    ++seen.pairs;
    seen.same += next == here;
    seen.near += apart <= 2 * near;
    seen.rising += next >= here;
  }
  return seen;
}

}  // namespace strew
