// Picks the strategy for a job.
#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"

namespace strew {
namespace {

// Whether a copy of the job takes nothing from the heap. Strategies hand out parts of it after the first write, when nothing may fail.
bool copies_freely(const Job& job) {
  constexpr std::size_t inline_rank = 8;
  return job.walk.points.size() <= inline_rank && job.walk.row.size() <= inline_rank && job.walk.columns.size() <= inline_rank;
}

// Why a strategy is not even asked; empty if it is.
std::string_view why_not_asked(const Strategy& strategy, const Job& job) {
  if (strategy.least_elements == 0) return {};
  if (!copies_freely(job)) return "parts of a job of this rank need the heap";
  if (!job.forced && saturating_mul(job.walk.point_count, job.walk.row_count) < strategy.least_elements) return "there is too little work";
  return {};
}

}  // namespace

const Strategy& choose(const char* op, const Job& job, std::string_view asked_for, std::string* declined, const Job* stepped) {
  if (job.replay != nullptr) {
    if (asked_for.empty()) return replaying;
    throw Error(ErrorCode::word, cat(op, ": a plan has its layout; a strategy cannot be asked for when it is applied"));
  }
  std::string_view why;
  for (const Strategy* strategy : strategies()) {
    if (!asked_for.empty() && strategy->name != asked_for) continue;
    why = why_not_asked(*strategy, job);
    if (why.empty() && strategy->accepts(stepped == nullptr || strategy->folds ? job : *stepped, why)) return *strategy;
    if (declined != nullptr) *declined += cat("  strategy ", strategy->name, " declined: ", why, "\n");
  }
  std::string names;
  for (const Strategy* strategy : strategies()) append(names, cat(names.empty() ? "" : ", ", strategy->name));
  throw Error(ErrorCode::word, why.empty() ? cat(op, ": there is no strategy \"", asked_for, "\"; there are ", names)
                                           : cat(op, ": strategy \"", asked_for, "\" declined: ", why));
}

bool looks_first(const ScatterOp& op, const Strategy& strategy, const Job& job) {
  return std::holds_alternative<InPlace>(op.base) && job.walk.row_count > 0 && strategy.looks_first != nullptr && strategy.looks_first(job);
}

}  // namespace strew
