// Picks the strategy for a job.
#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"

namespace strew::internal {
namespace {

// Whether a copy of the job takes nothing from the heap. Strategies hand out parts of it after the first write, when nothing may fail.
bool copies_freely(const Job& job) {
  constexpr std::size_t inline_rank = 8;
  return job.walk.points.size() <= inline_rank && job.walk.row.size() <= inline_rank && job.walk.columns.size() <= inline_rank;
}

// Why a strategy is not even asked about a job of so many elements; empty if it is.
std::string_view why_not_asked(const Strategy& strategy, const Job& job, std::int64_t elements) {
  if (strategy.least_elements == 0) return {};
  if (!job.forced && elements < strategy.least_elements) return "there is too little work";
  if (!copies_freely(job)) return "parts of a job of this rank need the heap";
  return {};
}

// So few elements that only strategies without a least number of them are asked.
std::int64_t least_asked_about() {
  static const std::int64_t least = [] {
    std::int64_t smallest = INT64_MAX;
    for (const Strategy* strategy : strategies()) {
      if (strategy->least_elements > 0) smallest = std::min(smallest, strategy->least_elements);
    }
    return smallest;
  }();
  return least;
}

}  // namespace

const Strategy& choose(const char* op, const Job& job, std::string_view asked_for, std::string* declined, const Job* stepped) {
  if (job.replay != nullptr) {
    if (asked_for.empty()) return replaying;
    throw Error(ErrorCode::word, cat(op, ": a plan has its layout; a strategy cannot be asked for when it is applied"));
  }
  const std::int64_t elements = saturating_mul(job.walk.point_count, job.walk.row_count);
  if (elements < least_asked_about() && asked_for.empty() && declined == nullptr)
    return best_on_one_thread(stepped == nullptr ? job : *stepped);
  std::string_view why;
  for (const Strategy* strategy : strategies()) {
    if (!asked_for.empty() && strategy->name != asked_for) continue;
    why = why_not_asked(*strategy, job, elements);
    const Job& own = stepped == nullptr || strategy->folds ? job : *stepped;
    // What is asked for by name is told as it is, and then to whom it leaves the job.
    const bool tells_all = declined == nullptr || !asked_for.empty() || strategy->holds == nullptr;
    if (why.empty() && strategy->accepts(own, why) && (tells_all || strategy->holds(own, why))) return *strategy;
    if (declined != nullptr) append(*declined, cat("  strategy ", strategy->name, " declined: ", why, "\n"));
  }
  std::string names;
  for (const Strategy* strategy : strategies()) append(names, cat(names.empty() ? "" : ", ", strategy->name));
  throw Error(ErrorCode::word, why.empty() ? cat(op, ": there is no strategy \"", asked_for, "\"; there are ", names)
                                           : cat(op, ": strategy \"", asked_for, "\" declined: ", why));
}

bool looks_first(const ScatterOp& op, const Strategy& strategy, const Job& job) {
  return std::holds_alternative<InPlace>(op.base) && job.walk.row_count > 0 && strategy.looks_first != nullptr && strategy.looks_first(job);
}

}  // namespace strew::internal
