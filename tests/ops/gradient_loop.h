// The plain loop that judges derivatives: element by element, in double precision, from the formula of each step.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "strew/op.h"

namespace strew::ops {

using Numbers = std::vector<std::complex<double>>;  // in row-major order

// How much each input contributes to an element: the derivative of the element by that value.
struct Part {
  std::int64_t update;  // number in points ++ row; -1: the old value
  std::complex<double> weight;
};

// The derivatives of all elements of the output; no value if an index is bad. The op must be well formed and its values exact in double
// precision.
struct Jacobian {
  std::vector<std::vector<Part>> by_element;

  // Sums of conj(weight) * cotangent, and of weight * tangent.
  void vjp(const Numbers& cotangent, Numbers& base, Numbers& updates) const;
  [[nodiscard]] Numbers jvp(const Numbers& base, const Numbers& updates) const;
};
std::optional<Jacobian> jacobian_of(const ScatterOp& op);

}  // namespace strew::ops
