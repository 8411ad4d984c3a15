// Accumulators for folds that begin, finish or round differently from a plain step in place.
#pragma once

#include "strategies/blocks.h"

namespace strew::internal {

// One accumulator for each element that the points of a job can address, in dense rows, with the update count beside each row. Strategies
// step it like any output; the caller's output is not written before `finish`.
class Accumulators {
 public:
  // `job` has a fold and must outlive this. Allocates nothing. Counts are wide if that is asked for, or if the job could overflow others.
  explicit Accumulators(const Job& job, bool wide = false);

  // The job that steps the accumulators; valid after `begin`.
  [[nodiscard]] const Job& job() const { return stepped_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  [[nodiscard]] std::int64_t row_stride() const { return row_stride_; }

  void begin(std::byte* memory);
  // Uses memory that holds begun accumulators of a job with the same layout.
  void resume(std::byte* memory) { stepped_.addressed = memory; }
  // Begins as a copy of others, whose counts may be narrower.
  void begin_from(const Accumulators& other, std::byte* memory);
  // Writes every output element that was updated.
  void finish() const;

 private:
  struct RowRun;
  template <class Use>
  void each_run_of_rows(Use use) const;

  const Job& folded_;
  Job stepped_;
  Coordinates extents_, out_strides_;  // the rows that points can address, in the order of the accumulators
  std::int64_t rows_ = 1, row_bytes_ = 0, row_stride_ = 0, bytes_ = 0;
};

}  // namespace strew::internal
