// Iterates over the points in row-major order, a block of offsets at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#include "kernels/tuples.h"
#include "strategies/job.h"

namespace strew::internal {

inline constexpr std::int64_t largest_block = 512;

// On the stack: iterating must not allocate, whatever the rank.
using Coordinates = SmallVector<std::int64_t, max_rank + 1>;

// Calls use(at) for the coordinates of every innermost run: all dimensions but the last, in row-major order.
template <class Use>
bool each_run(const Dims& extents, Use use) {
  for (const std::int64_t extent : extents) {
    if (extent == 0) return true;
  }
  Coordinates at(extents.empty() ? 0 : extents.size() - 1, 0);
  while (true) {
    if (!use(at)) return false;
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
    if (d == 0) return true;
  }
}

template <class Position>
std::int64_t dot(const Position& at, const Dims& strides) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < at.size(); ++d) sum += at[d] * strides[d];
  return sum;
}

// The indices of the points [begin, end) of a walk with one dimension and one column.
inline IndexRun index_run(const Walk& walk, std::int64_t begin, std::int64_t end) {
  const Column& column = walk.columns[0];
  return {column.index + begin * column.index_strides[0], column.index_strides[0], end - begin, column.extent, column.stride};
}

// Kernels for columns that form tuples contiguous in memory along the last dimension; null for others.
inline TupleKernels tuple_kernels_of(const Walk& walk) {
  const std::size_t width = walk.columns.size();
  if (width < 2 || width > widest_tuple || walk.points.empty() || walk.out_of_range != OutOfRange::error) return {};
  const Column& first = walk.columns[0];
  const std::int64_t size = size_of(first.dtype);
  if (first.index_strides.back() != size * static_cast<std::int64_t>(width)) return {};
  std::int64_t at = 0;
  for (const Column& column : walk.columns) {
    if (column.dtype != first.dtype || column.index != first.index + at || column.index_strides != first.index_strides) return {};
    at += size;
  }
  return tuple_kernels(first.dtype, walk.negative, width);
}

// A run of tuples of this walk; strides in units of `unit` bytes.
template <class Number>
TupleRun<Number> tuple_run(const Walk& walk, const std::byte* tuples, std::int64_t count, std::int64_t unit, std::int64_t first,
                           Number* numbers) {
  TupleRun<Number> run{tuples, count, {}, {}, first, numbers};
  for (std::size_t k = 0; k < walk.columns.size(); ++k) {
    run.extents[k] = walk.columns[k].extent;
    run.strides[k] = walk.columns[k].stride / unit;
  }
  return run;
}

// Computes the offsets of `count` points, from `begin` along the last dimension, at one position of the others. Returns whether an index is
// bad.
inline bool address_points(const Walk& walk, const Coordinates& at, std::int64_t begin, std::int64_t count, std::int64_t* offsets) {
  const bool single = walk.points.empty();
  const std::int64_t start = dot(at, walk.addressed_strides), addressed_stride = single ? 0 : walk.addressed_strides.back();
  if (const auto kernel = addressed_stride == 0 ? tuple_kernels_of(walk).offsets : nullptr) {
    const Column& first = walk.columns[0];
    const std::byte* const tuples = first.index + dot(at, first.index_strides) + begin * first.index_strides.back();
    return kernel(tuple_run(walk, tuples, count, 1, start, offsets));
  }
  for (std::int64_t i = 0; i < count; ++i) offsets[i] = start + (begin + i) * addressed_stride;
  bool bad = false;
  for (const Column& column : walk.columns) {
    const std::int64_t index_stride = single ? 0 : column.index_strides.back();
    bad |= column.kernels.address(
        {column.index + dot(at, column.index_strides) + begin * index_stride, index_stride, count, column.extent, column.stride}, offsets);
  }
  return bad;
}

// Whether the offsets of all points are computed before the first write.
inline bool is_one_block(const Job& job) { return job.walk.points.size() <= 1 && job.walk.point_count <= job.block_points; }

// Calls use(offsets, count, stream offset) for each block of points; `use` may modify the offsets. Returns false at the first block with a
// bad index.
template <class Use>
bool each_block(const Job& job, Use use) {
  const Walk& walk = job.walk;
  if (walk.point_count == 0 || walk.row_count == 0) return true;
  std::array<std::int64_t, largest_block> offsets;
  const bool single = walk.points.empty();
  const std::int64_t length = single ? 1 : walk.points.back();
  const std::int64_t stream_stride = single ? 0 : walk.stream_strides.back();
  return each_run(walk.points, [&](const Coordinates& at) {
    const std::int64_t stream = dot(at, walk.stream_strides);
    for (std::int64_t begin = 0; begin < length; begin += job.block_points) {
      const std::int64_t count = std::min(job.block_points, length - begin);
      if (address_points(walk, at, begin, count, offsets.data())) return false;
      use(offsets.data(), count, stream + begin * stream_stride);
    }
    return true;
  });
}

// Calls use(offsets, count) for each block of the points [first, last), in row-major order. Returns false at the first block with a bad
// index.
template <class Use>
bool each_block_between(const Job& job, std::int64_t first, std::int64_t last, Use use) {
  const Dims& points = job.walk.points;
  std::array<std::int64_t, largest_block> offsets;
  const std::int64_t length = points.empty() ? 1 : points.back();
  Coordinates at(points.empty() ? 0 : points.size() - 1, 0);
  while (first < last) {
    std::int64_t run = first / length;
    const std::int64_t begin = first - run * length, count = std::min({job.block_points, length - begin, last - first});
    for (std::size_t d = at.size(); d-- > 0; run /= points[d]) at[d] = run % points[d];
    if (address_points(job.walk, at, begin, count, offsets.data())) return false;
    use(offsets.data(), count);
    first += count;
  }
  return true;
}

// Calls use(first, count) for each maximal run of numbers in [begin, end) with counts(i).
template <class Counts, class Use>
void each_stretch(std::int64_t begin, std::int64_t end, Counts counts, Use use) {
  for (std::int64_t i = begin; i < end;) {
    if (!counts(i)) {
      ++i;
      continue;
    }
    const std::int64_t first = i;
    while (i < end && counts(i)) ++i;
    use(first, i - first);
  }
}

// Calls use(first, count) for each run of points that are not skipped.
template <class Use>
void each_kept(const std::int64_t* offsets, std::int64_t count, Use use) {
  each_stretch(
      0, count, [offsets](std::int64_t i) { return offsets[i] != skipped; }, use);
}

// Offsets that points can address lie in [low, low + span): of all points, or of those at one position of the dimensions before
// `first_dimension`.
struct Reach {
  std::int64_t low = 0, span = 1;
};
inline Reach reach_of(const Walk& walk, std::size_t first_dimension = 0) {
  Reach reach;
  const auto extend = [&](std::int64_t extent, std::int64_t stride) {
    const std::int64_t last = std::max<std::int64_t>(extent - 1, 0) * stride;
    reach.low += std::min<std::int64_t>(last, 0);
    reach.span += std::abs(last);
  };
  for (const Column& column : walk.columns) extend(column.extent, column.stride);
  for (std::size_t d = first_dimension; d < walk.points.size(); ++d) extend(walk.points[d], walk.addressed_strides[d]);
  return reach;
}

inline constexpr std::int64_t min_far_span = 3 << 18;  // bytes: smaller outputs stay in one thread's cache

// Whether the addressed memory exceeds a cache, so that prefetching pays. It does not if so many points stay in one part of the output
// before the next part begins that the first ones load it into the cache.
inline bool prefetching_pays(const Job& job) {
  constexpr std::int64_t line = 64;
  const Walk& walk = job.walk;
  if (walk.point_count < 64) return false;
  std::int64_t points = walk.point_count;
  for (std::size_t d = 0; d < std::max<std::size_t>(walk.points.size(), 1); ++d) {
    const std::int64_t span = reach_of(walk, d).span;
    if (span < min_far_span && (d == 0 || points >= span / line)) return false;
    if (!walk.points.empty()) points /= walk.points[d];
  }
  return true;
}

}  // namespace strew::internal
