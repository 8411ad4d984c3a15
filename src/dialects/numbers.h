// Converts a caller's number to one element of a dtype, as PyTorch and Paddle do.
#pragma once

#include "dialects/check.h"

namespace strew::internal {

// How a number that is too large for the type is treated: PyTorch rejects it, Paddle wraps integers and makes floats infinite.
enum class Overflow : std::uint8_t { rejected, wraps };

// The sentence about a number that the dtype does not hold.
using NumberWords = std::string (*)(const Number& number, Dtype dtype);
[[nodiscard]] std::string torch_words(const Number& number, Dtype dtype);

// Truncates toward zero for integers, nonzero is true for bool, a negative integer wraps into an unsigned type if its magnitude fits. A
// float without an equal integer in the type's range is always an error.
[[nodiscard]] Scalar to_scalar(const Check& check, const Number& number, Dtype dtype, Overflow overflow = Overflow::rejected,
                               NumberWords words = &torch_words);

// As it was written.
[[nodiscard]] std::string text_of(const Number& number);

}  // namespace strew::internal
