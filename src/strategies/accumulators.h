// Accumulators for folds that begin, finish or round differently from a plain step in place.
#pragma once

#include "strategies/blocks.h"

namespace strew::internal {

// One accumulator for each element that the points of a job can address, in dense rows, with the update count beside each row. Strategies
// step it like any output; the caller's output is not written before `finish`.
class Accumulators {
 public:
  // `job` has a fold and must outlive this. Allocates nothing.
  explicit Accumulators(const Job& job);

  // The job that steps the accumulators; valid after `begin`.
  [[nodiscard]] const Job& job() const { return stepped_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  void begin(std::byte* memory);
  // Writes every output element that was updated.
  void finish() const;

 private:
  struct RowRun;
  template <class Use>
  void each_run_of_rows(Use use) const;

  const Job& folded_;
  Job stepped_;
  Coordinates extents_, out_steps_;  // the rows that points can address, in the order of the accumulators
  std::int64_t rows_ = 1, row_step_ = 0, bytes_ = 0;
};

}  // namespace strew::internal
