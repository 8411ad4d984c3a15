// Elements of all dtypes as decimals and back. The 16-bit floats have their own slow conversion here, by arithmetic on
// doubles, so that the product's is not its own judge.
#include "harness/elements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace strew::harness {
using namespace internal;
namespace {

// Exponent and mantissa bits of a 16-bit float.
struct Format {
  int exponent_bits, mantissa_bits;
};
Format format_of(Dtype dtype) { return dtype == Dtype::float16 ? Format{5, 10} : Format{8, 7}; }

double load_narrow(Dtype dtype, std::uint16_t bits) {
  const Format f = format_of(dtype);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const int exponent = (bits >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  const int mantissa = bits & ((1 << f.mantissa_bits) - 1);
  double value;
  if (exponent == (1 << f.exponent_bits) - 1) {
    value = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - bias - f.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1 << f.mantissa_bits), exponent - bias - f.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

std::uint16_t store_narrow(Dtype dtype, double value) {
  const Format f = format_of(dtype);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto special = static_cast<std::uint16_t>(((1 << f.exponent_bits) - 1) << f.mantissa_bits);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | special | (1 << (f.mantissa_bits - 1)));
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | special);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent with m in [0.5, 1)
  // The unit in the last place, no finer than that of the smallest normal number; nearbyint rounds to even.
  const int unit = std::max(exponent - 1 - f.mantissa_bits, 1 - bias - f.mantissa_bits);
  const double units = std::nearbyint(std::ldexp(magnitude, -unit));
  // Counting units from the smallest number is what the bits do: a carry goes into the exponent by itself.
  const auto binade = static_cast<std::int64_t>(unit - (1 - bias - f.mantissa_bits));
  const std::int64_t bits = static_cast<std::int64_t>(units) + (binade << f.mantissa_bits);
  return static_cast<std::uint16_t>(sign | std::min<std::int64_t>(bits, special));
}

std::string shortest(double value) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string shortest(float value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  double read = 0;
  std::from_chars(digits, end.ptr, read);
  // Readers go through a double; where that would round twice, the exact value is printed.
  return static_cast<float>(read) == value ? std::string(digits, end.ptr) : shortest(static_cast<double>(value));
}

// JSON tells floats from integers by the point.
std::string with_point(std::string digits) { return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits; }

}  // namespace

double load_real(Dtype dtype, const std::byte* part) {
  switch (dtype) {
    case Dtype::float16:
    case Dtype::bfloat16: return load_narrow(dtype, load_as<std::uint16_t>(part));
    case Dtype::float32:
    case Dtype::complex64: return static_cast<double>(load_as<float>(part));
    default: return load_as<double>(part);
  }
}

void store_real(Dtype dtype, std::byte* part, double value) {
  switch (dtype) {
    case Dtype::float16:
    case Dtype::bfloat16: store_as(part, store_narrow(dtype, value)); return;
    case Dtype::float32:
    case Dtype::complex64: store_as(part, static_cast<float>(value)); return;
    default: store_as(part, value);
  }
}

bool is_nan(Dtype dtype, const std::byte* part) {
  const DtypeKind kind = dtype_info(dtype).kind;
  return (kind == DtypeKind::floating || kind == DtypeKind::complex) && std::isnan(load_real(dtype, part));
}

void store_integer(Dtype dtype, std::byte* element, std::uint64_t value) {
  std::memcpy(element, &value, static_cast<std::size_t>(size_of(dtype)));
}

std::int64_t load_integer(Dtype dtype, const std::byte* element) {
  switch (dtype) {
    case Dtype::bool_: return load_as<std::uint8_t>(element) != 0;
    case Dtype::int8: return load_as<std::int8_t>(element);
    case Dtype::int16: return load_as<std::int16_t>(element);
    case Dtype::int32: return load_as<std::int32_t>(element);
    case Dtype::uint8: return load_as<std::uint8_t>(element);
    case Dtype::uint16: return load_as<std::uint16_t>(element);
    case Dtype::uint32: return load_as<std::uint32_t>(element);
    default: return load_as<std::int64_t>(element);
  }
}

std::string real_text(Dtype dtype, const std::byte* part) {
  const double value = load_real(dtype, part);
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  const bool single = dtype == Dtype::float32 || dtype == Dtype::complex64;
  return with_point(single ? shortest(static_cast<float>(value)) : shortest(value));
}

std::string element_text(const Buffer& buffer, std::int64_t i) {
  const Dtype dtype = buffer.dtype;
  if (dtype == Dtype::string) return cat("\"", buffer.strings[static_cast<std::size_t>(i)], "\"");
  const std::byte* const at = buffer.bytes.data() + i * size_of(dtype);
  switch (dtype_info(dtype).kind) {
    case DtypeKind::boolean: return load_integer(dtype, at) != 0 ? "true" : "false";
    case DtypeKind::signed_integer: return cat(load_integer(dtype, at));
    case DtypeKind::unsigned_integer: return cat(static_cast<std::uint64_t>(load_integer(dtype, at)));
    case DtypeKind::complex: return cat("[", real_text(dtype, at), ",", real_text(dtype, at + size_of(dtype) / 2), "]");
    default: return real_text(dtype, at);
  }
}

}  // namespace strew::harness
