// Draws ops.
#pragma once

#include <string>

#include "strew/export.h"
#include "strew/op.h"

namespace strew::inline v0 {

// Draws an op and its result as an SVG document: the updates with their indices, an arrow from each to its place, what each place held
// before and holds after, and the formula. Writes nothing. Every index is validated. Of large tensors a few hundred elements are drawn, and
// the picture says how many are left out. Beyond 2^20 points only drawn updates are applied; a note in the picture says so. An index out of
// range is drawn where it points, with the sentence of the error that a run throws. Every other Error of run() is thrown, except those
// about memory that the run would need.
//
// An output without memory is drawn as compute() would return it.
[[nodiscard]] STREW_API std::string picture(const ScatterOp& op);
[[nodiscard]] STREW_API std::string picture(const GatherOp& op);

// Draws the share of each update in the gradient: of a scatter the cotangent of each update, of a gather the sum of the cotangents at each
// element that was read. Computes vjp() of the whole op, and throws its Errors.
[[nodiscard]] STREW_API std::string picture_of_gradient(const ScatterOp& op, const ConstTensorRef& cotangent);
[[nodiscard]] STREW_API std::string picture_of_gradient(const GatherOp& op, const ConstTensorRef& cotangent);

}  // namespace strew::inline v0
