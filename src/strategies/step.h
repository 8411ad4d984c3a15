// Steps points whose offsets are computed.
#pragma once

#include "strategies/job.h"

namespace strew::internal {

// Whether the job steps single elements of the updates' own type, alone or with a count of the same size beside them: kernels/cell.h has
// loops for those.
inline bool steps_cells(const Job& job) {
  return job.walk.row.empty() && job.step.addressed == job.step.stream && (!job.counts || job.counts.is_common(job.stream_bytes));
}

// Points of a job, none skipped: their offsets in the output, and their updates, `stream_stride` bytes apart.
struct Points {
  const std::int64_t* offsets;
  std::int64_t count;
  std::byte* stream;
  std::int64_t stream_stride;

  [[nodiscard]] Points part(std::int64_t first, std::int64_t length) const {
    return {offsets + first, length, stream + first * stream_stride, stream_stride};
  }
};

// Steps them in order, and counts the updates of each row if the fold needs it.
void step(const Job& job, const Points& points);

// The same, prefetching rows: for outputs that exceed the caches.
void step_ahead(const Job& job, const Points& points);

}  // namespace strew::internal
