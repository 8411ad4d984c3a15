// Only floating-point and complex numbers have gradients.
#include "core/differentiable.h"

#include "base/text.h"

namespace strew::internal {

void require_differentiable(const char* op, const char* argument, Dtype dtype) {
  constexpr DtypeSet differentiable = of_kind(DtypeKind::floating) | of_kind(DtypeKind::complex);
  if (differentiable.has(dtype)) return;
  throw Error(ErrorCode::dtype,
              cat(op, ": ", argument, " of ", to_string(dtype), " has no gradient; only floating-point and complex numbers have one"));
}

void require_like(const char* op, const char* argument, const ConstTensorRef& given, Dtype dtype, const Dims& shape) {
  check_view(op, argument, given);
  if (given.dtype != dtype)
    throw Error(ErrorCode::dtype, cat(op, ": ", argument, " must be ", to_string(dtype), ", got ", to_string(given.dtype)));
  if (!(given.shape == shape)) {
    throw Error(ErrorCode::shape, cat(op, ": ", argument, " must have shape ", bracketed(shape), ", got ", bracketed(given.shape)));
  }
}

void require_differentiable(const GatherOp& op, const char* argument, const ConstTensorRef& given, const ConstTensorRef& like) {
  check_form(op, false);
  require_differentiable(op.name, op.name.input, op.from.dtype);
  require_like(op.name, argument, given, like.dtype, like.shape);
}

}  // namespace strew::internal
