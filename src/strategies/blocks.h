// Walks the points in row-major order, a block of offsets at a time.
#pragma once

#include <algorithm>
#include <array>

#include "strategies/job.h"

namespace strew {

inline constexpr std::int64_t largest_block = 512;

// A position on the stack: walking must not allocate, whatever the rank.
using Coordinates = SmallVector<std::int64_t, max_rank + 1>;

// Visits every combination of `extents` but the last dimension's, outermost first; `use(at)` gets the coordinates.
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
std::int64_t dot(const Position& at, const Dims& steps) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < at.size(); ++d) sum += at[d] * steps[d];
  return sum;
}

// Calls use(offsets, count, stream offset) for each block of points. Stops, and returns false, at a bad index.
template <class Use>
bool each_block(const Job& job, Use use) {
  const Walk& walk = job.walk;
  if (walk.point_count == 0 || walk.row_count == 0) return true;
  std::array<std::int64_t, largest_block> offsets;
  const bool single = walk.points.empty();
  const std::int64_t length = single ? 1 : walk.points.back();
  const std::int64_t place_step = single ? 0 : walk.place_steps.back();
  const std::int64_t stream_step = single ? 0 : walk.stream_steps.back();
  return each_run(walk.points, [&](const Coordinates& at) {
    const std::int64_t place = dot(at, walk.place_steps);
    const std::int64_t stream = dot(at, walk.stream_steps);
    for (std::int64_t begin = 0; begin < length; begin += job.block_points) {
      const std::int64_t count = std::min(job.block_points, length - begin);
      for (std::int64_t i = 0; i < count; ++i) offsets[static_cast<std::size_t>(i)] = place + (begin + i) * place_step;
      bool bad = false;
      for (const Column& column : walk.columns) {
        const std::int64_t step = single ? 0 : column.steps.back();
        bad |= column.address({column.index + dot(at, column.steps) + begin * step, step, count, column.extent, column.stride},
                              offsets.data());
      }
      if (bad) return false;
      use(offsets.data(), count, stream + begin * stream_step);
    }
    return true;
  });
}

// Hands the rows of a block to a kernel, one dense or strided run of the row at a time. The elements of a row are
// distinct, so each still sees its updates in the order of the points.
inline void each_row_run(const Job& job, RowKernel kernel, const std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
  const Walk& walk = job.walk;
  const bool scalar = walk.row.empty();
  RowBlock block{job.place,
                 offsets,
                 job.stream + stream,
                 walk.points.empty() ? 0 : walk.stream_steps.back(),
                 count,
                 scalar ? 1 : walk.row.back(),
                 scalar ? 0 : walk.place_row_steps.back(),
                 scalar ? 0 : walk.stream_row_steps.back()};
  if (walk.row.size() <= 1) {
    kernel(block);
    return;
  }
  each_run(walk.row, [&](const Coordinates& at) {
    block.place = job.place + dot(at, walk.place_row_steps);
    block.stream = job.stream + stream + dot(at, walk.stream_row_steps);
    kernel(block);
    return true;
  });
}

}  // namespace strew
