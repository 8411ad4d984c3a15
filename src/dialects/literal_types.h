// The dtypes that a framework gives to values without one, such as Python lists.
#pragma once

#include <string_view>

#include "strew/dtype.h"

namespace strew::internal {

struct LiteralTypes {
  std::string_view dialect;
  Dtype integer = Dtype::int64, floating = Dtype::float64;
};

inline constexpr LiteralTypes literal_types[] = {
    {.dialect = "tensorflow", .integer = Dtype::int32, .floating = Dtype::float32},
    {.dialect = "pytorch", .floating = Dtype::float32},
    {.dialect = "paddle", .floating = Dtype::float32},
    {.dialect = "onnx", .floating = Dtype::float32},
    {.dialect = "directml", .integer = Dtype::int32, .floating = Dtype::float32},
};

// Those of a dialect; NumPy's for a dialect without a row.
constexpr LiteralTypes literal_types_of(std::string_view dialect) {
  for (const LiteralTypes& row : literal_types) {
    if (row.dialect == dialect) return row;
  }
  return {.dialect = dialect};
}

}  // namespace strew::internal
