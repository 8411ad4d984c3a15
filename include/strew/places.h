// Routes points: the number of the row that each point of an op addresses.
#pragma once

#include "strew/run.h"

namespace strew::inline v0 {

// Returns the place of each point as an int64 tensor of the shape of the points: the number, in row-major order, of the row of the output
// that a scatter steps, or of the source that a gather copies, and -1 for a point that is skipped. Rows are numbered in row-major
// order over the axes that points address: with rows along all axes but the first, the place is the coordinate on the first axis.
//
// Validates the op and reads and validates all indices once; throws the Errors of run(). Reads no element of the output, the source or the
// updates, and the output needs no memory. options.strategy must be empty.
[[nodiscard]] STREW_API Tensor places(const ScatterOp& op, const RunOptions& options = {});
[[nodiscard]] STREW_API Tensor places(const GatherOp& op, const RunOptions& options = {});

// The same into the caller's memory: an int64 view of the shape of the points, of any strides. All or nothing, as run(). Indices are read
// twice, and nothing is allocated if the view has no gaps and no memory in common with the indices.
STREW_API void places(const ScatterOp& op, const TensorRef& to, const RunOptions& options = {});
STREW_API void places(const GatherOp& op, const TensorRef& to, const RunOptions& options = {});

}  // namespace strew::inline v0
