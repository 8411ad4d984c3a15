// The steps of each family of types, one file each. Null where there is none.
#pragma once

#include "kernels/apply.h"

namespace strew::internal {

RowKernel integer_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel floating_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel half_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel complex_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
RowKernel boolean_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);
// Rows as they are, by the size of an element in bytes: into `place`, and out of it.
RowKernel copy_in(std::int64_t element);
RowKernel copy_out(std::int64_t element);
// Updates of a wider type than the elements they step.
RowKernel wide_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator);

}  // namespace strew::internal
