// Builds the canonical addressing from index tensors.
#include "dialects/addressing.h"

#include <algorithm>

#include "base/checked.h"
#include "dialects/check.h"
#include "dialects/views.h"

namespace strew::internal {
namespace {

Addressing with_rule(const IndexRule& rule) {
  Addressing where;
  where.negative = rule.negative;
  where.out_of_range = rule.out_of_range;
  where.words = rule.words;
  return where;
}

Axis axis_from(Axis::From from, std::size_t at) { return {from, static_cast<std::uint8_t>(at)}; }

// Axes that take their coordinates from `count` points, columns or row dimensions, in order.
void add_axes(Addressing& where, Axis::From from, std::size_t count) {
  Axis* const axes = where.axes.extend(count);
  for (std::size_t at = 0; at < count; ++at) axes[at] = axis_from(from, at);
}

}  // namespace

Addressing tuples(const ConstTensorRef& indices, const Dims& addressed, const IndexRule& rule, std::size_t batch) {
  Addressing where = with_rule(rule);
  const auto depth = static_cast<std::size_t>(indices.shape.back());
  where.points = indices.shape;
  where.points.pop_back();
  where.row.append(slice(addressed, batch + depth, addressed.size()));
  where.tuples = true;
  const auto* const data = static_cast<const std::byte*>(indices.data);
  const std::int64_t stride = wrapping_mul(indices.strides.back(), size_of(indices.dtype));
  for (std::size_t c = 0; c < depth; ++c) {
    ConstTensorRef& column = where.columns.emplace_back(indices);
    column.data = data == nullptr ? nullptr : data + wrapping_mul(static_cast<std::int64_t>(c), stride);
    column.shape.pop_back();
    column.strides.pop_back();
  }
  add_axes(where, Axis::point, batch);
  add_axes(where, Axis::column, depth);
  add_axes(where, Axis::row, where.row.size());
  return where;
}

Addressing along_axis(const ConstTensorRef& indices, std::size_t axis, const IndexRule& rule) {
  Addressing where = with_rule(rule);
  where.points = indices.shape;
  where.columns.emplace_back(indices);
  add_axes(where, Axis::point, std::max<std::size_t>(1, indices.rank()));
  where.axes[axis] = axis_from(Axis::column, 0);
  return where;
}

Addressing slices(const ConstTensorRef& index, std::size_t axis, const Dims& addressed, const IndexRule& rule) {
  Addressing where = with_rule(rule);
  where.points = index.shape;
  where.columns.emplace_back(index);
  for (std::size_t d = 0; d < addressed.size(); ++d) {
    where.axes.push_back(d == axis ? axis_from(Axis::column, 0) : axis_from(Axis::row, where.row.size()));
    if (d != axis) where.row.push_back(addressed[d]);
  }
  return where;
}

Addressing by_columns(std::span<const ConstTensorRef> columns, const Dims& addressed, const IndexRule& rule) {
  Addressing where = with_rule(rule);
  where.points = columns[0].shape;
  where.row.append(slice(addressed, columns.size(), addressed.size()));
  where.columns.append(columns);
  add_axes(where, Axis::column, columns.size());
  add_axes(where, Axis::row, where.row.size());
  return where;
}

Dims updates_of_tuples(const Dims& indices, const Dims& addressed) {
  if (indices.empty()) return {};
  const std::int64_t depth = std::clamp<std::int64_t>(indices.back(), 0, static_cast<std::int64_t>(addressed.size()));
  return joined(slice(indices, 0, indices.size() - 1), slice(addressed, static_cast<std::size_t>(depth), addressed.size()));
}

Dims updates_of_slices(const Dims& index, const Dims& addressed, std::int64_t axis) {
  Dims shape = addressed;
  if (const auto at = wrapped_axis(axis, addressed.size())) shape[*at] = index.empty() ? 1 : index[0];
  return shape;
}

void scatter_nothing(ScatterOp& op) {
  op.where = {};
  op.where.points = {0};
  op.where.row = op.out.shape;
  add_axes(op.where, Axis::row, op.out.rank());
  op.updates = {};
  op.scalar = Scalar{op.out.dtype, {}};  // placeholder: there are no updates
}

ScatterOp scatter_nothing(const OpNames& name, const TensorRef& out, const ConstTensorRef& base) {
  ScatterOp op{.name = name, .where = {}, .out = out, .base = base, .updates = {}, .fold = {}};
  scatter_nothing(op);
  return op;
}

GatherOp gather_nothing(const OpNames& name, const TensorRef& out) {
  GatherOp op{.name = name, .where = {}, .from = stand_in(out.dtype, {}), .out = out};
  op.where.points = out.shape;
  return op;
}

}  // namespace strew::internal
