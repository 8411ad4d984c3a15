// The modes of derivatives, on problems that were validated and outputs that nobody sees if an error is thrown.
#pragma once

#include "gradient/problem.h"

namespace strew::internal {

// The outputs have the shape of op.out, and that of the updates with any strides, in their type. Where strides are 0, cotangents are
// summed.
void vjp_on_fresh(Problem& problem, const ConstTensorRef& cotangent, const std::optional<ConstTensorRef>& result,
                  const Cotangents& outputs);
void vjp_on_fresh(const GatherOp& op, const ConstTensorRef& cotangent, const TensorRef& into, const RunOptions& options);
// Of a product: the derivative of vjp_on_fresh along tangents. That of the updates is a plain_tangent().
void second_on_fresh(Problem& problem, const ConstTensorRef& cotangent, const ConstTensorRef* cotangent_tangent, const Tangents& tangents,
                     const Cotangents& outputs);
void jvp_on_fresh(Problem& problem, const Tangents& tangents, const std::optional<ConstTensorRef>& result, const TensorRef& into);

// Into new tensors. `out_shape` is that of op.out as the caller sees it.
ScatterGradient vjp_of(Problem& problem, const ConstTensorRef& cotangent, const GradientOf& of, const Dims& out_shape);

// Throws an Error unless the tangents have the types and shapes of the inputs of the op.
void require_tangents(const Problem& problem, const ScatterOp& op, const ScatterTangents& tangents);
// The tangent of the updates in the type of the output, scaled.
std::optional<ConstTensorRef> plain_tangent(Problem& problem, const std::optional<ConstTensorRef>& updates);

}  // namespace strew::internal
