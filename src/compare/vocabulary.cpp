// The table of all dialects' words for the reductions that are compared.
#include "compare/vocabulary.h"

namespace strew::internal {

std::span<const Entry> vocabulary() {
  using enum IndexForm;
  // The words are for assign, add, sub, mul, min, max, mean.
  static constexpr Entry entries[] = {
      {elements, "pytorch", "", "", {"scatter", "scatter_add"}},
      {elements, "pytorch", "scatter_reduce", "reduce", {"", "sum", "", "prod", "amin", "amax", "mean"}, Self::as_said},
      {elements, "pytorch", "scatter", "reduce", {"", "add", "", "multiply"}},
      {elements, "paddle", "put_along_axis", "reduce", {"assign", "add", "", "mul", "amin", "amax", "mean"}, Self::as_said, "broadcast"},
      {elements, "onnx", "scatter_elements", "reduction", {"none", "add", "", "mul", "min", "max"}},
      {covering, "directml", "", "", {"scatter"}},
      {covering_in_place, "numpy", "", "", {"put_along_axis"}},
      {rows, "pytorch", "", "", {"index_copy", "index_add"}},
      {rows, "pytorch", "index_add", "alpha", {"", "", "-1"}},
      {rows, "paddle", "", "", {"", "index_add"}},
      {rows, "numpy", "", "", {"", "add_at", "subtract_at", "multiply_at", "minimum_at", "maximum_at"}},
      {first_rows, "paddle", "", "", {"scatter"}},
      {first_rows, "paddle", "scatter", "overwrite", {"", "false"}, Self::excluded},
      {first_rows, "strew", "", "", {"scatter", "scatter_add", "scatter_sub", "scatter_mul", "scatter_min", "scatter_max"}},
      {first_rows, "strew", "", "", {"", "", "", "", "", "", "scatter_mean"}, Self::excluded},
      {tuples,
       "tensorflow",
       "",
       "",
       {"tensor_scatter_nd_update", "tensor_scatter_nd_add", "tensor_scatter_nd_sub", "", "tensor_scatter_nd_min",
        "tensor_scatter_nd_max"}},
      {tuples, "paddle", "", "", {"", "scatter_nd_add"}},
      {tuples, "onnx", "scatter_nd", "reduction", {"none", "add", "", "mul", "min", "max"}},
      {tuples, "directml", "", "", {"scatter_nd"}},
      {keys, "numpy", "", "", {"", "add_at", "subtract_at", "multiply_at", "minimum_at", "maximum_at"}},
      {keys, "strew", "", "", {"scatter", "scatter_add", "scatter_sub", "scatter_mul", "scatter_min", "scatter_max"}},
      {keys, "strew", "", "", {"", "", "", "", "", "", "scatter_mean"}, Self::excluded},
  };
  return entries;
}

}  // namespace strew::internal
