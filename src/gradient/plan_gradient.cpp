// Gradients of a plan: its places become the indices, and what a rule needs to know of them is kept after the first call.
#include "base/text.h"
#include "core/memory_errors.h"
#include "core/plan_state.h"
#include "gradient/vjp.h"

namespace strew::internal {
namespace {

// Columns hold the coordinates of each point on the addressed axes. That of a skipped point on the first axis is the size of the axis.
struct PlannedFacts final : KeptByPlan {
  std::vector<Tensor> columns;
  IndexFacts facts;

  [[nodiscard]] std::int64_t bytes() const override {
    std::int64_t sum = 0;
    const auto add = [&](const Tensor& tensor) { sum += tensor.size() * size_of(tensor.dtype()); };
    for (const Tensor& column : columns) add(column);
    if (facts.last) add(*facts.last);
    if (facts.counts) add(*facts.counts);
    return sum;
  }
};

// Splits place numbers into coordinates; the number of all places denotes a skipped point.
template <class I>
void split(std::span<const I> places, const Dims& shape, std::vector<Tensor>& columns) {
  const std::int64_t all = element_count(shape);
  const Dims inner = dense_strides(shape);
  for (std::size_t c = 0; c < shape.size(); ++c) {
    const auto column = columns[c].values<I>();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::int64_t place = places[i];
      column[i] = static_cast<I>(place == all ? shape[c] : place / inner[c] % shape[c]);
    }
  }
}

// The op with the plan's indices, all of which are valid or denote skipped points.
ScatterOp with_columns(const ScatterOp& given, const PlannedFacts& kept) {
  ScatterOp op = given;
  Addressing& where = op.where;
  where.columns.clear();
  for (const Tensor& column : kept.columns) {
    const bool is_listed = column.size() == element_count(where.points);  // else rows have no elements
    where.columns.push_back({is_listed ? column.data() : zero_of(column.dtype()).bytes, column.dtype(), where.points,
                             is_listed ? dense_strides(where.points) : Dims(where.points.size(), 0)});
  }
  std::uint8_t next = 0;
  for (Axis& axis : where.axes) {
    if (axis.from != Axis::row) axis = {Axis::column, next++};
  }
  where.negative = Negative::reject;
  where.out_of_range = OutOfRange::skip;
  where.tuples = false;
  return op;
}

std::shared_ptr<const KeptByPlan> make_facts(const Plan& plan, const ScatterOp& op, const RunOptions& options) {
  auto made = std::make_shared<PlannedFacts>();
  ScatterOp addressed = op;
  promote_rank_zero(addressed.out, addressed.where);
  const Dims shape = addressed_axes(addressed).shape;
  const Tensor places = plan.places();
  for (std::size_t c = 0; c < shape.size(); ++c) made->columns.emplace_back(places.dtype(), places.shape());
  if (places.dtype() == Dtype::int32) {
    split(places.values<std::int32_t>(), shape, made->columns);
  } else {
    split(places.values<std::int64_t>(), shape, made->columns);
  }
  Problem problem(with_columns(op, *made), options, nullptr, Problem::Types::any);
  if (op.fold.step == Reduction::assign && !is_empty(op.where.row)) made->facts.last = Tensor::copy_of(problem.last_numbers());
  if (problem.is_mean()) made->facts.counts = problem.counts_by_place();
  return made;
}

}  // namespace
}  // namespace strew::internal

namespace strew::inline v0 {
using namespace internal;

ScatterGradient Plan::gradient(const ScatterOp& given, const ConstTensorRef& cotangent, const GradientOf& of,
                               const RunOptions& options) const {
  return naming_memory_errors(given.name, "the gradient", "", [&] {
    check_form(given, false);
    state_->require_same_form(given);
    std::shared_ptr<const KeptByPlan> kept;
    {
      const std::lock_guard lock(state_->guard);
      if (state_->kept != nullptr) kept = state_->kept;
    }
    if (kept == nullptr) {
      kept = make_facts(*this, given, options);  // without the lock: other threads may make them as well, and the last ones stay
      const std::lock_guard lock(state_->guard);
      state_->kept = kept;
    }
    const auto& facts = static_cast<const PlannedFacts&>(*kept);
    Problem problem(with_columns(given, facts), options, &facts.facts);
    return vjp_of(problem, cotangent, of, given.out.shape);
  });
}

ScatterGradient Plan::gradient(const ConstTensorRef& cotangent, const GradientOf& of, const RunOptions& options) const {
  ScatterOp op = state_->form;
  op.name = state_->names();
  const Rule rule = rule_of(op.name, op.fold.step);
  if (rule == Rule::product || rule == Rule::extreme) {
    throw Error(ErrorCode::argument, cat(op.name, ": the gradient of ", to_string(op.fold.step), " reads values: pass the op as well"));
  }
  // Neither indices nor values are read.
  for (const Axis& axis : op.where.axes) {
    if (axis.from == Axis::column) op.where.columns.push_back(repeated(zero_of(Dtype::int32), op.where.points));
  }
  op.updates = repeated(zero_of(op.updates.dtype), op.updates.shape);
  return gradient(op, cotangent, of, options);
}

}  // namespace strew::inline v0
