// Runs an op: validation and allocation come before the first write.
#include "strew/run.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/cancellation.h"
#include "base/scratch.h"
#include "base/text.h"
#include "core/copy.h"
#include "core/inputs.h"
#include "core/memory_errors.h"
#include "core/view.h"
#include "strategies/accumulators.h"
#include "strategies/blocks.h"
#include "strategies/draft.h"

namespace strew::internal {

Tensor scaled(const ConstTensorRef& updates, const Scalar& scale) {
  Tensor product = Tensor::copy_of(without_repeats(updates));
  apply_elementwise(step_kernel(Reduction::mul, FoldCompare::keep_out, scale.dtype, scale.dtype), {product.size()},
                    static_cast<std::byte*>(product.data()), {size_of(scale.dtype)}, scale.bytes, {0});
  return product;
}

// Copying a string may fail half-way, so all copies are made first, then swapped in.
void swap_strings(const TensorRef& out, Tensor& result) {
  const std::span<std::string> strings = result.values<std::string>();
  if (strings.empty()) return;
  std::size_t next = 0;
  Dims all = out.shape;
  all.push_back(1);
  each_run(all, [&](const Coordinates& at) {
    static_cast<std::string*>(out.data)[dot(at, out.strides)].swap(strings[next++]);
    return true;
  });
}

namespace {

void write_base(const ScatterOp& op) {
  if (std::holds_alternative<Zeros>(op.base)) fill_zeros(op.out);
  if (const auto* base = std::get_if<ConstTensorRef>(&op.base)) copy(op.out, *base);
}

void require_in_range(const ScatterOp& op, const Job& job) {
  if (!indices_in_range(job)) throw_bad_index(op.name, op.where, op.out.shape);
}

// Runs on memory that is discarded if an index is bad.
void run_on_scratch(const ScatterOp& op, const Job& job, const Strategy& strategy) {
  if (strategy.run(job) != Outcome::done) throw_bad_index(op.name, op.where, op.out.shape);
}

void run_strings(const ScatterOp& op, const Extent& out, const RunContext& context, Output output) {
  const auto* base = std::get_if<ConstTensorRef>(&op.base);
  Tensor result = std::holds_alternative<Zeros>(op.base) ? Tensor::zeros(op.out.dtype, op.out.shape)
                                                         : Tensor::copy_of(base != nullptr ? *base : ConstTensorRef(op.out));
  const Job job = make_job(op, result, context);
  const Strategy& strategy = choose(op.name, job, context.options.strategy);
  if (validation_of(op, out, output, false, strategy, job) == Validation::by_pass) require_in_range(op, job);
  run_on_scratch(op, job, strategy);
  cancellation_point();
  swap_strings(op.out, result);
}

// Handles ops without steps: validates every index regardless of the strategy, and writes only the base. Returns false for other ops.
bool ran_without_steps(const ScatterOp& op, const Job& job) {
  if (has_steps(job, op.out.shape)) return false;
  require_in_range(op, job);
  write_base(op);
  return true;
}

// Runs on a draft of the output. Returns false if it cannot be allocated.
bool run_drafted(const ScatterOp& op, const Strategy& strategy, Job& job) {
  const Draft draft(static_cast<std::byte*>(op.out.data), size_of(op.out.dtype), bytes_of(op.out), job);
  if (!draft) return false;
  job.addressed = draft.data();
  run_on_scratch(op, job, strategy);
  cancellation_point();
  draft.write_back();
  return true;
}

// Runs on the output, or on a draft of it.
void run_on_output(const ScatterOp& op, const Extent& out, Job& job, const Strategy& strategy, Output output) {
  const Validation validation = validation_of(op, out, output, false, strategy, job);
  if (validation == Validation::as_used) {
    cancellation_point();
    write_base(op);
    run_on_scratch(op, job, strategy);
    return;
  }
  if (validation == Validation::in_draft && run_drafted(op, strategy, job)) return;
  if (validation != Validation::by_strategy) require_in_range(op, job);
  cancellation_point();  // a strategy that validates calls it again after that
  write_base(op);
  job.may_stop = validation == Validation::by_strategy;
  const Outcome outcome = strategy.run(job);
  if (outcome == Outcome::done) return;
  const bool was_validated = validation != Validation::by_strategy || outcome == Outcome::bad_index_after_writing;
  if (was_validated) throw_changed(op.name, op.where);
  throw_bad_index(op.name, op.where, op.out.shape);
}

void run_plain(const ScatterOp& op, const Extent& out, const RunContext& context, Output output) {
  Job job = make_job(op, op.out, context);
  const Strategy& strategy = choose(op.name, job, context.options.strategy);
  if (ran_without_steps(op, job)) return;
  run_on_output(op, out, job, strategy, output);
}

// Runs a strategy that folds itself, on one thread if that needs less scratch. Returns false if scratch cannot be allocated.
bool run_folding(const ScatterOp& op, const Extent& out, Job& job, const Strategy& strategy, Output output) {
  if (job.replay != nullptr ? !job.replay->folds(job) : !strategy.folds) return false;
  const auto take = [&] { return Scratch(strategy.scratch_bytes == nullptr ? 0 : strategy.scratch_bytes(job)); };
  Scratch memory = take();
  if (!memory && job.executor != nullptr) {
    job.executor = nullptr;
    memory = take();
  }
  if (!memory) return false;
  job.scratch = memory.as<std::byte>();
  run_on_output(op, out, job, strategy, output);
  return true;
}

void run_accumulated(const ScatterOp& op, const Extent& out, const RunContext& context, Output output) {
  Job job = make_job(op, op.out, context);
  Accumulators accumulators(job);
  const Strategy* strategy = &choose(op.name, job, context.options.strategy, nullptr, &accumulators.job());
  if (ran_without_steps(op, job)) return;
  if (run_folding(op, out, job, *strategy, output)) return;
  if (strategy->folds) strategy = strategies().back();
  const Scratch memory(accumulators.bytes());
  if (!memory) throw std::bad_alloc();
  const bool validates_first = validation_of(op, out, output, true, *strategy, job) == Validation::by_pass;
  if (validates_first) {
    require_in_range(op, job);
    cancellation_point();
  }
  write_base(op);
  accumulators.begin(memory.as<std::byte>());
  if (strategy->run(accumulators.job()) != Outcome::done) {
    if (validates_first) throw_changed(op.name, op.where);
    throw_bad_index(op.name, op.where, op.out.shape);
  }
  if (!validates_first) cancellation_point();
  accumulators.finish();
}

void run_checked(ScatterOp& op, const Extents& extents, const RunContext& context, Output output) {
  promote_rank_zero(op);
  Inputs inputs(op.name, op.out, extents);
  if (output == Output::callers) inputs.separate(op);
  repeat_scalar(op);
  if (op.scale) inputs.replace(op.updates, scaled(op.updates, *op.scale));
  if (op.out.dtype == Dtype::string) {
    run_strings(op, extents.out, context, output);
  } else if (needs_accumulators(op.fold, op.out.dtype)) {
    run_accumulated(op, extents.out, context, output);
  } else {
    run_plain(op, extents.out, context, output);
  }
}

void gather(const GatherOp& op, const RunOptions& options, Output output) {
  const Job job = make_job(op, options);
  const Strategy& strategy = choose(op.name, job, options.strategy);
  const bool validates_first = validation_of(op, output, job) == Validation::by_pass;
  if (validates_first && !indices_in_range(job)) throw_bad_index(op.name, op.where, op.from.shape);
  cancellation_point();
  if (op.where.out_of_range == OutOfRange::skip) fill_zeros(op.out);
  if (!has_steps(job, op.from.shape) || strategy.run(job) == Outcome::done) return;
  if (validates_first) throw_changed(op.name, op.where);
  throw_bad_index(op.name, op.where, op.from.shape);
}

void run_checked(GatherOp& op, const Extents& extents, const RunContext& context, Output output) {
  promote_rank_zero(op.from, op.where);
  Inputs inputs(op.name, op.out, extents);
  if (output == Output::callers) inputs.separate(op);
  if (op.out.dtype != Dtype::string || output == Output::fresh) {
    gather(op, context.options, output);
    return;
  }
  Tensor result(op.out.dtype, op.out.shape);
  GatherOp onto = op;
  onto.out = result;
  gather(onto, context.options, Output::fresh);
  swap_strings(op.out, result);
}

template <class Op>
void run_naming_memory_errors(Op& op, const Extents& extents, const RunContext& context, Output output) {
  naming_memory_errors(op.name, "the scratch space of this call", "; the output is unchanged",
                       [&] { run_checked(op, extents, context, output); });
}

// For an op described in place but computed into a new tensor: the base is the described output.
void start_from_output(ScatterOp& op) {
  if (std::holds_alternative<InPlace>(op.base)) op.base = ConstTensorRef(op.out);
}
void start_from_output(GatherOp&) {}

template <class Op>
Tensor run_on_new(Op& op, const Extents& extents, const RunContext& context) {
  Tensor out;
  try {
    out = Tensor(op.out.dtype, op.out.shape);
  } catch (const Error&) {
    throw Error(ErrorCode::memory,
                cat(op.name, ": could not allocate the output, ", to_string(op.out.dtype), " of shape ", bracketed(op.out.shape)));
  }
  op.out = out;
  run_naming_memory_errors(op, extents, context, Output::fresh);
  return out;
}

template <class Op>
Tensor compute_fresh(Op& op, const RunOptions& options) {
  start_from_output(op);
  const Extents extents = check_form(op, false);
  return run_on_new(op, extents, {options});
}

template <class Op>
void run_as_fresh(const Op& given, const RunOptions& options) {
  const auto run = [&](const RunOptions& with) {
    Op op = given;
    const Extents extents = check_form(op, true);
    run_naming_memory_errors(op, extents, {with}, Output::fresh);
  };
  if (options.strategy.empty()) return run(options);
  try {
    run(options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::argument) throw;  // strategies decline before they write
    RunOptions own_choice = options;
    own_choice.strategy = {};
    run(own_choice);
  }
}

}  // namespace

void run_on_fresh(const ScatterOp& op, const RunOptions& options) { run_as_fresh(op, options); }
void run_on_fresh(const GatherOp& op, const RunOptions& options) { run_as_fresh(op, options); }

void repeat_scalar(ScatterOp& op) {
  if (!op.scalar) return;
  Dims shape = op.where.points;
  shape.append(op.where.row);
  const std::size_t rank = shape.size();
  op.updates = {op.scalar->bytes, op.scalar->dtype, std::move(shape), Dims(rank, 0)};
}

void run_consuming(ScatterOp& op, const RunOptions& options) {
  const Extents extents = check_form(op, true);
  run_naming_memory_errors(op, extents, {options, nullptr, extents.step}, Output::callers);
}
void run_consuming(GatherOp& op, const RunOptions& options) {
  run_naming_memory_errors(op, check_form(op, true), {options}, Output::callers);
}
void run_planned(ScatterOp op, const Extents& extents, const RunContext& context) {
  run_naming_memory_errors(op, extents, context, Output::callers);
}
Tensor compute_planned(ScatterOp op, const Extents& extents, const RunContext& context) { return run_on_new(op, extents, context); }

}  // namespace strew::internal

namespace strew::inline v0 {

void run(ScatterOp op, const RunOptions& options) { internal::run_consuming(op, options); }
void run(GatherOp op, const RunOptions& options) { internal::run_consuming(op, options); }
Tensor compute(ScatterOp op, const RunOptions& options) { return internal::compute_fresh(op, options); }
Tensor compute(GatherOp op, const RunOptions& options) { return internal::compute_fresh(op, options); }

Expected<void> try_run(ScatterOp op, const RunOptions& options) {
  return try_call([&] { run(std::move(op), options); });
}
Expected<void> try_run(GatherOp op, const RunOptions& options) {
  return try_call([&] { run(std::move(op), options); });
}
Expected<Tensor> try_compute(ScatterOp op, const RunOptions& options) {
  return try_call([&] { return internal::compute_fresh(op, options); });
}
Expected<Tensor> try_compute(GatherOp op, const RunOptions& options) {
  return try_call([&] { return internal::compute_fresh(op, options); });
}

}  // namespace strew::inline v0
