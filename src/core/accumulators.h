// Memory of its own for a fold that begins, finishes or rounds differently from a plain step in place.
#pragma once

#include <memory>

#include "core/core.h"

namespace strew {

// One accumulator per element of the output, rows dense, and one count of updates per row.
// The strategies step into it like into any output; nothing of the caller's is written before `finish`.
class Accumulators {
 public:
  // `current` is what the elements hold before the first step; null where they hold zeros.
  Accumulators(const ScatterOp& op, const ConstTensorRef* current);

  [[nodiscard]] TensorRef target() const { return target_; }
  [[nodiscard]] Counts counts() const { return counts_; }
  // Writes every touched element of the op's output.
  void finish(const ScatterOp& op) const;

  // Scratch memory in bytes for an op, for explain().
  [[nodiscard]] static std::int64_t bytes(const ScatterOp& op);

 private:
  Tensor memory_;
  Tensor count_memory_;
  TensorRef target_;  // the memory, seen with the axes of the output
  Counts counts_;
  Dims places_, place_steps_;                    // the axes that a point chooses, and their steps in the output
  Dims row_, row_steps_, accumulator_steps_;     // what an update touches of a row, collapsed
};

}  // namespace strew
