// A caller's number as one element of a dtype, as PyTorch and Paddle convert it.
#pragma once

#include "dialects/check.h"

namespace strew::internal {

// What happens to a number that is too large for the type: PyTorch refuses it, Paddle wraps an integer and makes a
// float infinite.
enum class Overflow : std::uint8_t { refused, wraps };

// Truncates toward zero for integers, nonzero is true for bool, a negative integer wraps into an unsigned type as far
// as its size fits. A float that no integer of the type equals is always an error.
[[nodiscard]] Scalar to_scalar(const Check& check, const Number& number, Dtype dtype, Overflow overflow = Overflow::refused);

}  // namespace strew::internal
