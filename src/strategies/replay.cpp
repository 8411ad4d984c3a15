// The layouts of plans, in the order in which they are tried, and the strategy that applies a plan.
#include "strategies/replay.h"

namespace strew::internal {

extern const Layout grouped;
extern const Layout buckets;
extern const Layout in_order;

std::span<const Layout* const> layouts() {
  static constexpr const Layout* list[] = {&grouped, &buckets, &in_order};
  return list;
}

namespace {

bool accepts_plans(const Job& job, std::string_view& why) {
  if (job.replay == nullptr) why = "there is no plan";
  return why.empty();
}

Outcome run_plan(const Job& job) {
  if (job.walk.point_count > 0 && job.walk.row_count > 0) job.replay->run(job);
  return Outcome::done;
}

}  // namespace

const Strategy replaying{
    .name = "replay",
    .summary = "applies a plan",
    .accepts = &accepts_plans,
    .run = &run_plan,
};

}  // namespace strew::internal
