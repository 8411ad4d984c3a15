// The order in which strategies are tried.
#include <algorithm>

#include "base/checked.h"
#include "strategies/strategy.h"

namespace strew::internal {

extern const Strategy flatten;
extern const Strategy shared;
extern const Strategy sorted;
extern const Strategy last;
extern const Strategy owners;
extern const Strategy rows;
extern const Strategy split;
extern const Strategy backwards;
extern const Strategy copies;
extern const Strategy stretches;
extern const Strategy ranges;
extern const Strategy partition;
extern const Strategy filter;
extern const Strategy exchange;
extern const Strategy elements;
extern const Strategy serial;

std::span<const Strategy* const> strategies() {
  static constexpr const Strategy* list[] = {&flatten, &shared,    &sorted, &last,      &owners, &rows,     &split,    &backwards,
                                             &copies,  &stretches, &ranges, &partition, &filter, &exchange, &elements, &serial};
  return list;
}

namespace {

// The first strategy after `from` that accepts the job, which then no longer counts as requested by name. With `confirmed`, confirms() must
// agree.
const Strategy& next_accepting(const Strategy& from, Job& job, bool confirmed) {
  job.forced = false;
  const auto list = strategies();
  auto next = std::find(list.begin(), list.end(), &from) + 1;
  const std::int64_t size = saturating_mul(job.walk.point_count, job.walk.row_count);
  const auto is_accepted = [&](const Strategy& strategy) {
    std::string_view why;
    return size >= strategy.min_elements && strategy.accepts(job, why) &&
           (!confirmed || strategy.confirms == nullptr || strategy.confirms(job, why));
  };
  while (!is_accepted(**next)) ++next;  // the last one accepts every job
  return **next;
}

}  // namespace

Outcome delegate(const Strategy& from, const Job& job) {
  return indices_in_range(job) ? delegate_validated(from, job) : Outcome::bad_index;
}

Outcome delegate_validated(const Strategy& from, Job job) {
  cancellation_point(job);
  job.may_stop = false;
  return outcome_of_writing(next_accepting(from, job, false).run(job) == Outcome::done);
}

Delegate delegate_of(const Strategy& from, Job job) {
  const Strategy& next = next_accepting(from, job, true);
  return {&next, next.scratch_bytes == nullptr ? 0 : next.scratch_bytes(job)};
}

Outcome run_without_scratch(const Job& job) {
  if (!indices_in_range(job)) return Outcome::bad_index;
  cancellation_point(job);
  return outcome_of_writing(run_on_one_thread(job));
}

const Strategy& best_on_one_thread(const Job& job) {
  std::string_view why;
  return elements.accepts(job, why) ? elements : serial;
}

bool run_on_one_thread(const Job& part) { return best_on_one_thread(part).run(part) == Outcome::done; }

}  // namespace strew::internal
