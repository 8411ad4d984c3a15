// Layouts by place, and the numbers of places.
#include "gradient/by_place.h"

#include <new>

#include "base/checked.h"

namespace strew::internal {

Temporary::Temporary(Dtype dtype, const Dims& shape)
    : view_(nullptr, dtype, shape),
      bytes_(saturating_mul(element_count(shape), size_of(dtype))),
      memory_(std::max<std::int64_t>(bytes_, 1)) {
  if (!memory_) throw std::bad_alloc();
  view_.data = memory_.as<void>();
}

namespace {

// The view of rows by place that has the axes of the output.
TensorRef with_axes(const Problem& problem, std::byte* rows, Dtype dtype) {
  const ScatterOp& op = problem.op();
  const AddressedAxes places = addressed_axes(op);
  Dims shape = places.shape;
  shape.append(op.where.row);
  const Dims dense = dense_strides(shape);
  TensorRef view = problem.reachable(op.out);
  view.data = rows;
  view.dtype = dtype;
  std::size_t place = 0;
  for (std::size_t d = 0; d < op.where.axes.size(); ++d) {
    const Axis axis = op.where.axes[d];
    view.strides[d] = dense[axis.from == Axis::row ? places.shape.size() + axis.at : place++];
  }
  return view;
}

bool is_aligned(const ConstTensorRef& view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(size_of(view.dtype)) == 0;
}

bool same_layout(const ConstTensorRef& a, const TensorRef& b) {
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (a.shape[d] != b.shape[d] || (a.shape[d] != 1 && a.strides[d] != b.strides[d])) return false;
  }
  return true;
}

}  // namespace

ByPlace new_by_place(const Problem& problem, Dtype dtype) {
  Dims shape = addressed_axes(problem.op()).shape;
  shape.append(problem.op().where.row);
  ByPlace made;
  made.own.emplace(dtype, shape);
  made.rows = made.own->data();
  made.view = with_axes(problem, made.rows, dtype);
  return made;
}

ByPlace copy_by_place(const Problem& problem, Dtype dtype, const ConstTensorRef& from) {
  ByPlace made = new_by_place(problem, dtype);
  convert(made.view, problem.reachable(from), problem.options());
  return made;
}

ByPlace read_by_place(const Problem& problem, const ConstTensorRef& from) {
  auto* const rows = static_cast<std::byte*>(const_cast<void*>(from.data));  // only read
  ByPlace own{rows, with_axes(problem, rows, from.dtype), {}};
  return is_aligned(from) && same_layout(from, own.view) ? std::move(own) : copy_by_place(problem, from.dtype, from);
}

ByPoint read_by_point(const Problem& problem, const ConstTensorRef& from) {
  if (is_aligned(from) && same_layout(from, {nullptr, from.dtype, from.shape})) return {static_cast<const std::byte*>(from.data), {}};
  ByPoint copy{nullptr, Temporary(from.dtype, from.shape)};
  convert(*copy.own, from, problem.options());
  copy.rows = copy.own->data();
  return copy;
}

PlacedPoints::PlacedPoints(const Problem& problem)
    : problem_(problem), places_(element_count(addressed_axes(problem.op()).shape)), row_(element_count(problem.op().where.row)) {
  // Elements of one byte, one per place and per point: offsets are numbers.
  const Addressing where = problem.places_only();
  ScatterOp numbers{.name = problem.op().name, .where = where};
  numbers.out = TensorRef(nullptr, Dtype::int8, addressed_axes(problem.op()).shape);
  numbers.updates = ConstTensorRef(nullptr, Dtype::int8, where.points);
  job_ = make_job(numbers, numbers.out, {problem.options()});
}

void PlacedPoints::require(bool fine) const {
  if (!fine) problem_.throw_bad_index();
}

}  // namespace strew::internal
