// Products: the cotangent of a factor is that of the product times all other factors, as the product of those before it and those after it.
// Nothing is divided, so zeros need no special case.
#include <algorithm>
#include <array>

#include "gradient/elementwise.h"
#include "gradient/problem.h"
#include "kernels/address.h"
#include "kernels/sweep.h"
#include "strategies/blocks.h"

namespace strew::internal {
namespace {

// A tensor with one dense row per place, and the view of it that has the axes of the output.
struct ByPlace {
  Tensor rows;
  TensorRef view;
};

// Sweeps over the points of a problem, in the type in which steps are computed.
class Product {
 public:
  // With `is_conjugate` all factors are conjugated.
  Product(Problem& problem, bool is_conjugate)
      : problem_(problem),
        dtype_(is_one_of(Halves{}, problem.dtype()) ? Dtype::float32 : problem.dtype()),
        conjugate_(is_conjugate ? conjugate_kernel(dtype_) : nullptr),
        row_(element_count(problem.op().where.row)) {}

  // A copy in the type of the sweep.
  [[nodiscard]] Tensor factors(const ConstTensorRef& from) const {
    Tensor copy = converted(from, dtype_, problem_.options());
    if (conjugate_ != nullptr) apply_strips(conjugate_, copy, {}, problem_.options());
    return copy;
  }
  [[nodiscard]] Tensor products() const { return Tensor::zeros(dtype_, problem_.updates_shape()); }  // skipped ones stay zero

  // Rows of places with the values of a tensor like the output.
  [[nodiscard]] ByPlace by_place(const ConstTensorRef& from) const {
    const ScatterOp& op = problem_.op();
    const AddressedAxes places = addressed_axes(op);
    Dims shape = places.shape;
    shape.append(op.where.row);
    ByPlace made{Tensor(dtype_, shape), {}};
    const Dims dense = dense_strides(shape);
    made.view = TensorRef(made.rows.data(), dtype_, problem_.reachable(from).shape);
    std::size_t place = 0;
    for (std::size_t d = 0; d < op.where.axes.size(); ++d) {
      const Axis axis = op.where.axes[d];
      made.view.strides[d] = dense[axis.from == Axis::row ? places.shape.size() + axis.at : place++];
    }
    convert(made.view, problem_.reachable(from), problem_.options());
    return made;
  }
  [[nodiscard]] ByPlace factors_by_place(const ConstTensorRef& from) const {
    ByPlace made = by_place(from);
    if (conjugate_ != nullptr) apply_strips(conjugate_, made.rows, {}, problem_.options());
    return made;
  }
  // What a product starts from: the old values, or one.
  [[nodiscard]] ByPlace begin() const {
    return factors_by_place(problem_.keeps_base() ? problem_.old_values()
                                                  : repeated(one_of_type(problem_.dtype()), problem_.op().out.shape));
  }

  struct Arrays {
    ByPlace* running;
    ByPlace* running_tangent = nullptr;
    const Tensor* values = nullptr;
    const Tensor* values_tangent = nullptr;
    Tensor* products = nullptr;
    Tensor* products_tangent = nullptr;
  };
  void forward(const Arrays& arrays) const { run(forward_sweep(dtype_), arrays, false); }
  void backward(const Arrays& arrays) const { run(backward_sweep(dtype_), arrays, true); }

 private:
  // Rows are split among the threads if they are long, else places: each thread then reads all indices.
  void run(SweepKernel kernel, const Arrays& arrays, bool is_backward) const {
    ScatterOp op = problem_.op();
    op.out = arrays.running->view;
    op.base = InPlace{};
    op.updates = *arrays.values;
    op.fold = {.step = Reduction::mul};
    const Job job = make_job(op, op.out, {problem_.options()});
    if (job.walk.point_count == 0 || job.walk.row_count == 0) {
      if (!indices_in_range(job)) throw_bad_index(op.name, op.where, op.out.shape);
      return;
    }
    constexpr std::int64_t long_row = 64, many_elements = 1 << 15;
    const std::int64_t places = arrays.running->rows.size() / row_, row_bytes = row_ * size_of(dtype_);
    const std::int64_t tasks = job.walk.point_count * row_ < many_elements ? 1 : threads_of(job);
    const bool splits_rows = row_ >= long_row;
    std::atomic<bool> fine{true};
    parallel(job, tasks, [&](std::int64_t task) {
      SweepBlock block{};
      block.row = block.end = row_;
      block.high = places * row_bytes;
      if (splits_rows) {
        block.begin = portion(row_, task, tasks);
        block.end = portion(row_, task + 1, tasks);
      } else {
        block.low = portion(places, task, tasks) * row_bytes;
        block.high = portion(places, task + 1, tasks) * row_bytes;
      }
      if (!sweep(kernel, job, arrays, block, is_backward)) fine.store(false, std::memory_order_relaxed);
    });
    if (!fine.load(std::memory_order_relaxed)) throw_bad_index(op.name, op.where, op.out.shape);
  }

  // Returns false at a bad index.
  bool sweep(SweepKernel kernel, const Job& job, const Arrays& arrays, SweepBlock block, bool is_backward) const {
    std::array<std::int64_t, largest_block> offsets;
    const std::int64_t bytes = row_ * size_of(dtype_), points = job.walk.point_count;
    block.offsets = offsets.data();
    block.running = static_cast<std::byte*>(arrays.running->rows.data());
    if (arrays.running_tangent != nullptr) block.running_tangent = static_cast<std::byte*>(arrays.running_tangent->rows.data());
    for (std::int64_t done = 0; done < points; done += block.points) {
      block.points = std::min(job.block_points, points - done);
      const std::int64_t first = is_backward ? points - done - block.points : done;
      std::int64_t count = 0;
      const bool good = each_block_between(job, first, first + block.points, [&](const std::int64_t* some, std::int64_t number) {
        std::copy_n(some, number, offsets.data() + count);
        count += number;
      });
      if (!good) return false;
      const auto from = [&](const Tensor* tensor) {
        return tensor == nullptr ? nullptr : static_cast<std::byte*>(const_cast<void*>(tensor->data())) + first * bytes;
      };
      block.values = from(arrays.values);
      block.values_tangent = from(arrays.values_tangent);
      block.products = from(arrays.products);
      block.products_tangent = from(arrays.products_tangent);
      kernel(block);
    }
    return true;
  }

  Problem& problem_;
  const Dtype dtype_;
  const StripKernel conjugate_;
  const std::int64_t row_;
};

// The cotangents, after both sweeps: of the updates from the products, of the base from what runs back.
void finish(Problem& problem, const ConstTensorRef& cotangent, const Tensor& products, const ByPlace& back, const Cotangents& into) {
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

}  // namespace

void product_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into) {
  const Product sweeps(problem, true);
  const Tensor values = sweeps.factors(problem.values());
  Tensor products = sweeps.products();
  ByPlace running = sweeps.begin(), back = sweeps.by_place(cotangent);
  if (into.updates != nullptr) sweeps.forward({.running = &running, .values = &values, .products = &products});
  sweeps.backward({.running = &back, .values = &values, .products = into.updates != nullptr ? &products : nullptr});
  finish(problem, cotangent, products, back, into);
}

void product_jvp(Problem& problem, const Tangents& tangents, const TensorRef& into) {
  const Product sweeps(problem, false);
  const Tensor values = sweeps.factors(problem.values());
  const auto or_zero = [&](const ConstTensorRef* tangent, const Dims& shape) {
    return tangent != nullptr ? *tangent : repeated(zero_of(problem.dtype()), shape);
  };
  const Tensor values_tangent = sweeps.factors(or_zero(tangents.updates, problem.updates_shape()));
  const ConstTensorRef base = or_zero(tangents.base, into.shape);
  ByPlace running = sweeps.begin(), tangent = sweeps.by_place(base);
  if (!problem.keeps_base()) problem.fill_touched(tangent.view, {}, zero_of(tangent.view.dtype));
  sweeps.forward({.running = &running, .running_tangent = &tangent, .values = &values, .values_tangent = &values_tangent});
  const TensorRef part = problem.reachable(into);
  if (!(part.shape == into.shape)) convert(into, base, problem.options());
  convert(part, tangent.view, problem.options());
}

void product_second(Problem& problem, const ConstTensorRef& cotangent, const ConstTensorRef* cotangent_tangent, const Tangents& tangents,
                    const Cotangents& into) {
  const Product sweeps(problem, true);
  const auto or_zero = [&](const ConstTensorRef* tangent, const Dims& shape) {
    return tangent != nullptr ? *tangent : repeated(zero_of(problem.dtype()), shape);
  };
  const Dims& shape = problem.op().out.shape;
  const Tensor values = sweeps.factors(problem.values());
  const Tensor values_tangent = sweeps.factors(or_zero(tangents.updates, problem.updates_shape()));
  Tensor products = sweeps.products(), products_tangent = sweeps.products();
  const ConstTensorRef further = or_zero(cotangent_tangent, shape);
  ByPlace running = sweeps.begin();
  ByPlace running_tangent = sweeps.factors_by_place(or_zero(problem.keeps_base() ? tangents.base : nullptr, shape));
  ByPlace back = sweeps.by_place(cotangent), back_tangent = sweeps.by_place(further);
  sweeps.forward({&running, &running_tangent, &values, &values_tangent, &products, &products_tangent});
  sweeps.backward({&back, &back_tangent, &values, &values_tangent, &products, &products_tangent});
  finish(problem, further, products_tangent, back_tangent, into);
}

}  // namespace strew::internal
