// Describes how an op will run, or throws what the run would throw.
#include <optional>

#include "base/checked.h"
#include "base/shorten.h"
#include "base/text.h"
#include "core/inputs.h"
#include "core/memory_errors.h"
#include "strategies/accumulators.h"
#include "strategies/draft.h"
#include "strategies/parallel.h"

namespace strew::internal {
namespace {

std::string loop_text(const Walk& walk) {
  return cat("  points: ", walk.point_count, " as ", bracketed(walk.points), ", rows of ", walk.row_count, " as ", bracketed(walk.row),
             ", ", walk.columns.size(), walk.columns.size() == 1 ? " index column\n" : " index columns\n");
}

std::string_view text_of(Validation validation) {
  switch (validation) {
    case Validation::by_pass: return "  indices: validated in one pass before the first write, and again as they are read\n";
    case Validation::in_draft: return "  indices: validated as they are read, in a draft of the output\n";
    case Validation::by_strategy:
    case Validation::as_used: break;
  }
  return "  indices: validated as they are read, before the first write to the caller's memory\n";
}

// An op that is described without memory is computed into a new output.
Output output_of(const TensorRef& out) { return out.data == nullptr ? Output::fresh : Output::callers; }

// The allocations of a call.
class Heap {
 public:
  void add(std::int64_t bytes, std::string_view for_what) {
    if (bytes > 0) add(cat(bytes, " bytes for ", for_what));
  }
  void add(std::string_view what) { append(text_, cat(text_.empty() ? "" : ", ", what)); }
  [[nodiscard]] std::string text() const { return cat("  scratch: ", text_.empty() ? "none on the heap" : text_, "\n"); }

 private:
  std::string text_;
};

std::string threads_text(const Strategy& strategy, const Job& job) {
  const std::int64_t threads = threads_of(job);
  return strategy.single_threaded && threads > 1 ? cat("  threads: 1 of ", threads, "\n") : cat("  threads: ", threads, "\n");
}

struct Choice {
  const Strategy& strategy;
  std::string text;
  const Strategy* first;  // as in Declined
};
Choice choose_and_describe(const char* op, const Job& job, const RunOptions& options, Heap& heap, const Job* stepped = nullptr) {
  Declined declined;
  const Strategy& strategy = choose(op, job, options.strategy, &declined, stepped);
  // A strategy that reads the indices to confirm its choice does not fold, so it leaves accumulators to the next one.
  const Job& offered = stepped == nullptr || (strategy.folds && declined.first == nullptr) ? job : *stepped;
  std::string_view why;
  // choose() has called confirms(), except for a strategy requested by name.
  const bool delegates = !options.strategy.empty() && strategy.confirms != nullptr && !strategy.confirms(offered, why);
  const Delegate next = delegates                          ? delegate_of(strategy, offered)
                        : strategy.delegates_to == nullptr ? Delegate{}
                                                           : strategy.delegates_to(offered);
  heap.add(saturating_add(strategy.scratch_bytes == nullptr ? 0 : strategy.scratch_bytes(offered), next.scratch_bytes), "the strategy");
  return {strategy,
          cat(declined.reasons, "  strategy: ", strategy.name, " (", strategy.summary, ")\n",
              next.strategy == nullptr ? std::string() : cat("  then: ", next.strategy->name, " (", next.strategy->summary, ")\n"),
              threads_text(next.strategy == nullptr ? strategy : *next.strategy, job)),
          declined.first};
}

std::string explain_checked(const ScatterOp& described, const RunOptions& options) {
  const Extents extents = check_form(described, false);
  ScatterOp op = described;
  promote_rank_zero(op);
  Inputs inputs(op.name, op.out, extents);
  if (op.out.data != nullptr) inputs.separate(op);
  repeat_scalar(op);
  const Job job = make_job(op, op.out, {options});
  if (!indices_in_range(job)) throw_bad_index(op.name, op.where, op.out.shape);
  std::optional<Accumulators> accumulators;
  if (job.fold) accumulators.emplace(job);
  Heap heap;
  const Choice choice = choose_and_describe(op.name, job, options, heap, job.fold ? &accumulators->job() : nullptr);
  const bool accumulates = job.fold && (choice.first != nullptr || !choice.strategy.folds);
  if (accumulates) heap.add(accumulators->bytes(), "an accumulator per element and a count per row");
  if (op.out.dtype == Dtype::string) heap.add("a copy of the output");
  if (op.scale) heap.add("a copy of the updates");
  const Strategy& first = choice.first == nullptr ? choice.strategy : *choice.first;
  Validation validation = validation_of(op, extents.out, output_of(op.out), accumulates, first, job);
  // A strategy that delegates after it validated has made a pass.
  if (validation == Validation::by_strategy && choice.first != nullptr) validation = Validation::by_pass;
  if (validation == Validation::in_draft) heap.add(Draft::scratch(bytes_of(op.out)), "the draft");
  return cat(short_name(op.name), " on ", to_string(op.out.dtype), " ", bracketed(op.out.shape), "\n", loop_text(job.walk), choice.text,
             text_of(validation), heap.text());
}

std::string explain_checked(const GatherOp& described, const RunOptions& options) {
  const Extents extents = check_form(described, false);
  GatherOp op = described;
  promote_rank_zero(op.from, op.where);
  Inputs inputs(op.name, op.out, extents);
  if (op.out.data != nullptr) inputs.separate(op);
  const Job job = make_job(op, options);
  if (!indices_in_range(job)) throw_bad_index(op.name, op.where, op.from.shape);
  Heap heap;
  const Choice choice = choose_and_describe(op.name, job, options, heap);
  return cat(short_name(op.name), " on ", to_string(op.from.dtype), " ", bracketed(op.from.shape), "\n", loop_text(job.walk), choice.text,
             text_of(validation_of(op, output_of(op.out), job)), heap.text());
}

template <class Op>
std::string explain_naming_memory_errors(const Op& op, const RunOptions& options) {
  return naming_memory_errors(op.name, "the explanation", "", [&] { return explain_checked(op, options); });
}

}  // namespace
}  // namespace strew::internal

namespace strew::inline v0 {

std::string explain(const ScatterOp& op, const RunOptions& options) { return internal::explain_naming_memory_errors(op, options); }
std::string explain(const GatherOp& op, const RunOptions& options) { return internal::explain_naming_memory_errors(op, options); }

}  // namespace strew::inline v0
