// Memory of its own for a fold that begins, finishes or rounds differently from a plain step in place.
#pragma once

#include "strategies/blocks.h"

namespace strew::internal {

// One accumulator for each element that the points of a job can name, rows dense, the count of its updates beside each row.
// Strategies step into it like into any output; nothing of the caller's is written before `finish`.
class Accumulators {
 public:
  // Of a job with a fold, which is used as long as this is. Takes no memory.
  explicit Accumulators(const Job& job);

  // What is stepped; it has memory after `begin`.
  [[nodiscard]] const Job& job() const { return stepped_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  void begin(std::byte* memory);
  // Writes every element of the output that was touched.
  void finish() const;

 private:
  struct Stretch;
  template <class Use>
  void each_stretch(Use use) const;

  const Job& folded_;
  Job stepped_;
  Coordinates extents_, out_steps_;  // the rows that can be named, in the order of the accumulators
  std::int64_t rows_ = 1, row_step_ = 0, bytes_ = 0;
};

}  // namespace strew::internal
