// Removes rank: dimensions that every tensor walks alike become one.
#include "core/copy.h"
#include "core/core.h"

namespace strew {
namespace {

std::int64_t product(const Dims& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

}  // namespace

Walk make_walk(const Addressing& where, const ConstTensorRef& place, const ConstTensorRef& stream) {
  const std::size_t rank = where.points.size();
  const Dims stream_steps = byte_steps(stream.strides, stream.dtype);
  Walk walk;
  walk.points = where.points;
  walk.row = where.row;
  walk.point_count = product(where.points);
  walk.row_count = product(where.row);
  walk.out_of_range = where.out_of_range;
  walk.place_steps = Dims(rank, 0);
  walk.place_row_steps = Dims(where.row.size(), 0);
  walk.stream_steps = Dims(stream_steps.begin(), stream_steps.begin() + rank);
  walk.stream_row_steps = Dims(stream_steps.begin() + rank, stream_steps.end());

  for (const ConstTensorRef& column : where.columns) {
    walk.columns.push_back({static_cast<const std::byte*>(column.data), byte_steps(column.strides, column.dtype), 0, 0,
                            address_kernel(column.dtype, where.negative, where.out_of_range), check_kernel(column.dtype, where.negative)});
  }
  for (std::size_t d = 0; d < where.axes.size(); ++d) {
    const std::int64_t step = place.strides[d] * size_of(place.dtype);
    const std::size_t at = where.axes[d].at;
    switch (where.axes[d].from) {
      case Axis::point: walk.place_steps[at] += step; break;
      case Axis::row: walk.place_row_steps[at] = step; break;
      case Axis::column:
        walk.columns[at].extent = place.shape[d];
        walk.columns[at].stride = step;
        break;
    }
  }

  SmallVector<Dims*, 10> steps{&walk.place_steps, &walk.stream_steps};
  for (Column& column : walk.columns) steps.push_back(&column.steps);
  collapse(walk.points, {steps.data(), steps.size()});
  Dims* const row_steps[] = {&walk.place_row_steps, &walk.stream_row_steps};
  collapse(walk.row, row_steps);
  return walk;
}

}  // namespace strew
