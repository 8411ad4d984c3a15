// NumPy's type promotion, casts and scalar conversion.
#include "dialects/numpy_types.h"

#include <cmath>
#include <cstring>

#include "core/copy.h"
#include "kernels/properties.h"

namespace strew::internal::numpy {
namespace {

// The floating type of 4 or 8 bytes.
Dtype float_of_size(std::int64_t size) { return size == 4 ? Dtype::float32 : Dtype::float64; }
Dtype signed_of_size(std::int64_t size) { return size == 2 ? Dtype::int16 : size == 4 ? Dtype::int32 : Dtype::int64; }
Dtype real_of(Dtype dtype) { return dtype == Dtype::complex64 ? Dtype::float32 : dtype == Dtype::complex128 ? Dtype::float64 : dtype; }

Dtype promoted_integers(Dtype a, Dtype b) {
  if (dtype_info(a).kind == dtype_info(b).kind) return size_of(a) > size_of(b) ? a : b;
  const Dtype with_sign = dtype_info(a).kind == DtypeKind::signed_integer ? a : b, without = with_sign == a ? b : a;
  if (size_of(with_sign) > size_of(without)) return with_sign;
  return without == Dtype::uint64 ? Dtype::float64 : signed_of_size(2 * size_of(without));
}

template <class T>
Scalar as_scalar(T value) {
  Scalar scalar{dtype_of<T>, {}};
  std::memcpy(scalar.bytes, &value, sizeof value);
  return scalar;
}

// A number as Python assigns it: integers must fit, a float loses its fraction to an integer, a complex number is never real.
class Assigned {
 public:
  Assigned(const Check& check, Dtype dtype) : check_(check), dtype_(dtype) {}

  [[nodiscard]] Scalar operator()(bool value) const { return cast(as_scalar(value), dtype_); }
  [[nodiscard]] Scalar operator()(std::int64_t value) const {
    const Scalar result = cast(as_scalar(value), dtype_);
    if (!is_integer(dtype_)) return is_float() ? cast(as_scalar(static_cast<double>(value)), dtype_) : result;
    const std::int64_t back = as<std::int64_t>(cast(result, Dtype::int64));
    const bool is_negative = value < 0 && dtype_info(dtype_).kind == DtypeKind::unsigned_integer;
    if (back != value || is_negative)
      check_.fail(ErrorCode::argument, cat("Python integer ", value, " out of bounds for ", to_string(dtype_)));
    return result;
  }
  // Only numbers that no int64 holds.
  [[nodiscard]] Scalar operator()(std::uint64_t value) const {
    if (dtype_ == Dtype::uint64) return as_scalar(value);
    if (is_integer(dtype_)) check_.fail(ErrorCode::argument, cat("Python int too large to convert to ", to_string(dtype_)));
    return (*this)(static_cast<double>(value));
  }
  [[nodiscard]] Scalar operator()(double value) const {
    if (!is_integer(dtype_)) return cast(as_scalar(value), dtype_);
    if (std::isnan(value)) check_.fail(ErrorCode::argument, "cannot convert float NaN to integer");
    if (std::isinf(value)) check_.fail(ErrorCode::argument, "cannot convert float infinity to integer");
    if (dtype_ == Dtype::uint64 && value >= 0x1p63 && value < 0x1p64) return cast(as_scalar(value), dtype_);
    if (value < -0x1p63 || value >= 0x1p63) check_.fail(ErrorCode::argument, cat("Python int too large to convert to ", to_string(dtype_)));
    return (*this)(static_cast<std::int64_t>(value));
  }
  [[nodiscard]] Scalar operator()(std::complex<double> value) const {
    if (is_integer(dtype_) || dtype_info(dtype_).kind == DtypeKind::floating)
      check_.fail(ErrorCode::dtype, cat("argument must be a real number, not 'complex', for an array of ", to_string(dtype_)));
    return cast(as_scalar(value), dtype_);
  }

 private:
  [[nodiscard]] bool is_float() const {
    return dtype_info(dtype_).kind == DtypeKind::floating || dtype_info(dtype_).kind == DtypeKind::complex;
  }
  template <class T>
  static T as(const Scalar& scalar) {
    T value;
    std::memcpy(&value, scalar.bytes, sizeof value);
    return value;
  }

  const Check& check_;
  Dtype dtype_;
};

}  // namespace

Dtype promoted(Dtype a, Dtype b) {
  if (a == b || b == Dtype::bool_) return a;
  if (a == Dtype::bool_) return b;
  if (is_integer(a) && is_integer(b)) return promoted_integers(a, b);
  if (dtype_info(a).kind == DtypeKind::complex || dtype_info(b).kind == DtypeKind::complex) {
    return size_of(promoted(real_of(a), real_of(b))) == 8 ? Dtype::complex128 : Dtype::complex64;
  }
  if (is_integer(b)) return promoted(b, a);
  if (!is_integer(a)) return size_of(a) == size_of(b) ? Dtype::float32 : size_of(a) > size_of(b) ? a : b;
  // An integer of one byte fits a float of two, one of two bytes a float of four, all others need eight.
  const std::int64_t needed = size_of(a) <= 2 ? 2 * size_of(a) : 8;
  return needed <= size_of(b) ? b : float_of_size(needed);
}

Dtype stepping_type(Reduction step, Dtype a, Dtype promoted_type) {
  if (!is_integer(a) || !is_integer(promoted_type) || a == promoted_type) return promoted_type;
  if (properties_of(step, compare_in(a), a).keeps_low_bits) return a;
  return dtype_info(promoted_type).kind == DtypeKind::signed_integer ? Dtype::int64 : Dtype::uint64;
}

FoldCompare compare_in(Dtype dtype) {
  if (dtype_info(dtype).kind == DtypeKind::complex) return FoldCompare::lexical;
  return dtype_info(dtype).kind == DtypeKind::floating && dtype != Dtype::float16 ? FoldCompare::propagate_late : FoldCompare::propagate;
}

Scalar scalar_of(const Number& number) {
  return std::visit([](auto value) { return as_scalar(value); }, number);
}

Scalar cast(const Scalar& scalar, Dtype dtype) {
  Scalar result{dtype, {}};
  apply_elementwise(cast_kernel(scalar.dtype, dtype), {}, result.bytes, {}, scalar.bytes, {});
  return result;
}

Tensor cast(const ConstTensorRef& from, Dtype dtype) {
  Tensor to(dtype, from.shape);
  apply_elementwise(cast_kernel(from.dtype, dtype), to.shape(), static_cast<std::byte*>(to.data()),
                    byte_strides(dense_strides(to.shape()), dtype), static_cast<const std::byte*>(from.data),
                    byte_strides(from.strides, from.dtype));
  return to;
}

Scalar assigned(const Check& check, const Number& number, Dtype dtype) { return std::visit(Assigned(check, dtype), number); }

}  // namespace strew::internal::numpy
