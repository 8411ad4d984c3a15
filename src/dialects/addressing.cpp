// Builds the canonical addressing from index tensors.
#include "dialects/addressing.h"

#include "base/checked.h"
#include "dialects/views.h"

namespace strew {
namespace {

Addressing with_rule(const IndexRule& rule) {
  Addressing where;
  where.negative = rule.negative;
  where.out_of_range = rule.out_of_range;
  where.words = rule.words;
  return where;
}

Axis axis_from(Axis::From from, std::size_t at) { return {from, static_cast<std::uint8_t>(at)}; }

}  // namespace

Addressing tuples(const ConstTensorRef& indices, const Dims& place, const IndexRule& rule, std::size_t batch) {
  Addressing where = with_rule(rule);
  const std::size_t outer = indices.rank() - 1;
  const auto depth = static_cast<std::size_t>(indices.shape.back());
  where.points.append(slice(indices.shape, 0, outer));
  where.row.append(slice(place, batch + depth, place.size()));
  where.tuples = true;
  for (std::size_t c = 0; c < depth; ++c) {
    const auto* const data = static_cast<const std::byte*>(indices.data);
    const std::int64_t offset = wrapping_mul(static_cast<std::int64_t>(c), wrapping_mul(indices.strides.back(), size_of(indices.dtype)));
    ConstTensorRef& column = where.columns.emplace_back();
    column.data = data == nullptr ? nullptr : data + offset;
    column.dtype = indices.dtype;
    column.shape = where.points;
    column.strides.append(slice(indices.strides, 0, outer));
  }
  for (std::size_t d = 0; d < place.size(); ++d) {
    where.axes.push_back(d < batch           ? axis_from(Axis::point, d)
                         : d < batch + depth ? axis_from(Axis::column, d - batch)
                                             : axis_from(Axis::row, d - batch - depth));
  }
  return where;
}

Addressing along_axis(const ConstTensorRef& indices, std::size_t axis, const IndexRule& rule) {
  Addressing where = with_rule(rule);
  where.points = indices.shape;
  where.columns.emplace_back(indices);
  if (indices.rank() == 0) where.axes.push_back(axis_from(Axis::column, 0));
  for (std::size_t d = 0; d < indices.rank(); ++d) where.axes.push_back(d == axis ? axis_from(Axis::column, 0) : axis_from(Axis::point, d));
  return where;
}

Addressing slices(const ConstTensorRef& index, std::size_t axis, const Dims& place, const IndexRule& rule) {
  Addressing where = with_rule(rule);
  where.points = index.shape;
  where.columns.emplace_back(index);
  for (std::size_t d = 0; d < place.size(); ++d) {
    where.axes.push_back(d == axis ? axis_from(Axis::column, 0) : axis_from(Axis::row, where.row.size()));
    if (d != axis) where.row.push_back(place[d]);
  }
  return where;
}

void scatter_nothing(ScatterOp& op) {
  op.where = {};
  op.where.points = {0};
  op.where.row = op.out.shape;
  for (std::size_t d = 0; d < op.out.rank(); ++d) op.where.axes.push_back(axis_from(Axis::row, d));
  op.updates = {};
  op.scalar = Scalar{op.out.dtype, {}};  // stands for updates that do not exist
}

ScatterOp scatter_nothing(const Names& name, const TensorRef& out, const ConstTensorRef& base) {
  ScatterOp op{.name = name, .where = {}, .out = out, .base = base, .updates = {}, .fold = {}};
  scatter_nothing(op);
  return op;
}

GatherOp gather_nothing(const Names& name, const TensorRef& out) {
  static const std::string never_read;  // at least as large as any element
  GatherOp op{.name = name, .where = {}, .from = {&never_read, out.dtype, {}}, .out = out};
  op.where.points = out.shape;
  return op;
}

}  // namespace strew
