// Each thread reads all indices and steps the rows that it owns: for rows that are too short, or have too few updates each, to be sorted,
// and are too long to be moved twice.
#include "strategies/blocks.h"
#include "strategies/readers.h"
#include "strategies/row_queue.h"
#include "strategies/sample.h"
#include "strategies/strategy.h"

namespace strew {
namespace {

constexpr std::int64_t least_elements = 1 << 16;
constexpr std::int64_t least_points = 64;                 // long rows for each thread: few are not spread evenly
constexpr std::int64_t least_row = 9;                     // bytes: shorter ones are better moved
constexpr std::int64_t long_row = 128;                    // bytes: longer rows are worth sorting
constexpr std::int64_t many_updates = 4;                  // of each row of the output, on average
constexpr std::int64_t least_span = 8 << 20;              // bytes of output: what is smaller is near one thread as well

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (!RowQueue::serves(job)) {
    why = "only dense rows that are stepped have an owner";
  } else if (walk.points.size() != 1 || walk.columns.empty()) {
    why = "the points must be one run";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr) {
    why = "there is one thread";
  } else if (!rows_have_owners(job)) {
    why = "there are so many threads that each would read more than it steps";
  } else if (row_bytes(job) < least_row) {
    why = "rows are so short that they are better moved";
  } else if (row_bytes(job) > long_row && walk.point_count / many_updates >= targets_of(walk).count) {
    why = "rows are long and have so many updates that sorting them pays";
  } else if (row_bytes(job) > long_row && walk.point_count < least_points * job.threads) {
    why = "there are too few rows to share";
  } else if (reach_of(walk).span < least_span) {
    why = "the output is small";
  } else if (const Sample seen = sample(job); seen.is_local()) {
    why = "neighbouring updates go to neighbouring places";
  } else if (row_bytes(job) > long_row && seen.has_hot_place()) {
    why = "one row has so many updates that its owner would be late";
  }
  return why.empty();
}

bool run(const Job& job) {
  if (job.walk.row_count == 0) return true;
  return step_by_readers(job, 1, [&](std::int64_t owner, std::int64_t owners) { return step_own_rows(job, owner, owners); });
}

}  // namespace

extern const Strategy owners;
const Strategy owners{"owners", "threads read all indices and step the rows they own", least_elements, &accepts, &run};

}  // namespace strew
