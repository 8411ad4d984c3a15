// Place numbers in place of memory offsets.
#pragma once

#include "strew/op.h"

namespace strew::internal {

// The op with place numbers instead of byte offsets: an int8 output with dense strides over the places, and broadcast rows.
[[nodiscard]] ScatterOp numbered(const ScatterOp& op);

}  // namespace strew::internal
