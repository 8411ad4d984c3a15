// Reads a few pairs of neighbouring indices.
#include "strategies/sample.h"

#include <algorithm>

#include "base/checked.h"

namespace strew {
namespace {

constexpr std::int64_t most_pairs = 64, near = 1 << 14;

}  // namespace

Sample sample(const Job& job) {
  Sample seen;
  const Walk& walk = job.walk;
  if (walk.points.empty() || walk.columns.empty() || walk.point_count == 0) return seen;
  const std::int64_t length = walk.points.back();
  // Nobody has checked the indices yet.
  const auto offset_at = [&](std::int64_t i) {
    std::int64_t offset = 0;
    for (const Column& column : walk.columns) {
      const OneIndex index = read_index(column.dtype, Negative::reject, column.index + i * column.steps.back(), column.extent);
      offset = wrapping_add(offset, wrapping_mul(index.value, column.stride));
    }
    return offset;
  };
  for (std::int64_t i = 0; i < std::min(most_pairs, length - 1); ++i) {
    const std::int64_t at = portion(length - 2, i, most_pairs), here = offset_at(at), next = offset_at(at + 1);
    const auto apart = static_cast<std::uint64_t>(next) - static_cast<std::uint64_t>(here) + near;
    ++seen.pairs;
    seen.same += next == here;
    seen.near += apart <= 2 * near;
    seen.rising += next >= here;
  }
  return seen;
}

}  // namespace strew
