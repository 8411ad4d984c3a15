// Chooses the strategy for a job.
#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"
#include "strategies/draft.h"

namespace strew::internal {
namespace {

// Whether copying the job allocates nothing. Strategies copy parts of it after the first write, when nothing may fail.
bool copies_freely(const Job& job) {
  constexpr std::size_t inline_rank = 8;
  return job.walk.points.size() <= inline_rank && job.walk.row.size() <= inline_rank && job.walk.columns.size() <= inline_rank;
}

// Why a strategy is skipped for a job of `elements` elements; empty if it is not.
std::string_view reason_to_skip(const Strategy& strategy, const Job& job, std::int64_t elements) {
  if (strategy.min_elements == 0) return {};
  if (!job.forced && elements < strategy.min_elements) return "there is too little work";
  if (!copies_freely(job)) return "splitting a job of this rank would allocate";
  return {};
}

// Jobs with fewer elements only suit strategies without a minimum.
std::int64_t smallest_min_elements() {
  static const std::int64_t least = [] {
    std::int64_t smallest = INT64_MAX;
    for (const Strategy* strategy : strategies()) {
      if (strategy->min_elements > 0) smallest = std::min(smallest, strategy->min_elements);
    }
    return smallest;
  }();
  return least;
}

}  // namespace

const Strategy& choose(const char* op, const Job& job, std::string_view requested, Declined* declined, const Job* stepped) {
  if (job.replay != nullptr) {
    if (requested.empty()) return replaying;
    throw Error(ErrorCode::argument, cat(op, ": a plan has its layout; applying it takes no strategy"));
  }
  const std::int64_t elements = saturating_mul(job.walk.point_count, job.walk.row_count);
  if (elements < smallest_min_elements() && requested.empty() && declined == nullptr)
    return best_on_one_thread(stepped == nullptr ? job : *stepped);
  std::string_view why;
  const Job* left = nullptr;  // by a strategy that accepted it at first
  for (const Strategy* strategy : strategies()) {
    if (!requested.empty() && strategy->name != requested) continue;
    why = reason_to_skip(*strategy, job, elements);
    const Job& offered = left != nullptr ? *left : stepped == nullptr || strategy->folds ? job : *stepped;
    // A requested strategy is chosen by accepts() alone; explain() then reports which one it delegates to.
    const bool is_final = declined == nullptr || !requested.empty() || strategy->confirms == nullptr;
    if (why.empty() && strategy->accepts(offered, why)) {
      if (is_final || strategy->confirms(offered, why)) return *strategy;
      left = &offered;
      declined->first = strategy;
    }
    if (declined != nullptr) append(declined->reasons, cat("  strategy ", strategy->name, " declined: ", why, "\n"));
  }
  std::string names;
  for (const Strategy* strategy : strategies()) append(names, cat(names.empty() ? "" : ", ", strategy->name));
  throw Error(ErrorCode::argument, why.empty() ? cat(op, ": there is no strategy \"", requested, "\"; there are ", names)
                                               : cat(op, ": strategy \"", requested, "\" declined: ", why));
}

bool has_steps(const Job& job, const Dims& addressed) { return job.walk.point_count > 0 && job.walk.row_count > 0 && !is_empty(addressed); }

Validation validation_of(const Strategy& strategy, const Job& job, const Dims& addressed) {
  if (!has_steps(job, addressed) || strategy.validates_before_writing == nullptr) return Validation::by_pass;
  return strategy.validates_before_writing(job) ? Validation::by_strategy : Validation::by_pass;
}

Validation validation_of(const ScatterOp& op, const Extent& out, Output output, bool accumulates, const Strategy& strategy,
                         const Job& job) {
  if (!has_steps(job, op.out.shape)) return Validation::by_pass;
  if (output == Output::fresh || op.out.dtype == Dtype::string) return Validation::as_used;
  // The base is written to the output before anything is stepped.
  if (!std::holds_alternative<InPlace>(op.base)) return Validation::by_pass;
  if (accumulates) return Validation::as_used;
  if (validation_of(strategy, job, op.out.shape) == Validation::by_strategy) return Validation::by_strategy;
  if (!out.packed) return Validation::by_pass;
  const std::int64_t indices = saturating_mul(job.walk.point_count, static_cast<std::int64_t>(job.walk.columns.size()));
  const auto bytes = static_cast<std::int64_t>(out.end - out.begin);
  return pays_as_draft(indices, bytes / size_of(op.out.dtype), bytes) ? Validation::in_draft : Validation::by_pass;
}

Validation validation_of(const GatherOp& op, Output output, const Job& job) {
  const bool is_discarded = output == Output::fresh || op.out.dtype == Dtype::string;
  return is_discarded && has_steps(job, op.from.shape) ? Validation::as_used : Validation::by_pass;
}

std::int64_t bytes_of(const TensorRef& out) { return element_count(out.shape) * size_of(out.dtype); }

}  // namespace strew::internal
