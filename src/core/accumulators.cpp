// Begins, counts and finishes folds on memory of their own.
#include "core/accumulators.h"

#include <bit>

#include "base/checked.h"
#include "core/copy.h"
#include "strategies/blocks.h"

namespace strew {
namespace {

// Axes of the output in the order of the row's dimensions, and their sizes: the whole axis, row or not.
Dims row_shape(const ScatterOp& op, SmallVector<std::size_t, 8>& axes) {
  Dims shape(op.where.row.size(), 0);
  axes.resize(shape.size());
  for (std::size_t d = 0; d < op.where.axes.size(); ++d) {
    if (op.where.axes[d].from != Axis::row) continue;
    shape[op.where.axes[d].at] = op.out.shape[d];
    axes[op.where.axes[d].at] = d;
  }
  return shape;
}

}  // namespace

Chosen chosen_axes(const ScatterOp& op) {
  Chosen chosen;
  for (std::size_t d = 0; d < op.where.axes.size(); ++d) {
    if (op.where.axes[d].from == Axis::row) continue;
    chosen.axes.push_back(d);
    chosen.shape.push_back(op.out.shape[d]);
  }
  return chosen;
}

std::int64_t Accumulators::bytes(const ScatterOp& op) {
  const auto elements = checked_mul(element_count(op.out.shape), size_of(accumulator_of(op.fold, op.out.dtype)));
  const auto counts = checked_mul(element_count(chosen_axes(op).shape), size_of(Dtype::int64));
  const auto sum = elements && counts ? checked_add(*elements, *counts) : std::nullopt;
  return sum.value_or(INT64_MAX);  // more than there can be: running it says so
}

Accumulators::Accumulators(const ScatterOp& op, const ConstTensorRef* current) {
  const Dtype accumulator = accumulator_of(op.fold, op.out.dtype);
  const Chosen chosen = chosen_axes(op);
  SmallVector<std::size_t, 8> row_axes;
  const Dims row = row_shape(op, row_axes);

  Dims layout = chosen.shape;
  layout.append(row);
  memory_ = Tensor(accumulator, layout);
  count_memory_ = Tensor::zeros(Dtype::int64, chosen.shape);
  const Dims dense = dense_strides(layout);
  Dims strides(op.out.rank(), 0);
  for (std::size_t i = 0; i < chosen.axes.size(); ++i) strides[chosen.axes[i]] = dense[i];
  for (std::size_t i = 0; i < row_axes.size(); ++i) strides[row_axes[i]] = dense[chosen.axes.size() + i];
  target_ = TensorRef(memory_.data(), accumulator, op.out.shape, strides);

  // What finish() walks is had now: it must not allocate.
  const Dims out_steps = byte_steps(op.out.strides, op.out.dtype);
  places_ = chosen.shape;
  for (const std::size_t axis : chosen.axes) place_steps_.push_back(out_steps[axis]);
  Dims row_strides;
  for (const std::size_t axis : row_axes) row_strides.push_back(op.out.strides[axis]);
  const Dims accumulator_strides = dense_strides(row);
  const Track tracks[] = {{row_strides.data(), size_of(op.out.dtype), &row_steps_},
                          {accumulator_strides.data(), size_of(accumulator), &accumulator_steps_}};
  join(op.where.row, tracks, row_);

  const RowKernel widen = step_kernel(Reduction::assign, Compare::keep_out, op.out.dtype, accumulator);
  const std::int64_t row_bytes = std::max<std::int64_t>(1, element_count(row)) * size_of(accumulator);
  const auto bits = static_cast<std::uint64_t>(row_bytes);
  counts_ = {static_cast<std::int64_t*>(count_memory_.data()), row_bytes, std::has_single_bit(bits) ? std::countr_zero(bits) : -1,
             op.fold.begin == Begin::first ? widen : nullptr};
  switch (op.fold.begin) {
    case Begin::identity:
      identity_kernel(op.fold.step, op.fold.compare, accumulator)(static_cast<std::byte*>(memory_.data()), memory_.size());
      break;
    case Begin::first: break;
    case Begin::current:
      if (current == nullptr) {
        fill_zeros(memory_);
      } else {
        apply_elementwise(widen, op.out.shape, static_cast<std::byte*>(memory_.data()), byte_steps(strides, accumulator),
                          static_cast<const std::byte*>(current->data), byte_steps(current->strides, current->dtype));
      }
      break;
  }
}

void Accumulators::finish(const ScatterOp& op) const {
  if (memory_.size() == 0) return;  // the output may have no memory at all
  const FinishKernel kernel = finish_kernel(op.fold.finish, op.out.dtype, memory_.dtype());
  const std::int64_t self = op.fold.begin == Begin::current ? 1 : 0;
  const auto* from = static_cast<const std::byte*>(memory_.data());
  const std::int64_t* count = counts_.of_row;
  auto* const out = static_cast<std::byte*>(op.out.data);
  const std::int64_t width = row_.empty() ? 1 : row_.back(), width_step = row_.empty() ? 0 : row_steps_.back();
  const std::int64_t length = places_.empty() ? 1 : places_.back(), step = places_.empty() ? 0 : place_steps_.back();
  each_run(places_, [&](const Coordinates& at) {
    std::byte* to = out + dot(at, place_steps_);
    for (std::int64_t i = 0; i < length; ++i, ++count, to += step, from += counts_.row_bytes) {
      if (*count == 0) continue;
      each_run(row_, [&](const Coordinates& within) {
        kernel({from + dot(within, accumulator_steps_), to + dot(within, row_steps_), width, width_step, *count + self});
        return true;
      });
    }
    return true;
  });
}

}  // namespace strew
