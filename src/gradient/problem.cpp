// Validates a scatter for its derivatives, and builds the ops that the rules are made of.
#include "gradient/problem.h"

#include <cstring>

#include "base/text.h"
#include "gradient/elementwise.h"
#include "kernels/cast.h"

namespace strew::internal {
namespace {

// One value of every dtype that has a gradient or counts.
template <int number>
struct Scalars {
  Scalar rows[std::size(dtypes)];
  Scalars() {
    for (const DtypeInfo& info : dtypes) {
      Scalar& scalar = rows[static_cast<std::size_t>(info.dtype)];
      scalar.dtype = info.dtype;
      visit_dtype(Numbers{}, info.dtype, [&]<class T>(Tag<T>) { store(scalar.bytes, cast<T>(double{number})); });
    }
  }
};
template <int number>
const Scalar& scalar_of(Dtype dtype) {
  static const Scalars<number> scalars;
  return scalars.rows[static_cast<std::size_t>(dtype)];
}

}  // namespace

Rule rule_of(const char* op, Reduction reduction) {
  switch (reduction) {
    case Reduction::assign: return Rule::assign;
    case Reduction::add:
    case Reduction::sub: return Rule::linear;
    case Reduction::mul: return Rule::product;
    case Reduction::min:
    case Reduction::max: return Rule::extreme;
    default: throw Error(ErrorCode::unsupported, cat(op, ": ", to_string(reduction), " has no gradient"));
  }
}

ConstTensorRef repeated(const Scalar& value, const Dims& shape) { return {value.bytes, value.dtype, shape, Dims(shape.size(), 0)}; }
const Scalar& zero_of(Dtype dtype) { return scalar_of<0>(dtype); }
const Scalar& one_of_type(Dtype dtype) { return scalar_of<1>(dtype); }

Problem::Problem(const ScatterOp& op, const RunOptions& options, const IndexFacts* facts, Types types)
    : op_(op), options_(options), given_(facts) {
  check_form(op_, false);
  if (types == Types::differentiable) require_differentiable(op_.name, op_.name.input, op_.out.dtype);
  promote_rank_zero(op_);
  repeat_scalar(op_);
  if (types == Types::differentiable) {
    require_differentiable(op_.name, op_.name.updates, op_.updates.dtype);
    rule_ = rule_of(op_.name, op_.fold.step);
    make_shared_points_row();
  }
  if (const auto strategy = options.strategy; !strategy.empty()) {
    for (const Strategy* known : strategies()) {
      if (known->name == strategy) return;
    }
    throw Error(ErrorCode::argument, cat(op_.name, ": there is no strategy \"", strategy, "\""));
  }
}

// Neighbouring points that share their indices and follow an axis become the row of one point: an index that is broadcast along the
// updates.
void Problem::make_shared_points_row() {
  Addressing& where = op_.where;
  while (!where.points.empty() && !where.columns.empty() && where.row.size() < max_rank) {
    const std::size_t last = where.points.size() - 1;
    std::size_t followers = 0, follower = 0;
    for (std::size_t d = 0; d < where.axes.size(); ++d) {
      if (where.axes[d].from == Axis::point && where.axes[d].at == last) ++followers, follower = d;
    }
    bool is_shared = followers == 1;
    for (const ConstTensorRef& column : where.columns) is_shared = is_shared && column.strides[last] == 0;
    if (!is_shared) return;
    if (!described_) described_ = where;
    for (Axis& axis : where.axes) {
      if (axis.from == Axis::row) ++axis.at;
    }
    where.axes[follower] = {Axis::row, 0};
    Dims row{where.points[last]};
    row.append(where.row);
    where.row = std::move(row);
    where.points.pop_back();
    for (ConstTensorRef& column : where.columns) {
      column.shape.pop_back();
      column.strides.pop_back();
    }
  }
}

void Problem::throw_bad_index() const { internal::throw_bad_index(op_.name, described_ ? *described_ : op_.where, op_.out.shape); }

template <class Op>
void Problem::run(const Op& op) const {
  try {
    run_on_fresh(op, options_);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::index) throw_bad_index();
    throw;
  }
}

ConstTensorRef Problem::old_values() const {
  if (const auto* base = std::get_if<ConstTensorRef>(&op_.base)) return *base;
  if (std::holds_alternative<Zeros>(op_.base)) return repeated(zero_of(op_.out.dtype), op_.out.shape);
  check_view(op_.name, op_.name.input, op_.out);
  return op_.out;
}

ConstTensorRef Problem::values() {
  if (values_) return *values_;
  values_ = op_.updates;
  if (op_.updates.dtype != op_.out.dtype) values_ = keep(converted(op_.updates, op_.out.dtype, options_));
  if (op_.scale) {
    Tensor scaled = converted(*values_, op_.out.dtype, options_);
    multiply_by(scaled, *op_.scale, options_);
    values_ = keep(std::move(scaled));
  }
  return *values_;
}

ConstTensorRef Problem::folded(const std::optional<ConstTensorRef>& result) {
  if (result && !is_mean()) return addressed(*result);
  ScatterOp op = op_;
  op.base = old_values();
  op.fold.finish = FoldFinish::keep;
  Tensor out(op_.out.dtype, op_.out.shape);
  op.out = out;
  run(op);
  return keep(std::move(out));
}

std::optional<Scalar> Problem::cotangent_factor() const {
  if (!op_.scale) return {};
  Scalar factor = *op_.scale;
  if (const StripKernel conjugate = conjugate_kernel(factor.dtype)) conjugate({{factor.bytes}, {}, 1});
  return factor;
}

void Problem::gather(const TensorRef& into, const ConstTensorRef& from) const {
  run(GatherOp{.name = op_.name, .where = op_.where, .from = from, .out = into});
}

Tensor Problem::gathered(const ConstTensorRef& from) const {
  Tensor into(from.dtype, op_.updates.shape);
  gather(into, from);
  return into;
}

void Problem::scatter(const TensorRef& into, const std::optional<ConstTensorRef>& base, const ConstTensorRef& updates,
                      Reduction step) const {
  ScatterOp op{.name = op_.name, .where = op_.where, .out = into, .updates = updates, .fold = {.step = step, .round = op_.fold.round}};
  if (base) op.base = *base;
  run(op);
}

void Problem::fill_touched(const TensorRef& into, const std::optional<ConstTensorRef>& from, const Scalar& value) const {
  scatter(into, from, repeated(value, op_.updates.shape), Reduction::assign);
}

Dtype Problem::numbers_dtype() const { return element_count(op_.where.points) < INT32_MAX ? Dtype::int32 : Dtype::int64; }

Addressing Problem::places_only() const {
  Addressing where = op_.where;
  where.row.clear();
  where.axes.clear();
  for (const Axis& axis : op_.where.axes) {
    if (axis.from != Axis::row) where.axes.push_back(axis);
  }
  return where;
}

ConstTensorRef Problem::point_numbers() {
  if (point_numbers_) return *point_numbers_;
  Tensor numbers(numbers_dtype(), op_.where.points);
  auto* const begin = static_cast<std::byte*>(numbers.data());
  const Dtype dtype = numbers.dtype();
  each_strip(Strips(numbers, {}), options_,
             [=](const Strip& strip) { count_up(strip.at[0], (strip.at[0] - begin) / size_of(dtype) + 1, 1, strip.count, dtype); });
  point_numbers_ = keep(std::move(numbers));
  return *point_numbers_;
}

// The numbers of the points of each place, folded. Places without points hold anything after an assignment.
Tensor Problem::numbers_by_place(Reduction step) {
  const ConstTensorRef numbers = point_numbers();
  Tensor by_place(numbers.dtype, addressed_axes(op_).shape);
  ScatterOp op{.name = op_.name, .where = places_only(), .out = by_place, .updates = numbers, .fold = {.step = step}};
  Scalar largest{numbers.dtype, {}};
  std::memset(largest.bytes, 0x7f, sizeof largest.bytes);
  if (step == Reduction::min) op.base = repeated(largest, by_place.shape());
  run(op);
  return by_place;
}

Tensor Problem::gathered_numbers(const Tensor& by_place) const {
  Tensor numbers(by_place.dtype(), op_.where.points);
  run(GatherOp{.name = op_.name, .where = places_only(), .from = by_place, .out = numbers});
  return numbers;
}

ConstTensorRef Problem::last_numbers() {
  if (given_ != nullptr && given_->last) return *given_->last;
  if (!facts_.last) facts_.last = gathered_numbers(numbers_by_place(Reduction::assign));
  return *facts_.last;
}

Tensor Problem::first_numbers() { return gathered_numbers(numbers_by_place(Reduction::min)); }

Tensor Problem::counts_by_place() const {
  Tensor counts(numbers_dtype(), addressed_axes(op_).shape);
  ScatterOp op{.name = op_.name, .where = places_only(), .out = counts, .fold = {.step = Reduction::add}};
  op.updates = repeated(one_of_type(counts.dtype()), op_.where.points);
  const bool counts_self = op_.fold.begin == FoldBegin::current;
  op.base = repeated(counts_self ? one_of_type(counts.dtype()) : zero_of(counts.dtype()), counts.shape());
  run(op);
  return counts;
}

ConstTensorRef Problem::counts() {
  const bool is_given = given_ != nullptr && given_->counts;
  if (!is_given && !facts_.counts) facts_.counts = counts_by_place();
  return over_places(is_given ? *given_->counts : *facts_.counts);
}

ConstTensorRef Problem::over_places(const ConstTensorRef& by_place) const {
  const AddressedAxes places = addressed_axes(op_);
  ConstTensorRef view = by_place;
  view.shape = op_.out.shape;
  view.strides = Dims(op_.out.rank(), 0);
  for (std::size_t i = 0; i < places.axes.size(); ++i) view.strides[places.axes[i]] = by_place.strides[i];
  return reachable(view);
}

ConstTensorRef Problem::over_rows(const ConstTensorRef& by_point) const {
  ConstTensorRef view = by_point;
  view.shape.append(op_.where.row);
  view.strides.append(Dims(op_.where.row.size(), 0));
  return view;
}

Tensor Problem::divided(const ConstTensorRef& from) {
  Tensor quotients(from.dtype, from.shape);
  const ConstTensorRef divisors = counts();
  const TensorRef all = quotients, part = reachable(all);
  if (!(part.shape == all.shape)) convert(all, from, options_);
  apply_strips(divide_kernel(from.dtype, divisors.dtype), part, {reachable(from), divisors}, options_);
  return quotients;
}

}  // namespace strew::internal
