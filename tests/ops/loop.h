// The plain loop that judges hand-made ops: what include/strew/op.h and docs/semantics.md say, element by element, sharing nothing with
 // src.
#pragma once

#include <complex>
#include <optional>
#include <vector>

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

// What an op reaches, in the order of the points: an element of the addressed tensor and one of points ++ row, by their numbers in
// row-major order. A skipped point has no addressed element. No value if an index is bad.
struct Reached {
  std::int64_t addressed;  // -1: skipped
  std::int64_t stream;
};
std::optional<std::vector<Reached>> reached_by(const Addressing& where, const Dims& shape);

// The elements of a tensor of floats or complex numbers, in row-major order.
std::vector<std::complex<double>> numbers_in(const ConstTensorRef& tensor);

}  // namespace strew::ops
