// The ways in which operators address elements. Every Addressing is made by one of them.
#pragma once

#include "strew/op.h"

namespace strew::internal {

// How negative and out-of-range indices are treated and reported.
struct IndexRule {
  Negative negative = Negative::reject;
  OutOfRange out_of_range = OutOfRange::error;
  IndexWords words = {};
};

// The last axis of `indices` holds a tuple of coordinates. The first `batch` axes follow the point's own position, the tuple addresses the
// next ones, and the rest form the row. The tuple must fit.
[[nodiscard]] Addressing tuples(const ConstTensorRef& indices, const Dims& addressed, const IndexRule& rule, std::size_t batch = 0);

// One index per element: it is the coordinate on `axis`; on other axes the element's own position is used. Indices of rank 0 address a
// vector.
[[nodiscard]] Addressing along_axis(const ConstTensorRef& indices, std::size_t axis, const IndexRule& rule);

// A vector of indices addresses whole slices across `axis`.
[[nodiscard]] Addressing slices(const ConstTensorRef& index, std::size_t axis, const Dims& addressed, const IndexRule& rule);

// One tensor of indices for each of the leading axes, all of one shape; the remaining axes form the row.
[[nodiscard]] Addressing by_columns(std::span<const ConstTensorRef> columns, const Dims& addressed, const IndexRule& rule);

// The shape of updates for tuples or slices: one row, or one slice, for each index. The arguments may be invalid; then the result is some
// shape that fails the operator's checks.
[[nodiscard]] Dims updates_of_tuples(const Dims& indices, const Dims& addressed);
[[nodiscard]] Dims updates_of_slices(const Dims& index, const Dims& addressed, std::int64_t axis);

// An op without steps: it leaves its output as `base`, or the output has no elements. Indices are not read.
void scatter_nothing(ScatterOp& op);
[[nodiscard]] ScatterOp scatter_nothing(const OpNames& name, const TensorRef& out, const ConstTensorRef& base);
[[nodiscard]] GatherOp gather_nothing(const OpNames& name, const TensorRef& out);

}  // namespace strew::internal
