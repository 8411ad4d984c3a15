// Says in words how an op will run.
#include <optional>

#include "base/checked.h"
#include "base/text.h"
#include "core/draft.h"
#include "strategies/accumulators.h"
#include "strategies/parallel.h"

namespace strew {
namespace {

std::string loop_text(const Walk& walk) {
  return cat("  points: ", walk.point_count, " as ", bracketed(walk.points), ", rows of ", walk.row_count, " as ", bracketed(walk.row),
             ", ", walk.columns.size(), walk.columns.size() == 1 ? " index column\n" : " index columns\n");
}

std::string check_text(bool before_writing, std::int64_t draft) {
  if (draft > 0) return cat("  indices: checked as they are used, in a draft of the output: ", draft, " bytes\n");
  return before_writing ? "  indices: checked in one pass before the first write, and again as they are used\n"
                        : "  indices: checked as they are used; nothing of the caller's is written before\n";
}

struct Told {
  const Strategy& strategy;
  std::string text;
};
Told choose_and_tell(const char* op, const Job& job, const RunOptions& options, const Job* stepped = nullptr) {
  std::string declined;
  const Strategy& strategy = choose(op, job, options.strategy, &declined, stepped);
  const Job& own = stepped == nullptr || strategy.folds ? job : *stepped;
  const HandedOn next = strategy.hands_on == nullptr ? HandedOn{} : strategy.hands_on(own);
  const std::int64_t scratch = saturating_add(strategy.scratch == nullptr ? 0 : strategy.scratch(own), next.scratch);
  return {strategy, cat(declined, "  strategy: ", strategy.name, " (", strategy.summary, ")\n",
                        next.to == nullptr ? std::string() : cat("  then: ", next.to->name, " (", next.to->summary, ")\n"),
                        scratch == 0 ? std::string() : cat("  scratch of the strategy: ", scratch, " bytes\n"),  //
                        "  threads: ", threads_of(job), "\n")};
}

}  // namespace

std::string explain(const ScatterOp& described, const RunOptions& options) {
  const Extents extents = check_form(described, false);
  ScatterOp op = described;
  see_as_addressed(op.out, op.where);
  repeat_scalar(op);
  const Job job = make_job(op, op.out, {options});
  std::optional<Accumulators> accumulators;
  if (job.fold) accumulators.emplace(job);
  const Told told = choose_and_tell(op.name, job, options, job.fold ? &accumulators->job() : nullptr);
  const bool accumulates = job.fold && !told.strategy.folds;
  const std::string scratch = accumulates ? cat(accumulators->bytes(), " bytes: an accumulator per element and a count per row")
                              : op.out.dtype == Dtype::string ? "a copy of the output"
                              : op.scale                      ? "a copy of the updates"
                                                              : "none on the heap";
  const bool looks = accumulates ? std::holds_alternative<InPlace>(op.base) : looks_first(op, told.strategy, job);
  const bool checks = op.out.dtype != Dtype::string && op.out.data != nullptr && !looks;
  const bool drafts = checks && !accumulates && wants_draft(op, extents.out, job);
  return cat(op.name, " on ", name(op.out.dtype), " ", bracketed(op.out.shape), "\n", loop_text(job.walk), told.text,
             check_text(checks, drafts ? Draft::bytes(op.out) : 0), "  scratch: ", scratch, "\n");
}

std::string explain(const GatherOp& described, const RunOptions& options) {
  check_form(described, false);
  GatherOp op = described;
  see_as_addressed(op.from, op.where);
  const Job job = make_job(op, options);
  return cat(op.name, " on ", name(op.from.dtype), " ", bracketed(op.from.shape), "\n", loop_text(job.walk),
             choose_and_tell(op.name, job, options).text, check_text(op.out.data != nullptr, 0), "  scratch: none on the heap\n");
}

}  // namespace strew
