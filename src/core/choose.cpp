// Picks the strategy for a job.
#include "base/text.h"
#include "core/core.h"

namespace strew {

const Strategy& choose(const char* op, const Job& job, std::string_view asked_for, std::string* declined) {
  if (job.replay != nullptr) {
    if (asked_for.empty()) return replaying;
    throw Error(ErrorCode::word, cat(op, ": a plan has its layout; a strategy cannot be asked for when it is applied"));
  }
  std::string_view why;
  const std::int64_t elements = job.walk.point_count * job.walk.row_count;
  for (const Strategy* strategy : strategies()) {
    if (!asked_for.empty() && strategy->name != asked_for) continue;
    why = "there is too little work";
    if (asked_for.empty() && elements < strategy->least_elements) {
      if (declined == nullptr) continue;
    } else if (why = {}; strategy->accepts(job, why)) {
      return *strategy;
    }
    if (declined != nullptr) *declined += cat("  strategy ", strategy->name, " declined: ", why, "\n");
  }
  std::string names;
  for (const Strategy* strategy : strategies()) append(names, cat(names.empty() ? "" : ", ", strategy->name));
  throw Error(ErrorCode::word, why.empty() ? cat(op, ": there is no strategy \"", asked_for, "\"; there are ", names)
                                           : cat(op, ": strategy \"", asked_for, "\" declined: ", why));
}

bool looks_first(const Strategy& strategy, const Job& job) {
  return job.walk.row_count > 0 && strategy.looks_first != nullptr && strategy.looks_first(job);
}

}  // namespace strew
