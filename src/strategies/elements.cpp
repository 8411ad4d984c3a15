// Single elements along one run: each index is read, checked and used in one loop.
#include "kernels/fused.h"
#include "strategies/blocks.h"
#include "strategies/strategy.h"

namespace strew {
namespace {

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.element == nullptr) {
    why = "it has no kernel for this operator, dtype and index dtype";
  } else if (walk.columns.size() != 1 || walk.points.size() > 1 || !walk.row.empty()) {
    why = "the indices must be one run that names single elements";
  } else if (!walk.points.empty() && walk.place_steps[0] != 0) {
    why = "an axis follows the point's own position";
  } else if (walk.out_of_range != OutOfRange::error) {
    why = "indices out of range are not errors";
  } else if (job.counts.of_row != nullptr) {
    why = "updates are counted";
  }
  return why.empty();
}

bool run(const Job& job) {
  const Walk& walk = job.walk;
  const Column& column = walk.columns[0];
  const bool single = walk.points.empty();
  if (walk.row_count == 0) return true;
  return job.element({job.place, column.index, single ? 0 : column.steps[0], column.extent, column.stride, job.stream,
                      single ? 0 : walk.stream_steps[0], walk.point_count, is_far(job)});
}

}  // namespace

extern const Strategy elements;
const Strategy elements{"elements", "one thread, one loop that reads, checks and steps", &accepts, &run};

}  // namespace strew
