// What tensors must be for a derivative.
#pragma once

#include "core/core.h"

namespace strew::internal {

// Throws an Error unless a type has gradients.
void require_differentiable(const char* op, const char* argument, Dtype dtype);
// Throws an Error unless a cotangent or tangent has the type and shape of what it belongs to.
void require_like(const char* op, const char* argument, const ConstTensorRef& given, Dtype dtype, const Dims& shape);
// Throws an Error unless the source of a gather has gradients and `given` is like a tensor of the op.
void require_differentiable(const GatherOp& op, const char* argument, const ConstTensorRef& given, const ConstTensorRef& like);

}  // namespace strew::internal
