// Begins, steps and finishes a scatter in calls of their own.
#include "core/unfinished.h"

#include <algorithm>
#include <utility>

#include "base/cancellation.h"
#include "base/checked.h"
#include "base/text.h"
#include "core/copy.h"
#include "core/inputs.h"
#include "core/memory_errors.h"
#include "core/overlap.h"
#include "strategies/accumulators.h"

namespace strew::internal {
namespace {

constexpr const char* lacking = "the pieces";
constexpr const char* unchanged = "; the output is unchanged";

// The accumulators as a tensor of bytes: places in row-major order, their rows dense.
TensorRef accumulators_of(const ScatterOp& form, const Accumulators& accumulators) {
  const AddressedAxes addressed = addressed_axes(form);
  const Dims places = dense_strides(addressed.shape), row = dense_strides(form.where.row);
  Dims strides(form.out.rank(), 0);
  for (std::size_t i = 0; i < addressed.axes.size(); ++i) strides[addressed.axes[i]] = wrapping_mul(places[i], accumulators.row_stride());
  const std::int64_t element = size_of(accumulators.job().step.addressed);
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (form.where.axes[d].from == Axis::row) strides[d] = wrapping_mul(row[form.where.axes[d].at], element);
  }
  return {accumulators.job().addressed, Dtype::int8, form.out.shape, std::move(strides)};
}

}  // namespace

UnfinishedScatter::UnfinishedScatter(const ScatterOp& op, const RunOptions& options, std::int64_t narrow_points)
    : op_(cat(op.name.op)),
      input_(cat(op.name.input)),
      updates_(cat(op.name.updates)),
      overlap_(op.name.overlap),
      narrow_points_(narrow_points) {
  const Extents extents = check_form(op, true);
  naming_memory_errors(op.name, lacking, unchanged, [&] {
    ScatterOp own = op;
    own.where.columns.clear();
    own.scalar = Scalar{op.out.dtype, {}};  // so that only the output and its base are compared
    Inputs inputs(op.name, op.out, extents);
    inputs.separate(own);
    in_place_ = std::holds_alternative<InPlace>(own.base);
    if (const auto* const base = std::get_if<ConstTensorRef>(&own.base)) copy_ = Tensor::copy_of(*base);
    if (std::holds_alternative<Zeros>(own.base)) copy_ = Tensor::zeros(op.out.dtype, op.out.shape);
    form_.name = names();
    form_.out = op.out;
    if (!is_empty(op.where.points)) adopt(op, options);
  });
}

void UnfinishedScatter::take_form(const ScatterOp& op) {
  form_.where = op.where;
  form_.where.columns.clear();
  Dims shape = op.where.points;
  shape.append(op.where.row);
  form_.updates = ConstTensorRef(nullptr, op.scalar ? op.scalar->dtype : op.updates.dtype, std::move(shape));
  form_.scale = op.scale;
  form_.fold = op.fold;
}

// Takes the form of all pieces from the first op that has points.
void UnfinishedScatter::adopt(const ScatterOp& op, const RunOptions& options) {
  take_form(op);
  if (accumulates()) {
    allocate_accumulators(options);
  } else if (in_place_ && copy_.data() == nullptr) {
    copy_ = Tensor::copy_of(form_.out);
  }
  has_form_ = true;
}

// What the fold begins from, and where accumulators finish.
TensorRef UnfinishedScatter::begun() { return accumulates() && in_place_ ? form_.out : TensorRef(copy_); }

// Calls use(accumulators) for the layout that all pieces share: numbered by place, as a plan's.
template <class Use>
void UnfinishedScatter::with_accumulators(bool wide, const RunOptions& options, const Use& use) {
  ScatterOp form = form_;
  form.out = begun();
  promote_rank_zero(form);
  const RunOptions own{.executor = options.executor, .threads = options.threads};
  const Job job = make_job(form, form.out, {.options = own, .numbers_places = true});
  Accumulators accumulators(job, wide);
  accumulators.resume(accumulators_.as<std::byte>());
  use(form, accumulators);
}

void UnfinishedScatter::allocate_accumulators(const RunOptions& options) {
  with_accumulators(is_wide_, options, [&](const ScatterOp&, Accumulators& accumulators) {
    Scratch memory(std::max<std::int64_t>(accumulators.bytes(), 1));
    if (!memory) throw std::bad_alloc();
    accumulators.begin(memory.as<std::byte>());
    accumulators_ = std::move(memory);
    accumulator_bytes_ = accumulators.bytes();
  });
}

void UnfinishedScatter::widen_counts(const RunOptions& options) {
  with_accumulators(false, options, [&](const ScatterOp&, Accumulators& narrow) {
    with_accumulators(true, options, [&](const ScatterOp&, Accumulators& wide) {
      Scratch memory(std::max<std::int64_t>(wide.bytes(), 1));
      if (!memory) throw std::bad_alloc();
      wide.begin_from(narrow, memory.as<std::byte>());
      accumulators_ = std::move(memory);
      accumulator_bytes_ = wide.bytes();
    });
  });
  is_wide_ = true;
}

std::int64_t UnfinishedScatter::nbytes() const { return accumulator_bytes_ + copy_.size() * size_of(copy_.dtype()); }

std::int64_t UnfinishedScatter::planned_nbytes(const ScatterOp& op, const RunOptions& options) {
  ScatterOp without_points = op;
  Dims shape(op.where.points.size(), 0);
  without_points.where.points = shape;
  for (ConstTensorRef& column : without_points.where.columns) column = ConstTensorRef(nullptr, column.dtype, shape);
  shape.append(op.where.row);
  if (!op.scalar) without_points.updates = ConstTensorRef(nullptr, op.updates.dtype, std::move(shape));
  UnfinishedScatter planned(without_points, options);
  planned.take_form(op);
  if (!planned.accumulates()) return element_count(op.out.shape) * size_of(op.out.dtype);
  std::int64_t bytes = planned.nbytes();
  planned.with_accumulators(false, options, [&](const ScatterOp&, const Accumulators& accumulators) { bytes += accumulators.bytes(); });
  return bytes;
}

ScatterOp UnfinishedScatter::piece(std::span<const ConstTensorRef> columns, const ConstTensorRef* updates, const Scalar* number) const {
  ScatterOp op = form_;
  op.name = names();
  op.where.columns.append(columns);
  if (!columns.empty()) op.where.points = columns[0].shape;
  op.updates = updates != nullptr ? *updates : ConstTensorRef();
  if (number != nullptr) op.scalar = *number;
  return op;
}

void UnfinishedScatter::require_same_form(const ScatterOp& piece) const {
  const Dtype updates = piece.scalar ? piece.scalar->dtype : piece.updates.dtype;
  if (updates != form_.updates.dtype) {
    throw Error(ErrorCode::dtype,
                cat(op_, ": pieces must have ", updates_, " of one type, ", to_string(form_.updates.dtype), ", got ", to_string(updates)));
  }
  if (!(piece.where.row == form_.where.row) || !same_axes(piece.where, form_.where)) {
    throw Error(ErrorCode::shape, cat(op_, ": pieces must address rows of one kind: those of the first one have shape ",
                                      bracketed(form_.where.row), ", these ", bracketed(piece.where.row)));
  }
  if (!same_fold(piece.fold, form_.fold)) throw Error(ErrorCode::argument, cat(op_, ": pieces must have one fold"));
}

void UnfinishedScatter::require_whole() const {
  if (is_broken_) throw Error(ErrorCode::changed, cat(op_, ": indices changed while an earlier piece was stepped; only abort() is left"));
}

void UnfinishedScatter::step(ScatterOp piece, const RunOptions& options) {
  require_whole();
  piece.name = names();
  piece.base = InPlace{};
  const Extents extents = check_form(piece, true);
  if (!same_view(piece.out, form_.out) || piece.out.data != form_.out.data)
    throw Error(ErrorCode::argument, cat(op_, ": the piece goes to another output, or to another part of it, than the first one"));
  if (is_empty(piece.where.points)) return;
  naming_memory_errors(piece.name, lacking, "; the piece was left out", [&] {
    const bool is_first = !has_form_;
    if (is_first) adopt(piece, options);
    try {
      require_same_form(piece);
      Inputs inputs(piece.name, piece.out, extents);
      inputs.separate(piece);
      accumulates() ? step_accumulators(piece, inputs, options) : step_copy(std::move(piece), options);
    } catch (const Error& error) {
      if (is_first) has_form_ = false;  // the next one may have another
      if (error.code() != ErrorCode::changed) throw;
      is_broken_ = true;
      throw Error(ErrorCode::changed, cat(op_, ": indices changed while they were read; only abort() is left, the output is as it was"));
    }
  });
}

void UnfinishedScatter::step_copy(ScatterOp piece, const RunOptions& options) {
  piece.out = copy_;
  run_consuming(piece, options);
}

void UnfinishedScatter::step_accumulators(ScatterOp& piece, Inputs& inputs, const RunOptions& options) {
  promote_rank_zero(piece);
  repeat_scalar(piece);
  if (piece.scale) inputs.replace(piece.updates, scaled(piece.updates, *piece.scale));
  const std::int64_t points = saturating_add(points_, element_count(piece.where.points));
  with_accumulators(is_wide_, options, [&](const ScatterOp&, const Accumulators& accumulators) {
    if (points >= narrow_points_ && !accumulators.job().counts.wide) widen_counts(options);
  });
  with_accumulators(is_wide_, options, [&](const ScatterOp& form, const Accumulators& accumulators) {
    Job job = make_job(piece, accumulators_of(form, accumulators), accumulators.job(), options);
    const Strategy& strategy = choose(piece.name, job, options.strategy);
    job.may_stop = validation_of(strategy, job, piece.out.shape) == Validation::by_strategy;
    if (!job.may_stop && !indices_in_range(job)) throw_bad_index(piece.name, piece.where, piece.out.shape);
    cancellation_point();
    const Outcome outcome = has_steps(job, piece.out.shape) ? strategy.run(job) : Outcome::done;
    if (outcome == Outcome::bad_index && job.may_stop) throw_bad_index(piece.name, piece.where, piece.out.shape);
    if (outcome != Outcome::done) throw_changed(piece.name, piece.where);
  });
  points_ = points;
}

void UnfinishedScatter::finish(const RunOptions& options) {
  require_whole();
  naming_memory_errors(op_.c_str(), lacking, unchanged, [&] {
    const auto write_copy = [&] {
      if (copy_.data() == nullptr) return;  // there is nothing to write
      if (form_.out.dtype == Dtype::string) {
        swap_strings(form_.out, copy_);
      } else {
        copy(form_.out, copy_);
      }
    };
    if (!has_form_ || !accumulates()) {
      cancellation_point();
      write_copy();
      return;
    }
    with_accumulators(is_wide_, options, [&](const ScatterOp&, const Accumulators& accumulators) {
      cancellation_point();
      accumulators.finish();
      if (!in_place_) write_copy();
    });
  });
}

std::string in_piece(std::string_view message, const char* op, std::int64_t piece) {
  const std::string prefix = cat(op, ": ");
  return cat(prefix, "piece ", piece, ": ", message.starts_with(prefix) ? message.substr(prefix.size()) : message);
}

void throw_in_piece(const Error& error, const char* op, std::int64_t piece) {
  const std::string text = in_piece(error.what(), op, piece);
  if (const auto& bad = error.bad_index()) throw Error(text, *bad);
  throw Error(error.code(), text);
}

}  // namespace strew::internal
