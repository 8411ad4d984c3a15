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

void make_walk(Walk& walk, const Addressing& where, const Layout& place, const Layout& stream) {
  const std::size_t rank = where.points.size();
  walk.points = where.points;
  walk.row = where.row;
  walk.point_count = product(where.points);
  walk.row_count = product(where.row);
  walk.out_of_range = where.out_of_range;
  walk.place_steps = Dims(rank, 0);
  walk.place_row_steps = Dims(where.row.size(), 0);
  for (std::size_t d = 0; d < stream.strides.size(); ++d) {
    (d < rank ? walk.stream_steps : walk.stream_row_steps).push_back(stream.strides[d] * stream.element_size);
  }

  for (const ConstTensorRef& indices : where.columns) {
    Column& column = walk.columns.emplace_back();
    column.index = static_cast<const std::byte*>(indices.data);
    column.steps = indices.strides;
    for (std::int64_t& step : column.steps) step *= size_of(indices.dtype);
    column.address = address_kernel(indices.dtype, where.negative, where.out_of_range);
    column.check = check_kernel(indices.dtype, where.negative);
  }
  for (std::size_t d = 0; d < where.axes.size(); ++d) {
    const std::int64_t step = place.strides[d] * place.element_size;
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
}

}  // namespace strew
