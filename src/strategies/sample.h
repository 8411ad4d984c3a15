// A look at some neighbouring indices, to guess how the rest lies. A guess decides how a job is run, never what comes out.
#pragma once

#include "strategies/job.h"

namespace strew::internal {

// Of the sampled pairs of neighbours in the innermost run: how many there are, how many go to the same place, to places less than 16 KiB
// apart, and to places in rising order; how many of their first points go less than 16 KiB from where a point a little later goes; and how
// many of the first half go less than 16 KiB from where one goes that is half of all points later.
struct Sample {
  std::int64_t pairs = 0, same = 0, near = 0, rising = 0, staying = 0, returning = 0;

  [[nodiscard]] bool is_sorted() const { return pairs > 0 && rising == pairs && near > pairs / 2; }
  [[nodiscard]] bool is_local() const { return near > pairs / 2; }
  // Caches hold what is stepped, without being asked. Corners of cells are local, but stay near only where the cells come in order.
  [[nodiscard]] bool stays_near() const { return staying > pairs / 2; }
  [[nodiscard]] bool returns() const { return returning > pairs / 8; }
  [[nodiscard]] bool has_hot_place() const { return same > pairs / 8; }  // a third of the updates or more go there
  [[nodiscard]] bool has_runs() const { return same > pairs - pairs / 8; }  // short runs cost more in wrong guesses than they save
};
[[nodiscard]] Sample sample(const Job& job);

}  // namespace strew::internal
