// Reads a few pairs of neighbouring indices.
#include "strategies/sample.h"

#include <algorithm>
#include <array>

#include "base/checked.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_pairs = 64, max_pairs = 512, points_per_pair = 1 << 14, near = 1 << 14;

constexpr std::int64_t little_later = 64;  // points

// A hash, as a pseudorandom number.
std::uint64_t mixed(std::uint64_t i) {
  i = (i ^ i >> 31) * 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9u;
  return i ^ i >> 32;
}

// The i-th of `count` <= `length` sampled positions, rising. They are jittered: equidistant ones would alias with periodic indices, such as
// the same corner of every cell.
std::int64_t position(std::int64_t i, std::int64_t count, std::int64_t length) {
  const std::int64_t stretch = length / count;
  return i * stretch + static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(i) + 1) % static_cast<std::uint64_t>(stretch));
}

bool are_near(std::int64_t a, std::int64_t b) { return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b) + near <= 2 * near; }

}  // namespace

Sample sample(const Job& job) {
  Sample seen;
  const Walk& walk = job.walk;
  if (walk.points.empty() || walk.columns.empty() || walk.point_count == 0) return seen;
  const std::int64_t length = walk.points.back();
  // The indices are not validated yet.
  const auto offset_at = [&](std::int64_t i) {
    std::int64_t offset = 0;
    for (const Column& column : walk.columns) {
      const OneIndex index = read_index(column.dtype, Negative::reject, column.index + i * column.index_strides.back(), column.extent);
      offset = wrapping_add(offset, wrapping_mul(index.value, column.stride));
    }
    return offset;
  };
  const std::int64_t pairs = std::min(std::clamp(length / points_per_pair, min_pairs, max_pairs), length - 1);
  std::array<std::int64_t, max_pairs> places;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const std::int64_t at = position(i, pairs, length - 1), here = offset_at(at), next = offset_at(at + 1);
    places[static_cast<std::size_t>(i)] = here;
    ++seen.pairs;
    seen.same += next == here;
    seen.near += are_near(next, here);
    seen.rising += next >= here;
    seen.staying += are_near(offset_at(std::min(at + little_later, length - 1)), here);
  }
  for (auto i = static_cast<std::size_t>(pairs / 2); i-- > 0;)
    seen.returning += are_near(places[i], places[i + static_cast<std::size_t>(pairs / 2)]);
  return seen;
}

}  // namespace strew::internal
