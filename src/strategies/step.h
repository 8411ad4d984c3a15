// Steps points whose offsets are known.
#pragma once

#include "strategies/job.h"

namespace strew::internal {

// Whether what is stepped are single elements of the updates' own type, alone or with a count of the same size beside them: for those there
// are loops over kernels/cell.h.
inline bool steps_cells(const Job& job) {
  return job.walk.row.empty() && job.step.addressed == job.step.stream && (!job.counts || job.counts.is_common(job.stream_bytes));
}

// Points of a job, none of them left out: their offsets in the output, and their updates, which are `stream_step` bytes apart.
struct Points {
  const std::int64_t* offsets;
  std::int64_t count;
  std::byte* stream;
  std::int64_t stream_step;

  [[nodiscard]] Points part(std::int64_t first, std::int64_t length) const {
    return {offsets + first, length, stream + first * stream_step, stream_step};
  }
};

// Steps them in order, counting the updates of each row where the fold needs it.
void step(const Job& job, const Points& points);

// The same, asking for the memory of rows ahead of time: for outputs that no cache holds.
void step_ahead(const Job& job, const Points& points);

}  // namespace strew::internal
