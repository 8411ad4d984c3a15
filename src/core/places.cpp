// Numbers the rows that points address, and lists the number of each point.
#include "core/places.h"

#include "base/cancellation.h"
#include "base/text.h"
#include "core/copy.h"
#include "core/core.h"
#include "core/memory_errors.h"
#include "core/overlap.h"
#include "strategies/read_places.h"
#include "strew/places.h"

namespace strew::internal {

ScatterOp numbered(const ScatterOp& op) {
  ScatterOp numbers{.name = op.name, .where = op.where};
  const AddressedAxes addressed = addressed_axes(op);
  const Dims dense = dense_strides(addressed.shape);
  Dims place_strides(op.out.rank(), 0);
  for (std::size_t i = 0; i < addressed.axes.size(); ++i) place_strides[addressed.axes[i]] = dense[i];
  numbers.out = TensorRef(nullptr, Dtype::int8, op.out.shape, place_strides);
  Dims shape = op.where.points, point_strides = dense_strides(op.where.points);
  shape.append(op.where.row);
  point_strides.append(Dims(op.where.row.size(), 0));
  numbers.updates = ConstTensorRef(nullptr, Dtype::int8, shape, point_strides);
  return numbers;
}

namespace {

constexpr std::int64_t none = -1;

// The part of an op that says where its points go.
ScatterOp routing_of(const ScatterOp& op) {
  ScatterOp routing{.name = op.name, .where = op.where, .out = TensorRef(nullptr, op.out.dtype, op.out.shape)};
  promote_rank_zero(routing.out, routing.where);
  return routing;
}
ScatterOp routing_of(const GatherOp& op) {
  ScatterOp routing{.name = op.name, .where = op.where, .out = TensorRef(nullptr, op.from.dtype, op.from.shape)};
  promote_rank_zero(routing.out, routing.where);
  return routing;
}

void check_options(const ScatterOp& routing, const RunOptions& options) {
  if (!options.strategy.empty()) throw Error(ErrorCode::argument, cat(routing.name, ": listing places takes no strategy"));
}

Tensor listed(const ScatterOp& routing, const RunOptions& options) {
  check_options(routing, options);
  return naming_memory_errors(routing.name, "the places of the points", "", [&] {
    Tensor list(Dtype::int64, routing.where.points);
    const ScatterOp numbers = numbered(routing);
    if (!read_places(make_job(numbers, numbers.out, {options}), list.values<std::int64_t>().data(), none))
      throw_bad_index(routing.name, routing.where, routing.out.shape);
    return list;
  });
}

bool meets_columns(const Extent& extent, const Extents& extents) {
  for (const Extent& column : extents.columns) {
    if (meet(extent, column)) return true;
  }
  return false;
}

void list_into(const ScatterOp& routing, const Extents& extents, const TensorRef& to, const RunOptions& options) {
  const Extent extent = check_view(routing.name, "places", to);
  if (to.dtype != Dtype::int64) throw Error(ErrorCode::dtype, cat(routing.name, ": places must be int64, got ", to_string(to.dtype)));
  if (!(to.shape == routing.where.points)) {
    throw Error(ErrorCode::shape, cat(routing.name, ": places must have the shape of the points ", bracketed(routing.where.points),
                                      ", got ", bracketed(to.shape)));
  }
  if (!extent.packed && overlaps_itself(to))
    throw Error(ErrorCode::overlap, cat(routing.name, ": two elements of places share memory; pass a view whose elements do not"));
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(to.data) % alignof(std::int64_t) == 0;
  if (!extent.packed || !is_aligned || meets_columns(extent, extents)) {
    const Tensor list = listed(routing, options);
    cancellation_point();
    copy(to, list);
    return;
  }
  check_options(routing, options);
  naming_memory_errors(routing.name, "the places of the points", "", [&] {
    const ScatterOp numbers = numbered(routing);
    const Job job = make_job(numbers, numbers.out, {options});
    if (!indices_in_range(job)) throw_bad_index(routing.name, routing.where, routing.out.shape);
    cancellation_point();
    if (!read_places(job, static_cast<std::int64_t*>(to.data), none)) {
      throw Error(ErrorCode::changed, cat(routing.name, ": ", routing.where.words.argument,
                                          " changed while the call ran, places may hold a part of the numbers"));
    }
  });
}

}  // namespace
}  // namespace strew::internal

namespace strew::inline v0 {
using namespace internal;

Tensor places(const ScatterOp& op, const RunOptions& options) {
  check_form(op, false);
  return listed(routing_of(op), options);
}
Tensor places(const GatherOp& op, const RunOptions& options) {
  check_form(op, false);
  return listed(routing_of(op), options);
}

void places(const ScatterOp& op, const TensorRef& to, const RunOptions& options) {
  list_into(routing_of(op), check_form(op, false), to, options);
}
void places(const GatherOp& op, const TensorRef& to, const RunOptions& options) {
  list_into(routing_of(op), check_form(op, false), to, options);
}

}  // namespace strew::inline v0
