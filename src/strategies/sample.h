// Samples pairs of neighbouring indices to guess their locality. The guess affects speed, never results.
#pragma once

#include "strategies/job.h"

namespace strew::internal {

// Counts of sampled pairs of neighbours in the innermost run: all; those with equal places; with places less than 16 KiB apart; in rising
// order; those whose first point is less than 16 KiB from a point 64 later; and, in the first half, those less than 16 KiB from the point
// half of all points later.
struct Sample {
  std::int64_t pairs = 0, same = 0, near = 0, rising = 0, staying = 0, returning = 0;

  [[nodiscard]] bool is_sorted() const { return pairs > 0 && rising == pairs && near > pairs / 2; }
  [[nodiscard]] bool is_local() const { return near > pairs / 2; }
  // The working set stays in a cache without prefetching. Corners of cells are local, but stay near only if the cells are in order.
  [[nodiscard]] bool stays_near() const { return staying > pairs / 2; }
  [[nodiscard]] bool returns() const { return returning > pairs / 8; }
  [[nodiscard]] bool has_hot_place() const { return same > pairs / 8; }  // it gets a third of the updates or more
  [[nodiscard]] bool has_runs() const {
    return same > pairs - pairs / 8;
  }  // shorter runs cost more in branch mispredictions than they save
};
[[nodiscard]] Sample sample(const Job& job);

}  // namespace strew::internal
