// A range of the points of a job, as a job of its own.
#pragma once

#include "strategies/job.h"

namespace strew::internal {

// The points whose coordinate in dimension `d` is in [begin, end), for one thread.
inline Job part_of_points(const Job& job, std::size_t d, std::int64_t begin, std::int64_t end) {
  Job part = job;
  Walk& walk = part.walk;
  part.executor = nullptr;
  part.may_stop = false;
  part.addressed += begin * walk.addressed_strides[d];
  part.stream += begin * walk.stream_strides[d];
  for (Column& column : walk.columns) column.index += begin * column.index_strides[d];
  walk.point_count = walk.point_count / walk.points[d] * (end - begin);
  walk.points[d] = end - begin;
  return part;
}

}  // namespace strew::internal
