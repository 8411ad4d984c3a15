// Derivatives of ops: cotangents of the inputs from that of the output (reverse mode), and the tangent of the output from those of the
// inputs (forward mode).
//
// The rule is the derivative of what run() computes. A step of assign passes the cotangent to the last update of an element; add and sub
// are linear; mul passes the product of the other factors; min and max split it evenly among all values that equal the result, and a NaN
// that the formula kept takes all of it. A mean divides by its count. A base that takes no part (FoldBegin::identity, first) gets zero
// where an update lands. Skipped updates get zero. The cotangent of a complex z is that of f(z) times the conjugate of f'(z). Casts between
// types count as the identity. Cotangents have the type of their input; sums of 16-bit floats are rounded as the op rounds its own, those
// of a gather once, at the end. Other types than floats and complex numbers throw an Error of code `dtype`.
//
// An op is used as it was before it ran: with base InPlace, its output holds the old values. Values are read only if the derivative
// depends on them: assign, add, sub and means read neither base nor updates nor the output, which then needs no memory; a placeholder, one
// element with strides of 0, stands for the updates.
//
// Same bits for all RunOptions. All or nothing: all indices are checked and all memory is allocated before the caller's is written.
//
// Batches: a dimension along which every tensor has its own indices becomes a leading dimension of the points, and a leading axis of the
// addressed tensors that follows it ({Axis::point, 0}). A dimension that only the values have becomes the first dimension of the row, with
// an axis {Axis::row, ...}. Both are one op, with one gradient.
#pragma once

#include <optional>

#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::inline v0 {

// Reverse mode, into new tensors: of the shapes of op.out and of points ++ row.
[[nodiscard]] STREW_API ScatterGradient vjp(const ScatterOp& op, const ConstTensorRef& cotangent, const GradientOf& of = {},
                                            const RunOptions& options = {});
// The cotangent of op.from.
[[nodiscard]] STREW_API Tensor vjp(const GatherOp& op, const ConstTensorRef& cotangent, const RunOptions& options = {});

// The memory for the cotangents of a scatter's inputs. A stride of 0 in `updates` sums: the cotangent of a broadcast source is one element,
// however many points used it.
struct CotangentsInto {
  std::optional<TensorRef> base = {}, updates = {};  // none: not computed
};
// Reverse mode, into the caller's memory, which may be that of the cotangent but not overlap otherwise.
STREW_API void vjp_into(const CotangentsInto& into, const ScatterOp& op, const ConstTensorRef& cotangent,
                        const std::optional<ConstTensorRef>& result = {}, const RunOptions& options = {});
STREW_API void vjp_into(const TensorRef& into, const GatherOp& op, const ConstTensorRef& cotangent, const RunOptions& options = {});

// The tangents of the inputs of a scatter, of their shapes and types. None: zero.
struct ScatterTangents {
  std::optional<ConstTensorRef> base = {}, updates = {};
};

// Forward mode, into a new tensor. `result` is the output of the op; without it min and max compute it again.
[[nodiscard]] STREW_API Tensor jvp(const ScatterOp& op, const ScatterTangents& tangents, const std::optional<ConstTensorRef>& result = {},
                                   const RunOptions& options = {});
[[nodiscard]] STREW_API Tensor jvp(const GatherOp& op, const ConstTensorRef& tangent, const RunOptions& options = {});
// The same, into the caller's memory.
STREW_API void jvp_into(const TensorRef& into, const ScatterOp& op, const ScatterTangents& tangents,
                        const std::optional<ConstTensorRef>& result = {}, const RunOptions& options = {});
STREW_API void jvp_into(const TensorRef& into, const GatherOp& op, const ConstTensorRef& tangent, const RunOptions& options = {});

// Second order: the derivative of vjp() along tangents of the base, the updates and the cotangent (none: zero). vjp() is linear in the
// cotangent, and apart from mul it does not depend on base and updates otherwise.
[[nodiscard]] STREW_API ScatterGradient vjp_jvp(const ScatterOp& op, const ConstTensorRef& cotangent,
                                                const std::optional<ConstTensorRef>& cotangent_tangent, const ScatterTangents& tangents,
                                                const GradientOf& of = {}, const RunOptions& options = {});

// For each point of an assignment, whether its update is the one that stays: a bool tensor of the shape of the points. Skipped points are
// false. Throws an Error of code `argument` if the op combines updates. Any element type will do; values are not read.
[[nodiscard]] STREW_API Tensor winners(const ScatterOp& op, const RunOptions& options = {});

// Whether the cotangent of the base is that of the output, unchanged, so that no copy is needed.
[[nodiscard]] STREW_API bool passes_cotangent(const ScatterOp& op);

}  // namespace strew::inline v0
