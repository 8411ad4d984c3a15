// Plans: reads the indices of an op once, and makes an op without indices for each call.
#include "strew/plan.h"

#include <algorithm>

#include "base/shorten.h"
#include "base/text.h"
#include "core/core.h"
#include "core/memory_errors.h"
#include "core/places.h"
#include "core/plan_state.h"
#include "strategies/parallel.h"
#include "strategies/sample.h"

namespace strew::inline v0 {
using namespace internal;

// Keeps everything of an op but references to memory.
void Plan::State::keep(const ScatterOp& described) {
  op = cat(described.name.op);
  input = cat(described.name.input);
  updates = cat(described.name.updates);
  overlap = described.name.overlap;
  form.where = described.where;
  form.where.columns.clear();
  form.where.words = {};
  form.out = TensorRef(nullptr, described.out.dtype, described.out.shape);
  if (std::holds_alternative<Zeros>(described.base)) form.base = Zeros{};
  form.updates = ConstTensorRef(nullptr, described.updates.dtype, described.updates.shape);
  form.scale = described.scale;
  form.fold = described.fold;
}

namespace {

// numbered() for a list of the place numbers of all points.
ScatterOp listed(const ScatterOp& op, const ConstTensorRef& places) {
  ScatterOp numbers = numbered(op);
  Dims strides = dense_strides(op.where.points);
  for (std::int64_t& stride : strides) stride = wrapping_mul(stride, places.strides[0]);
  Addressing& where = numbers.where;
  where.columns = {ConstTensorRef(places.data, places.dtype, op.where.points, std::move(strides))};
  where.axes = {{Axis::column, 0}};
  for (std::size_t d = 0; d < where.row.size(); ++d) where.axes.push_back({Axis::row, static_cast<std::uint8_t>(d)});
  where.negative = Negative::reject;
  where.out_of_range = OutOfRange::skip;
  where.tuples = false;
  where.words = {.argument = "places", .sentence = "place {value} is neither that of a row nor the number of places"};
  Dims shape{element_count(addressed_axes(op).shape)}, place_strides{1};
  shape.append(where.row);
  place_strides.append(Dims(where.row.size(), 0));
  numbers.out = TensorRef(nullptr, Dtype::int8, shape, place_strides);
  return numbers;
}

// The length of a list of places: 0 if no element is updated.
std::int64_t listed_points(const ScatterOp& op) { return is_empty(op.where.row) ? 0 : element_count(op.where.points); }

// Checks that each place is a row, or the number of places, which denotes none.
void check_places(const ScatterOp& op, const ConstTensorRef& places, const RunOptions& options) {
  check_view(op.name, "places", places);
  if (places.dtype != Dtype::int32 && places.dtype != Dtype::int64)
    throw Error(ErrorCode::dtype, cat(op.name, ": places must be int32 or int64, got ", to_string(places.dtype)));
  if (const Dims expected{listed_points(op)}; !(places.shape == expected)) {
    throw Error(ErrorCode::shape,
                cat(op.name, ": places must have shape ", bracketed(expected), ", one for each point, got ", bracketed(places.shape)));
  }
  if (is_empty(places.shape)) return;
  ScatterOp numbers = listed(op, places);
  numbers.where.out_of_range = OutOfRange::error;
  if (numbers.out.shape[0] == INT64_MAX) throw Error(ErrorCode::shape, cat(op.name, ": there are too many places to list"));
  ++numbers.out.shape[0];
  if (!indices_in_range(make_job(numbers, numbers.out, {options}))) throw_bad_index(op.name, numbers.where, numbers.out.shape);
}

// Whether the points of each call, without index columns, collapse to one dimension.
bool is_line(const ScatterOp& op, const RunOptions& options) {
  ScatterOp numbers = numbered(op);
  numbers.where.columns.clear();
  return make_job(numbers, numbers.out, {options}).walk.points.size() == 1;
}

ReplayFacts facts_of(const ScatterOp& op, const Job& job, bool is_line) {
  const Fold& fold = op.fold;
  ReplayFacts facts;
  facts.points = job.walk.point_count;
  facts.places = element_count(addressed_axes(op).shape);
  facts.row_count = job.walk.row_count;
  facts.stream_bytes = op.updates.dtype == Dtype::string ? 0 : size_of(op.updates.dtype);
  facts.addressed_bytes = size_of(accumulator_of(fold, op.out.dtype));
  facts.last_only = properties_of(fold.step, fold.compare, op.out.dtype).replaces && !needs_accumulators(fold, op.out.dtype);
  facts.forced = job.forced;
  facts.threads = threads_of(job);
  facts.has_loop = is_line && facts.row_count == 1 && accumulator_of(fold, op.out.dtype) == op.updates.dtype &&
                   element_kernel(fold.step, fold.compare, op.updates.dtype, needs_accumulators(fold, op.out.dtype), Dtype::int32,
                                  Negative::reject) != nullptr;
  facts.stays_near = facts.has_loop && sample(job).stays_near();
  facts.block_points = job.block_points;
  return facts;
}

const Layout& choose_layout(const char* op, const ReplayFacts& facts, std::string_view requested, std::string& declined) {
  std::string_view why;
  for (const Layout* layout : layouts()) {
    if (!requested.empty() && layout->name != requested) continue;
    why = {};
    if (layout->accepts(facts, why)) return *layout;
    declined += cat("  layout ", layout->name, " declined: ", why, "\n");
  }
  std::string names;
  for (const Layout* layout : layouts()) append(names, cat(names.empty() ? "" : ", ", layout->name));
  throw Error(ErrorCode::argument, why.empty() ? cat(op, ": there is no layout \"", requested, "\"; there are ", names)
                                               : cat(op, ": layout \"", requested, "\" declined: ", why));
}

// Checks that a tensor matches the dtype and shape the plan was made for.
Extent check_like(const char* op, const char* argument, const View& view, Dtype dtype, const Dims& shape) {
  const Extent extent = check_view(op, argument, view);
  if (view.dtype != dtype)
    throw Error(ErrorCode::dtype, cat(op, ": the plan takes ", argument, " of ", to_string(dtype), ", got ", to_string(view.dtype)));
  if (!(view.shape == shape))
    throw Error(ErrorCode::shape, cat(op, ": the plan takes ", argument, " of shape ", bracketed(shape), ", got ", bracketed(view.shape)));
  return extent;
}

}  // namespace

// `places` is null to read the indices.
Plan Plan::made(const ScatterOp& described, const ConstTensorRef* places, const RunOptions& options) {
  check_form(described, false);
  return naming_memory_errors(described.name, "the plan", "", [&] {
    auto state = std::make_shared<State>();
    ScatterOp op = described;
    repeat_scalar(op);
    ScatterOp addressed = op;
    promote_rank_zero(addressed.out, addressed.where);
    if (places != nullptr) check_places(addressed, *places, options);
    const ScatterOp numbers = places == nullptr ? numbered(addressed) : listed(addressed, *places);
    Job job = make_job(numbers, numbers.out, {options});
    if (job.walk.row_count == 0) {  // no element is updated, so no index is kept
      if (places == nullptr && !indices_in_range(job)) throw_bad_index(op.name, addressed.where, addressed.out.shape);
      job.walk.point_count = 0;
    }
    const ReplayFacts facts = facts_of(addressed, job, is_line(addressed, options));
    const Layout& layout = choose_layout(op.name, facts, options.strategy, state->layout);
    state->layout += cat("  layout: ", layout.name, " (", layout.summary, ")\n");
    state->replay = layout.build(job, facts);
    if (state->replay == nullptr) throw_bad_index(op.name, addressed.where, addressed.out.shape);
    state->keep(op);
    return Plan(std::move(state));
  });
}

Plan plan(const ScatterOp& op, const RunOptions& options) { return Plan::made(op, nullptr, options); }
Expected<Plan> try_plan(const ScatterOp& op, const RunOptions& options) {
  return try_call([&] { return plan(op, options); });
}

Plan plan_from_places(const ScatterOp& op, const ConstTensorRef& places, const RunOptions& options) {
  return Plan::made(op, &places, options);
}

Tensor Plan::places() const {
  ScatterOp op = state_->form;
  op.name = state_->op.c_str();
  promote_rank_zero(op.out, op.where);
  const std::int64_t count = element_count(addressed_axes(op).shape);
  return naming_memory_errors(op.name, "the places of the plan", "", [&] {
    Tensor list(count <= INT32_MAX ? Dtype::int32 : Dtype::int64, {listed_points(op)});
    const auto fill = [&](auto numbers, PlaceList to) {
      std::fill(numbers.begin(), numbers.end(), count);
      state_->replay->list_places(to);
    };
    if (list.dtype() == Dtype::int32) {
      fill(list.values<std::int32_t>(), {list.values<std::int32_t>().data(), nullptr});
    } else {
      fill(list.values<std::int64_t>(), {nullptr, list.values<std::int64_t>().data()});
    }
    return list;
  });
}

// The op of one call, without an output yet.
ScatterOp Plan::State::with(const ConstTensorRef& source, Extents& extents) const {
  const OpNames names = this->names();
  extents.updates = check_like(names, names.updates, source, form.updates.dtype, form.updates.shape);
  return naming_memory_errors(names, "this call of the plan", "", [&] {
    ScatterOp call = form;
    call.name = names;
    call.updates = source;
    return call;
  });
}

void Plan::apply(const ConstTensorRef& updates, const TensorRef& out, const RunOptions& options) const {
  Extents extents;
  ScatterOp op = state_->with(updates, extents);
  extents.out = check_like(op.name, "out", out, out_dtype(), out_shape());
  op.out = out;
  run_planned(std::move(op), extents, {options, state_->replay.get()});
}

void Plan::apply(const Scalar& number, const TensorRef& out, const RunOptions& options) const {
  check_scalar(state_->op.c_str(), "the number", number);
  apply(ConstTensorRef(number.bytes, number.dtype, updates_shape(), Dims(updates_shape().size(), 0)), out, options);
}

Tensor Plan::compute(const ConstTensorRef& base, const ConstTensorRef& updates, const RunOptions& options) const {
  Extents extents;
  ScatterOp op = state_->with(updates, extents);
  if (starts_from_zeros()) {
    throw Error(ErrorCode::shape, cat(op.name, ": the output starts from zeros, so the plan takes no ", op.name.input));
  }
  extents.input = check_like(op.name, op.name.input, base, out_dtype(), out_shape());
  op.base = base;
  return compute_planned(std::move(op), extents, {options, state_->replay.get()});
}

Tensor Plan::compute(const ConstTensorRef& updates, const RunOptions& options) const {
  Extents extents;
  ScatterOp op = state_->with(updates, extents);
  if (!starts_from_zeros()) throw Error(ErrorCode::shape, cat(op.name, ": the plan takes ", op.name.input, " to start from"));
  return compute_planned(std::move(op), extents, {options, state_->replay.get()});
}

void Plan::State::require_same_form(const ScatterOp& other) const {
  const Addressing &mine = form.where, &its = other.where;
  const Fold &fold = form.fold, &its_fold = other.fold;
  const bool same_places = mine.points == its.points && mine.row == its.row && same_axes(mine, its);
  if (!same_places || !(form.out.shape == other.out.shape)) {
    throw Error(ErrorCode::shape, cat(other.name, ": the plan was made for points ", bracketed(mine.points), " and rows ",
                                      bracketed(mine.row), " of ", bracketed(form.out.shape), ", got ", bracketed(its.points), " and ",
                                      bracketed(its.row), " of ", bracketed(other.out.shape)));
  }
  const Dtype source = other.scalar ? other.scalar->dtype : other.updates.dtype;
  if (form.out.dtype != other.out.dtype || form.updates.dtype != source) {
    throw Error(ErrorCode::dtype, cat(other.name, ": the plan was made for ", to_string(form.updates.dtype), " into ",
                                      to_string(form.out.dtype), ", got ", to_string(source), " into ", to_string(other.out.dtype)));
  }
  if (!same_fold(fold, its_fold)) {
    throw Error(ErrorCode::argument, cat(other.name, ": the plan was made for ", to_string(fold.step), ", got ", to_string(its_fold.step),
                                         fold.step == its_fold.step ? " that begins, finishes, rounds or compares otherwise" : ""));
  }
}

void Plan::apply(ScatterOp op, const RunOptions& options) const {
  Extents extents = check_form(op, true);
  state_->require_same_form(op);
  op.where.columns.clear();
  run_planned(std::move(op), extents, {options, state_->replay.get()});
}

Tensor Plan::compute(ScatterOp op, const RunOptions& options) const {
  if (std::holds_alternative<InPlace>(op.base)) op.base = ConstTensorRef(op.out);
  Extents extents = check_form(op, false);
  state_->require_same_form(op);
  op.where.columns.clear();
  return compute_planned(std::move(op), extents, {options, state_->replay.get()});
}

std::int64_t Plan::nbytes() const {
  const std::lock_guard lock(state_->guard);
  return state_->replay->bytes() + (state_->kept == nullptr ? 0 : state_->kept->bytes());
}

std::string Plan::describe() const {
  const ScatterOp& form = state_->form;
  const Replay& replay = *state_->replay;
  const std::int64_t points = element_count(form.where.points), scratch = replay.scratch();
  return cat("plan of ", short_name(state_->op.c_str()), " on ", to_string(form.out.dtype), " ", bracketed(form.out.shape), "\n",  //
             "  points: ", points, ", ", replay.kept(), " kept, rows of ", element_count(form.where.row), "\n",  //
             state_->layout,  //
             "  bytes: ", replay.bytes() - scratch, " for the indices, ", scratch, " of scratch for updates\n");
}

const Dims& Plan::updates_shape() const { return state_->form.updates.shape; }
Dtype Plan::updates_dtype() const { return state_->form.updates.dtype; }
const Dims& Plan::out_shape() const { return state_->form.out.shape; }
Dtype Plan::out_dtype() const { return state_->form.out.dtype; }
bool Plan::starts_from_zeros() const { return std::holds_alternative<Zeros>(state_->form.base); }

}  // namespace strew::inline v0
