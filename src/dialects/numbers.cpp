// Converts a caller's number to an element type, or rejects it.
#include "dialects/numbers.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace strew::internal {
namespace {

struct Printer {
  std::string operator()(auto value) const { return cat(value); }
  std::string operator()(std::complex<double> value) const { return cat(value.real(), " + ", value.imag(), "j"); }
};

class Converter {
 public:
  Converter(const Check& check, const Number& number, Dtype dtype, Overflow overflow, NumberWords words)
      : check_(check), number_(number), dtype_(dtype), wraps_(overflow == Overflow::wraps), words_(words) {}

  [[nodiscard]] Scalar operator()(bool value) const { return (*this)(static_cast<std::int64_t>(value)); }

  [[nodiscard]] Scalar operator()(std::int64_t value) const {
    switch (dtype_) {
      case Dtype::int8: return integer<std::int8_t>(value);
      case Dtype::int16: return integer<std::int16_t>(value);
      case Dtype::int32: return integer<std::int32_t>(value);
      case Dtype::int64: return scalar(value);
      case Dtype::uint8: return unsigned_integer<std::uint8_t>(value);
      case Dtype::uint16: return unsigned_integer<std::uint16_t>(value);
      case Dtype::uint32: return unsigned_integer<std::uint32_t>(value);
      case Dtype::uint64: return unsigned_integer<std::uint64_t>(value);
      case Dtype::bool_: return scalar(value != 0);
      // Rounded once: an int64 is converted to float32 directly.
      case Dtype::float32: return scalar(static_cast<float>(value));
      default: return (*this)(static_cast<double>(value));
    }
  }

  // Only numbers that no int64 holds.
  [[nodiscard]] Scalar operator()(std::uint64_t value) const {
    if (dtype_ == Dtype::uint64) return scalar(value);
    if (dtype_ == Dtype::float32) return scalar(static_cast<float>(value));
    if (!is_integer(dtype_)) return (*this)(static_cast<double>(value));
    if (!wraps_) overflow();
    return (*this)(static_cast<std::int64_t>(value));
  }

  [[nodiscard]] Scalar operator()(double value) const {
    switch (dtype_) {
      case Dtype::bool_: return scalar(value != 0);
      case Dtype::int8: return truncated<std::int8_t>(value);
      case Dtype::int16: return truncated<std::int16_t>(value);
      case Dtype::int32: return truncated<std::int32_t>(value);
      case Dtype::int64: return truncated<std::int64_t>(value);
      case Dtype::uint8: return truncated<std::uint8_t>(value);
      case Dtype::uint16: return truncated<std::uint16_t>(value);
      case Dtype::uint32: return truncated<std::uint32_t>(value);
      case Dtype::uint64: return truncated<std::uint64_t>(value);
      case Dtype::float16: return scalar(to_half(limited(value, 65504.0)));
      case Dtype::bfloat16: return scalar(to_bfloat16(limited(value, 0x1.fep127)));
      case Dtype::float32: return scalar(limited(value, std::numeric_limits<float>::max()));
      case Dtype::float64: return scalar(value);
      default: return (*this)(std::complex<double>(value));
    }
  }

  [[nodiscard]] Scalar operator()(std::complex<double> value) const {
    if (dtype_ == Dtype::complex128) return scalar(value);
    if (dtype_ == Dtype::complex64) {
      constexpr double largest = std::numeric_limits<float>::max();
      return scalar(std::complex<float>(limited(value.real(), largest), limited(value.imag(), largest)));
    }
    if (dtype_ == Dtype::bool_) return scalar(value != std::complex<double>());
    if (dtype_ == Dtype::string || value.imag() != 0) overflow();
    return (*this)(value.real());
  }

 private:
  [[noreturn]] void overflow() const { check_.fail(ErrorCode::argument, words_(number_, dtype_)); }

  template <class T>
  [[nodiscard]] Scalar scalar(T value) const {
    Scalar result{dtype_, {}};
    std::memcpy(result.bytes, &value, sizeof value);
    return result;
  }
  template <class T>
  [[nodiscard]] Scalar integer(std::int64_t value) const {
    if (!wraps_ && (value < std::numeric_limits<T>::lowest() || value > std::numeric_limits<T>::max())) overflow();
    return scalar(static_cast<T>(value));
  }
  // A negative number wraps if its magnitude fits.
  template <class T>
  [[nodiscard]] Scalar unsigned_integer(std::int64_t value) const {
    const std::uint64_t size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    if (!wraps_ && size > std::numeric_limits<T>::max()) overflow();
    return scalar(static_cast<T>(value));
  }
  template <class T>
  [[nodiscard]] Scalar truncated(double value) const {
    // The largest int64 and uint64 are not doubles; the next power of two is.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const bool fits = value >= static_cast<double>(std::numeric_limits<T>::lowest()) && value < end &&
                      value <= static_cast<double>(std::numeric_limits<T>::max());
    if (!fits) overflow();
    return scalar(static_cast<T>(value));
  }
  [[nodiscard]] float limited(double value, double largest) const {
    if (!wraps_ && std::isfinite(value) && std::abs(value) > largest) overflow();
    return static_cast<float>(value);
  }

  const Check& check_;
  const Number& number_;
  Dtype dtype_;
  bool wraps_;
  NumberWords words_;
};

}  // namespace

std::string text_of(const Number& number) { return std::visit(Printer(), number); }

std::string torch_words(const Number& number, Dtype dtype) {
  return cat("value cannot be converted to type ", to_string(dtype), " without overflow, got ", text_of(number));
}

Scalar to_scalar(const Check& check, const Number& number, Dtype dtype, Overflow overflow, NumberWords words) {
  return std::visit(Converter(check, number, dtype, overflow, words), number);
}

}  // namespace strew::internal
