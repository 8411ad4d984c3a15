// The plain loop that judges hand-made ops: what include/strew/op.h and docs/semantics.md say, element by element, sharing nothing with
 // src.
#pragma once

#include "strew/op.h"

namespace strew::ops {

enum class Judgement : std::uint8_t {
  done,
  bad_index,  // and nothing was written
  undefined,  // an element becomes what C++ leaves open: a number that an integer type does not hold
};

// Runs a well-formed op whose output does not overlap itself; inputs are read before anything is written.
Judgement run_loop(const ScatterOp& op);
Judgement run_loop(const GatherOp& op);

}  // namespace strew::ops
