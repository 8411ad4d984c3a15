// Products: the cotangent of a factor is that of the product times all other factors, as the product of those before it and those after it.
// Nothing is divided, so zeros need no special case.
#include "gradient/by_place.h"
#include "kernels/sweep.h"

namespace strew::internal {
namespace {

// Sweeps over the points of a problem, in the type in which steps are computed.
class Product {
 public:
  // With `is_conjugate` all factors are conjugated.
  Product(Problem& problem, bool is_conjugate)
      : problem_(problem),
        points_(problem),
        dtype_(is_one_of(Halves{}, problem.dtype()) ? Dtype::float32 : problem.dtype()),
        conjugate_(is_conjugate ? conjugate_kernel(dtype_) : nullptr) {}

  // A dense copy in the type of the sweep.
  [[nodiscard]] Temporary factors(const ConstTensorRef& from) const {
    Temporary copy(dtype_, from.shape);
    convert(copy, from, problem_.options());
    if (conjugate_ != nullptr) apply_strips(conjugate_, copy, {}, problem_.options());
    return copy;
  }
  // Those of skipped points stay zero.
  [[nodiscard]] Temporary products() const {
    Temporary made(dtype_, problem_.updates_shape());
    convert(made, repeated(zero_of(dtype_), made.shape()), problem_.options());
    return made;
  }
  [[nodiscard]] ByPlace by_place(const ConstTensorRef& from) const { return copy_by_place(problem_, dtype_, from); }
  [[nodiscard]] ByPlace factors_by_place(const ConstTensorRef& from) const {
    ByPlace made = by_place(from);
    if (conjugate_ != nullptr) apply_strips(conjugate_, *made.own, {}, problem_.options());
    return made;
  }
  // What a product starts from: the old values, or one.
  [[nodiscard]] ByPlace begin() const {
    return factors_by_place(problem_.keeps_base() ? problem_.old_values()
                                                  : repeated(one_of_type(problem_.dtype()), problem_.op().out.shape));
  }

  struct Arrays {
    const ByPlace* running = nullptr;
    const ByPlace* running_tangent = nullptr;
    const Temporary* values = nullptr;
    const Temporary* values_tangent = nullptr;
    const Temporary* products = nullptr;
    const Temporary* products_tangent = nullptr;
  };
  void forward(const Arrays& arrays) const {
    run(forward_sweep(dtype_), arrays, [&](const auto& use) { return points_.each(0, points_.count(), use); });
  }
  void backward(const Arrays& arrays) const {
    run(backward_sweep(dtype_), arrays, [&](const auto& use) { return points_.each_backwards(use); });
  }

 private:
  template <class Each>
  void run(SweepKernel kernel, const Arrays& arrays, const Each& each) const {
    if (points_.is_empty()) {
      points_.require_in_range();
      return;
    }
    points_.by_parts(true, [&](const PlacedPoints::Part& part) {
      return each([&](const std::int64_t* places, std::int64_t first, std::int64_t count) {
        const std::int64_t at = first * points_.row() * size_of(dtype_);
        const auto from = [at](const Temporary* tensor) { return tensor == nullptr ? nullptr : tensor->data() + at; };
        kernel({arrays.running->rows, arrays.running_tangent == nullptr ? nullptr : arrays.running_tangent->rows, from(arrays.values),
                from(arrays.values_tangent), from(arrays.products), from(arrays.products_tangent), places, count, points_.row(), part.begin,
                part.end, part.low, part.high});
      });
    });
  }

  Problem& problem_;
  const PlacedPoints points_;
  const Dtype dtype_;
  const StripKernel conjugate_;
};

// The cotangents, after both sweeps: of the updates from the products, of the base from what runs back.
void finish(Problem& problem, const ConstTensorRef& cotangent, const Temporary& products, const ByPlace& back, const Cotangents& into) {
  if (into.updates != nullptr) {
    convert(*into.updates, products, problem.options());
    if (const auto factor = problem.cotangent_factor()) multiply_by(*into.updates, *factor, problem.options());
  }
  if (into.base == nullptr) return;
  if (!problem.keeps_base()) {
    problem.fill_touched(*into.base, cotangent, zero_of(problem.dtype()));
    return;
  }
  const TensorRef part = problem.reachable(*into.base);
  if (!(part.shape == into.base->shape)) convert(*into.base, cotangent, problem.options());
  convert(part, back.view, problem.options());
}

ConstTensorRef or_zero(const Problem& problem, const ConstTensorRef* tangent, const Dims& shape) {
  return tangent != nullptr ? *tangent : repeated(zero_of(problem.dtype()), shape);
}

}  // namespace

void product_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into) {
  const Product sweeps(problem, true);
  const Temporary values = sweeps.factors(problem.values()), products = sweeps.products();
  const ByPlace running = sweeps.begin(), back = sweeps.by_place(cotangent);
  const bool stores = into.updates != nullptr;
  if (stores) sweeps.forward({.running = &running, .values = &values, .products = &products});
  sweeps.backward({.running = &back, .values = &values, .products = stores ? &products : nullptr});
  finish(problem, cotangent, products, back, into);
}

void product_jvp(Problem& problem, const Tangents& tangents, const TensorRef& into) {
  const Product sweeps(problem, false);
  const Temporary values = sweeps.factors(problem.values()),
                  values_tangent = sweeps.factors(or_zero(problem, tangents.updates, problem.updates_shape()));
  const ConstTensorRef base = or_zero(problem, tangents.base, into.shape);
  const ByPlace running = sweeps.begin(), tangent = sweeps.by_place(base);
  if (!problem.keeps_base()) problem.fill_touched(tangent.view, {}, zero_of(tangent.view.dtype));
  sweeps.forward({.running = &running, .running_tangent = &tangent, .values = &values, .values_tangent = &values_tangent});
  const TensorRef part = problem.reachable(into);
  if (!(part.shape == into.shape)) convert(into, base, problem.options());
  convert(part, tangent.view, problem.options());
}

void product_second(Problem& problem, const ConstTensorRef& cotangent, const ConstTensorRef* cotangent_tangent, const Tangents& tangents,
                    const Cotangents& into) {
  const Product sweeps(problem, true);
  const Dims& shape = problem.op().out.shape;
  const ConstTensorRef further = or_zero(problem, cotangent_tangent, shape);
  const Temporary values = sweeps.factors(problem.values()),
                  values_tangent = sweeps.factors(or_zero(problem, tangents.updates, problem.updates_shape())),
                  products = sweeps.products(), products_tangent = sweeps.products();
  const ByPlace running = sweeps.begin(),
                running_tangent = sweeps.factors_by_place(or_zero(problem, problem.keeps_base() ? tangents.base : nullptr, shape)),
                back = sweeps.by_place(cotangent), back_tangent = sweeps.by_place(further);
  sweeps.forward({&running, &running_tangent, &values, &values_tangent, &products, &products_tangent});
  sweeps.backward({&back, &back_tangent, &values, &values_tangent, &products, &products_tangent});
  finish(problem, further, products_tangent, back_tangent, into);
}

}  // namespace strew::internal
