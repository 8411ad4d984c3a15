// Judges the derivatives of hand-made ops, whatever their values: NaN, infinities and rounding included.
#pragma once

#include <string>

#include "strew/run.h"

namespace strew::ops {

// What is wrong with the derivatives of an op that run() accepts; empty if nothing is. Both must be read-only: the memory of the op is the
// caller's to compare. `other` are options that must not change the bits.
[[nodiscard]] std::string wrong_with_gradient(const ScatterOp& op, const RunOptions& other);
[[nodiscard]] std::string wrong_with_gradient(const GatherOp& op, const RunOptions& other);

}  // namespace strew::ops
