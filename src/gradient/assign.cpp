// Assignments: only the last update of a place gets its cotangent, and the base none where an update lands.
#include <cstring>

#include "gradient/by_place.h"
#include "kernels/picks.h"

namespace strew::internal {
namespace {

// In two passes over the points: the first finds the last one of every place.
void pick_updates(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into) {
  const RunOptions& options = problem.options();
  const PlacedPoints points(problem);
  Temporary last(Dtype::int32, addressed_axes(problem.op()).shape);
  std::memset(last.data(), 0, static_cast<std::size_t>(last.bytes()));
  auto* const numbers = reinterpret_cast<std::int32_t*>(last.data());
  points.by_parts(false, [&](const PlacedPoints::Part& part) {
    return points.each(0, points.count(), [&](const std::int64_t* places, std::int64_t first, std::int64_t count) {
      note_last({places, first, count, 1}, numbers, part.low, part.high);
    });
  });

  const ByPlace from = read_by_place(problem, cotangent);
  std::optional<Temporary> own;  // if rows of the cotangents are not dense
  std::byte* to = static_cast<std::byte*>(into.updates->data);
  if (into.updates->strides != dense_strides(into.updates->shape)) to = own.emplace(problem.dtype(), into.updates->shape).data();
  points.by_points([&](const std::int64_t* places, std::int64_t first, std::int64_t count) {
    pick_last({places, first, count, points.row()}, numbers, from.rows, to, size_of(problem.dtype()));
  });
  if (own) convert(*into.updates, *own, options);
  if (into.base == nullptr) return;
  const TensorRef part = problem.reachable(*into.base);
  if (!(part.shape == into.base->shape)) convert(*into.base, cotangent, options);
  apply_strips(drop_flagged_kernel(problem.dtype()), part, {problem.over_places(last), problem.reachable(cotangent)}, options);
}

}  // namespace

void assign_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into) {
  const bool has_elements = element_count(problem.updates_shape()) > 0 && element_count(problem.op().out.shape) > 0;
  if (into.updates != nullptr && has_elements && !problem.is_planned() && element_count(problem.op().where.points) < INT32_MAX) {
    pick_updates(problem, cotangent, into);
  } else {
    if (into.base != nullptr) problem.fill_touched(*into.base, cotangent, zero_of(problem.dtype()));
    if (into.updates == nullptr) return;
    problem.gather(*into.updates, cotangent);
    if (is_empty(into.updates->shape)) return;
    const ConstTensorRef last = problem.last_numbers();
    apply_strips(drop_kernel(size_of(problem.dtype()), last.dtype), *into.updates,
                 {problem.over_rows(problem.point_numbers()), problem.over_rows(last)}, problem.options());
  }
  if (const auto factor = problem.cotangent_factor()) multiply_by(*into.updates, *factor, problem.options());
}

}  // namespace strew::internal
