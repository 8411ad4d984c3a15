// Minima and maxima: the cotangent goes to all values that equal the result, in equal parts; a NaN that the formula kept takes all of it.
#include <cstring>

#include "gradient/by_place.h"
#include "kernels/picks.h"

namespace strew::internal {
namespace {

// Which values equal the result, as int32, and how many of them there are.
struct Ties {
  Tensor updates;              // points ++ row
  std::optional<Tensor> base;  // of the shape of the output, if the old values take part
  Tensor counts;               // of the shape of the output
};

// Which of several NaNs the formula keeps: the last, or the first. A rule that takes the update drops all earlier values with it.
bool keeps_last_nan(FoldCompare compare) { return compare == FoldCompare::take_update || compare == FoldCompare::propagate; }

// Narrows ties where a NaN was found to the values that the formula kept. Every value has a number: that of its point, counted from 1, or
// backwards if the first NaN is kept. The old value comes before all points.
void narrow_to_kept(Problem& problem, Ties& ties) {
  const RunOptions& options = problem.options();
  const Dtype dtype = problem.dtype();
  const bool last = keeps_last_nan(problem.fold().compare);
  const std::int64_t points = element_count(problem.op().where.points);
  Tensor numbers(Dtype::int64, problem.op().where.points);
  count_up(static_cast<std::byte*>(numbers.data()), last ? 1 : points, last ? 1 : -1, points, Dtype::int64);
  const ConstTensorRef by_update = problem.over_rows(numbers);
  Scalar own{Dtype::int64, {}};  // of the old value
  count_up(own.bytes, last ? 0 : points + 1, 0, 1, Dtype::int64);

  Tensor kept_nan = Tensor::zeros(Dtype::int64, problem.op().out.shape);
  const ConstTensorRef by_base = repeated(own, problem.op().out.shape);
  if (ties.base) apply_strips(nan_number_kernel(dtype), kept_nan, {problem.old_values(), by_base}, options);
  Tensor nan_numbers(Dtype::int64, problem.updates_shape());
  apply_strips(nan_number_kernel(dtype), nan_numbers, {problem.values(), by_update}, options);
  problem.scatter(kept_nan, {}, nan_numbers, Reduction::max);

  const StripKernel narrow = nan_choice_kernel(dtype, problem.fold().compare == FoldCompare::take_update);
  apply_strips(narrow, ties.updates, {problem.values(), by_update, problem.gathered(kept_nan)}, options);
  if (ties.base) apply_strips(narrow, *ties.base, {problem.old_values(), by_base, kept_nan}, options);
}

Ties ties_of(Problem& problem, const ConstTensorRef& result) {
  const Dims& shape = problem.op().out.shape;
  const StripKernel same = same_kernel(problem.dtype());
  Ties ties{Tensor(Dtype::int32, problem.updates_shape()), {}, {}};
  bool nan = apply_strips(same, ties.updates, {problem.values(), problem.gathered(result)}, problem.options());
  if (problem.keeps_base()) {
    ties.base = Tensor(Dtype::int32, shape);
    nan |= apply_strips(same, *ties.base, {problem.old_values(), result}, problem.options());
  }
  if (nan) narrow_to_kept(problem, ties);
  const bool is_small = element_count(problem.op().where.points) < INT32_MAX;
  ties.counts = Tensor(is_small ? Dtype::int32 : Dtype::int64, shape);
  const ConstTensorRef begin = ties.base ? ConstTensorRef(*ties.base) : repeated(zero_of(Dtype::int32), shape);
  if (is_small) {
    problem.scatter(ties.counts, begin, ties.updates, Reduction::add);
  } else {
    problem.scatter(ties.counts, converted(begin, Dtype::int64, problem.options()),
                    converted(ties.updates, Dtype::int64, problem.options()), Reduction::add);
  }
  return ties;
}

void divide(const TensorRef& to, const ConstTensorRef& from, const Tensor& counts, const RunOptions& options) {
  apply_strips(divide_kernel(from.dtype, counts.dtype()), to, {from, counts}, options);
}

// In two passes over the points: the first counts the ties. Returns false, having written nothing of use, if it meets a NaN.
bool share_among_ties(Problem& problem, const ConstTensorRef& cotangent, const ConstTensorRef& result, const Cotangents& into) {
  const RunOptions& options = problem.options();
  const Dtype dtype = problem.dtype();
  const PlacedPoints points(problem);
  const ByPlace results = read_by_place(problem, result), counts = new_by_place(problem, Dtype::int32);
  const ByPoint values = read_by_point(problem, problem.values());
  const bool keeps_base = problem.keeps_base();
  std::atomic<bool> nan{false};
  const auto compare_base = [&] {
    const ConstTensorRef base = problem.reachable(problem.old_values());
    if (apply_strips(same_kernel(dtype), counts.view, {base, results.view}, options)) nan.store(true, std::memory_order_relaxed);
  };
  if (keeps_base) {
    compare_base();
  } else {
    std::memset(counts.rows, 0, static_cast<std::size_t>(counts.own->bytes()));
  }
  const CountTies count_ties = count_ties_kernel(dtype);
  points.by_parts(true, [&](const PlacedPoints::Part& part) {
    return points.each(0, points.count(), [&](const std::int64_t* places, std::int64_t first, std::int64_t count) {
      const TieBlock block{{places, first, count, points.row()},
                           values.rows,
                           results.rows,
                           reinterpret_cast<std::int32_t*>(counts.rows),
                           part.begin,
                           part.end,
                           part.low,
                           part.high};
      if (count_ties(block)) nan.store(true, std::memory_order_relaxed);
    });
  });
  if (nan.load(std::memory_order_relaxed)) return false;

  const ByPlace parts = new_by_place(problem, dtype);
  apply_strips(divide_kernel(dtype, Dtype::int32), parts.view, {problem.reachable(cotangent), counts.view}, options);
  if (into.updates != nullptr) {
    std::optional<Temporary> own;  // if rows of the cotangents are not dense
    std::byte* to = static_cast<std::byte*>(into.updates->data);
    if (into.updates->strides != dense_strides(into.updates->shape)) to = own.emplace(dtype, into.updates->shape).data();
    const PickTies pick_ties = pick_ties_kernel(dtype);
    points.by_points([&](const std::int64_t* places, std::int64_t first, std::int64_t count) {
      pick_ties({places, first, count, points.row()}, values.rows, results.rows, parts.rows, to);
    });
    if (own) convert(*into.updates, *own, options);
    if (const auto factor = problem.cotangent_factor()) multiply_by(*into.updates, *factor, options);
  }
  if (into.base == nullptr) return true;
  if (!keeps_base) {
    problem.fill_touched(*into.base, cotangent, zero_of(dtype));
    return true;
  }
  const TensorRef part = problem.reachable(*into.base);
  if (!(part.shape == into.base->shape)) convert(*into.base, cotangent, options);
  compare_base();
  apply_strips(keep_kernel(dtype), part, {counts.view, parts.view}, options);
  return true;
}

}  // namespace

void extreme_vjp(Problem& problem, const ConstTensorRef& cotangent, const std::optional<ConstTensorRef>& given, const Cotangents& into) {
  const RunOptions& options = problem.options();
  const StripKernel keep = keep_kernel(problem.dtype());
  if (into.updates == nullptr && !problem.keeps_base()) {
    if (into.base != nullptr) problem.fill_touched(*into.base, cotangent, zero_of(problem.dtype()));
    return;
  }
  const std::optional<ConstTensorRef> result = problem.folded(given);
  const bool has_elements = element_count(problem.updates_shape()) > 0 && element_count(problem.op().out.shape) > 0;
  const bool is_small = element_count(problem.op().where.points) < INT32_MAX;
  if (has_elements && is_small && share_among_ties(problem, cotangent, *result, into)) return;
  const Ties ties = ties_of(problem, *result);
  Tensor parts(problem.dtype(), cotangent.shape);
  divide(parts, cotangent, ties.counts, options);
  if (into.updates != nullptr) {
    problem.gather(*into.updates, parts);
    apply_strips(keep, *into.updates, {ties.updates, *into.updates}, options);
    if (const auto factor = problem.cotangent_factor()) multiply_by(*into.updates, *factor, options);
  }
  if (into.base == nullptr) return;
  if (ties.base) {
    apply_strips(keep, *into.base, {*ties.base, parts}, options);
  } else {
    problem.fill_touched(*into.base, cotangent, zero_of(problem.dtype()));
  }
}

void extreme_jvp(Problem& problem, const Tangents& tangents, const std::optional<ConstTensorRef>& result, const TensorRef& into) {
  const RunOptions& options = problem.options();
  const StripKernel keep = keep_kernel(problem.dtype());
  const Ties ties = ties_of(problem, problem.folded(result));
  Tensor sums(problem.dtype(), into.shape);
  const ConstTensorRef base = tangents.base != nullptr ? *tangents.base : repeated(zero_of(problem.dtype()), into.shape);
  if (ties.base) {
    apply_strips(keep, sums, {*ties.base, base}, options);
  } else {
    problem.fill_touched(sums, base, zero_of(problem.dtype()));
  }
  if (tangents.updates != nullptr) {
    Tensor kept(problem.dtype(), problem.updates_shape());
    apply_strips(keep, kept, {ties.updates, *tangents.updates}, options);
    problem.scatter(sums, {}, kept, Reduction::add);
  }
  divide(into, sums, ties.counts, options);
}

}  // namespace strew::internal
