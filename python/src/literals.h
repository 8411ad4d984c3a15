// Per dialect: the result of in-place functions, whether numbers have dtypes, and the messages about an invalid out=.
#pragma once

#include "dialects/literal_types.h"
#include "dialects/registry.h"

namespace strew::python {
using namespace internal;

struct Literals {
  std::string_view dialect;
  bool returns_nothing = false;  // in place, where an operator has no other form
  bool typed_numbers = false;  // a NumPy number has its dtype, as an array of rank 0
  std::string_view no_array = "out must be an array, got ";  // then the type's name
  std::string_view no_cpu = {};  // then the device's name and "instead"; empty: Strew's own words
};

inline constexpr Literals literals[] = {
    {.dialect = "pytorch", .no_array = "argument 'out' must be Tensor, not ", .no_cpu = "Expected out tensor to have device cpu, but got "},
    {.dialect = "numpy", .returns_nothing = true, .typed_numbers = true},
};

constexpr Literals literals_of(const Operator& op) {
  for (const Literals& row : literals) {
    if (row.dialect == op.dialect) return row;
  }
  return {};
}

}  // namespace strew::python
