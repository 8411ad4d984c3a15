// NumPy's type promotion, casts and scalar conversion.
#pragma once

#include "dialects/check.h"

namespace strew::internal::numpy {

// np.promote_types, with bfloat16 as ml_dtypes adds it.
[[nodiscard]] Dtype promoted(Dtype a, Dtype b);

// The type in which a step on elements of `a` is computed: the promoted one, or one that gives the same bits.
[[nodiscard]] Dtype stepping_type(Reduction step, Dtype a, Dtype promoted_type);

// Ties of zeros keep the existing value for float16 and complex; otherwise NumPy's vector instructions take the update.
[[nodiscard]] FoldCompare compare_in(Dtype dtype);

// As NumPy converts a Python number: to bool, int64, float64 or complex128, or uint64 if no int64 holds it.
[[nodiscard]] Scalar scalar_of(const Number& number);

[[nodiscard]] Scalar cast(const Scalar& scalar, Dtype dtype);
[[nodiscard]] Tensor cast(const ConstTensorRef& from, Dtype dtype);

// A number as Python assigns it: integers must fit, a float loses its fraction to an integer, a complex number is never real.
[[nodiscard]] Scalar assigned(const Check& check, const Number& number, Dtype dtype);

}  // namespace strew::internal::numpy
