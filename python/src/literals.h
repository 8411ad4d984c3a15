// Per dialect: the dtypes of lists and numbers, the result of in-place functions, and the messages about an invalid out=.
#pragma once

#include "dialects/registry.h"

namespace strew::python {
using namespace internal;

struct Literals {
  std::string_view dialect;
  Dtype integer = Dtype::int64, floating = Dtype::float64;  // of a list, unless an array of the call determines it
  bool returns_nothing = false;  // in place, where an operator has no other form
  bool typed_numbers = false;  // a NumPy number has its dtype, as an array of rank 0
  std::string_view no_array = "out must be an array, got ";  // then the type's name
  std::string_view no_cpu = {};  // then the device's name and "instead"; empty: Strew's own words
};

inline constexpr Literals literals[] = {
    {.dialect = "tensorflow", .integer = Dtype::int32, .floating = Dtype::float32},
    {.dialect = "pytorch",
     .floating = Dtype::float32,
     .no_array = "argument 'out' must be Tensor, not ",
     .no_cpu = "Expected out tensor to have device cpu, but got "},
    {.dialect = "paddle", .floating = Dtype::float32},
    {.dialect = "onnx", .floating = Dtype::float32},
    {.dialect = "directml", .integer = Dtype::int32, .floating = Dtype::float32},
    {.dialect = "numpy", .returns_nothing = true, .typed_numbers = true},
};

constexpr Literals literals_of(const Operator& op) {
  for (const Literals& row : literals) {
    if (row.dialect == op.dialect) return row;
  }
  return {};
}

}  // namespace strew::python
