// The order in which strategies are asked.
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
extern const Strategy ranges;
extern const Strategy partition;
extern const Strategy filter;
extern const Strategy exchange;
extern const Strategy elements;
extern const Strategy serial;

std::span<const Strategy* const> strategies() {
  static constexpr const Strategy* list[] = {&flatten, &shared, &sorted,    &last,   &owners,   &rows,     &split, &backwards,
                                             &copies,  &ranges, &partition, &filter, &exchange, &elements, &serial};
  return list;
}

namespace {

// The first one after this that accepts a job, which from here on is no longer one that was asked for by name; of those that may leave it
// to others, only one that will not, if `surely`.
const Strategy& first_after(const Strategy& after, Job& job, bool surely) {
  job.forced = false;
  const auto list = strategies();
  auto next = std::find(list.begin(), list.end(), &after) + 1;
  const std::int64_t size = saturating_mul(job.walk.point_count, job.walk.row_count);
  const auto takes = [&](const Strategy& strategy) {
    std::string_view why;
    return size >= strategy.least_elements && strategy.accepts(job, why) &&
           (!surely || strategy.holds == nullptr || strategy.holds(job, why));
  };
  while (!takes(**next)) ++next;  // the last one takes everything
  return **next;
}

}  // namespace

bool run_by_next(const Strategy& after, const Job& job) { return indices_in_range(job) && run_checked_by_next(after, job); }

HandedOn next_of(const Strategy& after, Job job) {
  const Strategy& next = first_after(after, job, true);
  return {&next, next.scratch == nullptr ? 0 : next.scratch(job)};
}

bool run_checked_by_next(const Strategy& after, Job job) {
  begin_writing(job);
  return first_after(after, job, false).run(job);
}

bool run_without_scratch(const Job& job) {
  if (!indices_in_range(job)) return false;
  begin_writing(job);
  return run_on_one_thread(job);
}

const Strategy& best_on_one_thread(const Job& job) {
  std::string_view why;
  return elements.accepts(job, why) ? elements : serial;
}

bool run_on_one_thread(const Job& part) { return best_on_one_thread(part).run(part); }

}  // namespace strew::internal
