// The row kernels of each family of types, one file per family. Null where the arithmetic is not defined.
#pragma once

#include "kernels/apply.h"

namespace strew::internal {

RowKernel integer_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel floating_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel half_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel complex_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel boolean_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
// Copies of rows into and out of `addressed`, by the size of an element in bytes.
RowKernel copy_in(std::int64_t element);
RowKernel copy_out(std::int64_t element);
// Steps with updates of a wider type than the accumulator.
RowKernel wide_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);

}  // namespace strew::internal
