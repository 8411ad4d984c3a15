// The three ways in which frameworks name places. Every operator's Addressing is made by one of them.
#pragma once

#include "strew/op.h"

namespace strew::internal {

// What an out-of-range or negative index means, and how it is reported.
struct IndexRule {
  Negative negative = Negative::reject;
  OutOfRange out_of_range = OutOfRange::error;
  IndexWords words = {};
};

// The last axis of `indices` holds a tuple of coordinates. The first `batch` axes of the place follow the point's own
// position, the tuple names the next ones, and those that are left form the row. The tuple must fit.
[[nodiscard]] Addressing tuples(const ConstTensorRef& indices, const Dims& place, const IndexRule& rule, std::size_t batch = 0);

// One index per element: it names the coordinate on `axis`; on the others the element's own position counts.
// Indices of rank 0 address a vector.
[[nodiscard]] Addressing along_axis(const ConstTensorRef& indices, std::size_t axis, const IndexRule& rule);

// A vector of indices names whole slices across `axis`.
[[nodiscard]] Addressing slices(const ConstTensorRef& index, std::size_t axis, const Dims& place, const IndexRule& rule);

// The updates that belong to tuples or slices: one row, or one slice, for each index. For arguments that nobody has checked yet; where they
// do not fit each other the shape fits nothing either.
[[nodiscard]] Dims updates_of_tuples(const Dims& indices, const Dims& place);
[[nodiscard]] Dims updates_of_slices(const Dims& index, const Dims& place, std::int64_t axis);

// Nothing to do: the op leaves its output as `base`, or has an output without elements. Indices are not looked at.
void scatter_nothing(ScatterOp& op);
[[nodiscard]] ScatterOp scatter_nothing(const OpNames& name, const TensorRef& out, const ConstTensorRef& base);
[[nodiscard]] GatherOp gather_nothing(const OpNames& name, const TensorRef& out);

}  // namespace strew::internal
