// A caller's number as one element of a dtype, with PyTorch's rules of conversion.
#pragma once

#include "dialects/check.h"

namespace strew {

// Truncates toward zero for integers, nonzero is true for bool, a negative number wraps into an unsigned type of the same
// width. What does not fit is an error.
[[nodiscard]] Scalar to_scalar(const Check& check, const Number& number, Dtype dtype);

}  // namespace strew
