// A look at some neighbouring indices, to guess how the rest lies. A guess decides how a job is run, never what comes out.
#pragma once

#include "strategies/job.h"

namespace strew {

// Of the sampled pairs of neighbours in the innermost run of the first column: how many there are, how many are the same, less
// than 4096 apart, and rising.
struct Sample {
  std::int64_t pairs = 0, same = 0, near = 0, rising = 0;

  [[nodiscard]] bool is_sorted() const { return pairs > 0 && rising == pairs && near > pairs / 2; }
  [[nodiscard]] bool is_local() const { return near > pairs / 2; }
  [[nodiscard]] bool has_runs() const { return same > pairs - pairs / 8; }  // short runs cost more in wrong guesses than they save
};
[[nodiscard]] Sample sample(const Job& job);

}  // namespace strew
