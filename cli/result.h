// A result on the terminal: all of a small one, the ends of each axis of a large one.
#pragma once

#include <string>

#include "strew/tensor.h"

namespace strew::cli {

// "float32, shape [3]"
[[nodiscard]] std::string type_text(Dtype dtype, const Dims& shape);

// That line, and the elements.
[[nodiscard]] std::string result_text(const Tensor& tensor);

}  // namespace strew::cli
