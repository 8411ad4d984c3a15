// Plans: reads the indices of an op once, and makes an op without them for each call.
#include "strew/plan.h"

#include <algorithm>

#include "base/text.h"
#include "core/core.h"
#include "core/memory_errors.h"
#include "strategies/parallel.h"
#include "strategies/sample.h"

namespace strew {

struct Plan::State {
  std::string op, input, updates;  // the op's names
  ScatterOp form;                  // without memory and without indices: its tensors are shapes
  std::unique_ptr<const Replay> replay;
  std::string layout;              // in words

  void keep(const ScatterOp& described);
  [[nodiscard]] ScatterOp with(const ConstTensorRef& source, Extents& extents) const;
  void require_same_form(const ScatterOp& other) const;
};

// All of an op that is not somebody's memory.
void Plan::State::keep(const ScatterOp& described) {
  op = cat(described.name.op);
  input = cat(described.name.input);
  updates = cat(described.name.updates);
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

// The op with numbers for offsets: a place is as far as its number in bytes, and all elements of a row are there.
ScatterOp numbered(const ScatterOp& op) {
  ScatterOp numbers{.name = op.name, .where = op.where};
  const Chosen chosen = chosen_axes(op);
  const Dims dense = dense_strides(chosen.shape);
  Dims place_strides(op.out.rank(), 0);
  for (std::size_t i = 0; i < chosen.axes.size(); ++i) place_strides[chosen.axes[i]] = dense[i];
  numbers.out = TensorRef(nullptr, Dtype::int8, op.out.shape, place_strides);
  Dims shape = op.where.points, point_strides = dense_strides(op.where.points);
  shape.append(op.where.row);
  point_strides.append(Dims(op.where.row.size(), 0));
  numbers.updates = ConstTensorRef(nullptr, Dtype::int8, shape, point_strides);
  return numbers;
}

ReplayFacts facts_of(const ScatterOp& op, const Job& job) {
  const Fold& fold = op.fold;
  ReplayFacts facts;
  facts.points = job.walk.point_count;
  facts.places = element_count(chosen_axes(op).shape);
  facts.row_count = job.walk.row_count;
  facts.stream_bytes = op.updates.dtype == Dtype::string ? 0 : size_of(op.updates.dtype);
  facts.place_bytes = size_of(accumulator_of(fold, op.out.dtype));
  facts.last_only = properties_of(fold.step, fold.compare, op.out.dtype).replaces && !needs_accumulators(fold, op.out.dtype);
  facts.forced = job.forced;
  facts.threads = threads_of(job);
  facts.has_loop = job.walk.points.size() == 1 && facts.row_count == 1 && accumulator_of(fold, op.out.dtype) == op.updates.dtype &&
                   element_kernel(fold.step, fold.compare, op.updates.dtype, needs_accumulators(fold, op.out.dtype), Dtype::int32,
                                  Negative::reject) != nullptr;
  facts.stays_near = facts.has_loop && sample(job).stays_near();
  facts.block_points = job.block_points;
  return facts;
}

const Layout& choose_layout(const char* op, const ReplayFacts& facts, std::string_view asked_for, std::string& declined) {
  std::string_view why;
  for (const Layout* layout : layouts()) {
    if (!asked_for.empty() && layout->name != asked_for) continue;
    why = {};
    if (layout->accepts(facts, why)) return *layout;
    declined += cat("  layout ", layout->name, " declined: ", why, "\n");
  }
  std::string names;
  for (const Layout* layout : layouts()) append(names, cat(names.empty() ? "" : ", ", layout->name));
  throw Error(ErrorCode::word, why.empty() ? cat(op, ": there is no layout \"", asked_for, "\"; there are ", names)
                                           : cat(op, ": layout \"", asked_for, "\" declined: ", why));
}

// What a call checks of a tensor that must be like the one the plan was made for.
Extent check_like(const char* op, const char* argument, const View& view, Dtype dtype, const Dims& shape) {
  const Extent extent = check_view(op, argument, view);
  if (view.dtype != dtype)
    throw Error(ErrorCode::dtype, cat(op, ": the plan takes ", argument, " of ", name(dtype), ", got ", name(view.dtype)));
  if (!(view.shape == shape))
    throw Error(ErrorCode::shape, cat(op, ": the plan takes ", argument, " of shape ", bracketed(shape), ", got ", bracketed(view.shape)));
  return extent;
}

}  // namespace

Plan plan(const ScatterOp& described, const RunOptions& options) {
  check_form(described, false);
  return naming_memory_errors(described.name, "the plan", "", [&] {
    auto state = std::make_shared<Plan::State>();
    ScatterOp op = described;
    repeat_scalar(op);
    ScatterOp addressed = op;
    see_as_addressed(addressed.out, addressed.where);
    const ScatterOp numbers = numbered(addressed);
    Job job = make_job(numbers, numbers.out, {options});
    if (job.walk.row_count == 0) {  // nothing is stepped, so nothing is kept
      if (!indices_in_range(job)) throw_bad_index(op.name, addressed.where, addressed.out.shape);
      job.walk.point_count = 0;
    }
    const ReplayFacts facts = facts_of(addressed, job);
    const Layout& layout = choose_layout(op.name, facts, options.strategy, state->layout);
    state->layout += cat("  layout: ", layout.name, " (", layout.summary, ")\n");
    state->replay = layout.build(job, facts);
    if (state->replay == nullptr) throw_bad_index(op.name, addressed.where, addressed.out.shape);
    state->keep(op);
    return Plan(std::move(state));
  });
}

// The op of one call, with nothing to write to yet.
ScatterOp Plan::State::with(const ConstTensorRef& source, Extents& extents) const {
  const Names names{op.c_str(), input.c_str(), updates.c_str()};
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
  const auto same_axis = [](const Axis& a, const Axis& b) { return a.from == b.from && a.at == b.at; };
  const Addressing &mine = form.where, &its = other.where;
  const Fold &fold = form.fold, &its_fold = other.fold;
  const bool same_places = mine.points == its.points && mine.row == its.row &&
                           std::equal(mine.axes.begin(), mine.axes.end(), its.axes.begin(), its.axes.end(), same_axis);
  if (!same_places || !(form.out.shape == other.out.shape)) {
    throw Error(ErrorCode::shape, cat(other.name, ": the plan was made for points ", bracketed(mine.points), " and rows ",
                                      bracketed(mine.row), " of ", bracketed(form.out.shape), ", got ", bracketed(its.points), " and ",
                                      bracketed(its.row), " of ", bracketed(other.out.shape)));
  }
  const Dtype source = other.scalar ? other.scalar->dtype : other.updates.dtype;
  if (form.out.dtype != other.out.dtype || form.updates.dtype != source) {
    throw Error(ErrorCode::dtype, cat(other.name, ": the plan was made for ", name(form.updates.dtype), " into ", name(form.out.dtype),
                                      ", got ", name(source), " into ", name(other.out.dtype)));
  }
  const bool same_fold = fold.step == its_fold.step && fold.begin == its_fold.begin && fold.finish == its_fold.finish &&
                         fold.round == its_fold.round && fold.compare == its_fold.compare;
  if (!same_fold) {
    throw Error(ErrorCode::word, cat(other.name, ": the plan was made for ", name(fold.step), ", got ", name(its_fold.step),
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

std::int64_t Plan::nbytes() const { return state_->replay->bytes(); }

std::string Plan::describe() const {
  const ScatterOp& form = state_->form;
  const Replay& replay = *state_->replay;
  const std::int64_t points = element_count(form.where.points), scratch = replay.scratch();
  return cat("plan of ", state_->op, " on ", name(form.out.dtype), " ", bracketed(form.out.shape), "\n",                  //
             "  points: ", points, ", ", replay.kept(), " kept, rows of ", element_count(form.where.row), "\n",           //
             state_->layout,                                                                                              //
             "  bytes: ", replay.bytes() - scratch, " about the indices, ", scratch, " for updates on their way\n");
}

const Dims& Plan::updates_shape() const { return state_->form.updates.shape; }
Dtype Plan::updates_dtype() const { return state_->form.updates.dtype; }
const Dims& Plan::out_shape() const { return state_->form.out.shape; }
Dtype Plan::out_dtype() const { return state_->form.out.dtype; }
bool Plan::starts_from_zeros() const { return std::holds_alternative<Zeros>(state_->form.base); }

}  // namespace strew
