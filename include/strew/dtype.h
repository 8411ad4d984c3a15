// The element types: their table, sets of them, and the mapping from C++ types.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>

#include "strew/error.h"
#include "strew/half.h"

namespace strew::inline v0 {

// The type of the elements of a tensor.
enum class Dtype : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  string,
};

// The family of an element type.
enum class DtypeKind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex, text };

// A row of the table of element types.
struct DtypeInfo {
  Dtype dtype;
  std::string_view name;
  std::int64_t size;  // bytes of one element
  DtypeKind kind;
};

// All element types, in the order of the enumerators.
inline constexpr DtypeInfo dtypes[] = {
    {Dtype::bool_, "bool", 1, DtypeKind::boolean},
    {Dtype::int8, "int8", 1, DtypeKind::signed_integer},
    {Dtype::int16, "int16", 2, DtypeKind::signed_integer},
    {Dtype::int32, "int32", 4, DtypeKind::signed_integer},
    {Dtype::int64, "int64", 8, DtypeKind::signed_integer},
    {Dtype::uint8, "uint8", 1, DtypeKind::unsigned_integer},
    {Dtype::uint16, "uint16", 2, DtypeKind::unsigned_integer},
    {Dtype::uint32, "uint32", 4, DtypeKind::unsigned_integer},
    {Dtype::uint64, "uint64", 8, DtypeKind::unsigned_integer},
    {Dtype::float16, "float16", 2, DtypeKind::floating},
    {Dtype::bfloat16, "bfloat16", 2, DtypeKind::floating},
    {Dtype::float32, "float32", 4, DtypeKind::floating},
    {Dtype::float64, "float64", 8, DtypeKind::floating},
    {Dtype::complex64, "complex64", 8, DtypeKind::complex},
    {Dtype::complex128, "complex128", 16, DtypeKind::complex},
    {Dtype::string, "string", sizeof(std::string), DtypeKind::text},
};

// The row of a type. This and the next three functions throw an Error of code `dtype` for a value that is not an enumerator.
constexpr const DtypeInfo& dtype_info(Dtype dtype) {
  if (dtype > Dtype::string) detail::throw_unnamed(ErrorCode::dtype, "dtype", static_cast<int>(dtype));
  return dtypes[static_cast<std::size_t>(dtype)];
}
// The name, such as "float32".
constexpr std::string_view to_string(Dtype dtype) { return dtype_info(dtype).name; }
// Bytes of one element.
constexpr std::int64_t size_of(Dtype dtype) { return dtype_info(dtype).size; }
// Whether it is a signed or unsigned integer; bool is not.
constexpr bool is_integer(Dtype dtype) {
  return dtype_info(dtype).kind == DtypeKind::signed_integer || dtype_info(dtype).kind == DtypeKind::unsigned_integer;
}

// A set of element types, such as those that an argument accepts.
class DtypeSet {
 public:
  constexpr DtypeSet() = default;
  template <class... D>
  constexpr explicit DtypeSet(D... d) : bits_((bit(d) | ... | 0u)) {}
  // Whether the set contains a type.
  [[nodiscard]] constexpr bool has(Dtype dtype) const { return (bits_ & bit(dtype)) != 0; }
  // Union and difference.
  constexpr DtypeSet operator|(DtypeSet other) const { return from(bits_ | other.bits_); }
  constexpr DtypeSet operator-(DtypeSet other) const { return from(bits_ & ~other.bits_); }
  constexpr bool operator==(const DtypeSet&) const = default;

 private:
  // A value that is not an enumerator is in no set.
  static constexpr std::uint32_t bit(Dtype dtype) { return dtype > Dtype::string ? 0u : 1u << static_cast<unsigned>(dtype); }
  static constexpr DtypeSet from(std::uint32_t bits) {
    DtypeSet set;
    set.bits_ = bits;
    return set;
  }
  std::uint32_t bits_ = 0;
};

// The element types of a kind.
constexpr DtypeSet of_kind(DtypeKind kind) {
  DtypeSet set;
  for (const DtypeInfo& row : dtypes) {
    if (row.kind == kind) set = set | DtypeSet(row.dtype);
  }
  return set;
}
// Signed and unsigned integers; all but strings; those with an order, all but complex numbers and strings; all.
inline constexpr DtypeSet integer_dtypes = of_kind(DtypeKind::signed_integer) | of_kind(DtypeKind::unsigned_integer);
inline constexpr DtypeSet number_dtypes =
    of_kind(DtypeKind::boolean) | integer_dtypes | of_kind(DtypeKind::floating) | of_kind(DtypeKind::complex);
inline constexpr DtypeSet ordered_dtypes = number_dtypes - of_kind(DtypeKind::complex);
inline constexpr DtypeSet all_dtypes = number_dtypes | of_kind(DtypeKind::text);

// Maps a C++ type to its Dtype. Undefined for types that are not element types. Integers of the same size and sign map to the same Dtype.
template <class T>
struct DtypeOf;
template <>
struct DtypeOf<bool> {
  static constexpr Dtype value = Dtype::bool_;
};
template <>
struct DtypeOf<Half> {
  static constexpr Dtype value = Dtype::float16;
};
template <>
struct DtypeOf<Bfloat16> {
  static constexpr Dtype value = Dtype::bfloat16;
};
// The compiler's own 16-bit floats, where it has them: std::float16_t and std::bfloat16_t are the same types. Only their bit patterns are
// used.
namespace detail {
#ifdef __FLT16_MANT_DIG__
__extension__ typedef _Float16 NativeHalf;
#else
struct NativeHalf;
#endif
#ifdef __BFLT16_MANT_DIG__
__extension__ typedef __bf16 NativeBfloat16;
#else
struct NativeBfloat16;
#endif
}  // namespace detail
template <>
struct DtypeOf<detail::NativeHalf> : DtypeOf<Half> {};
template <>
struct DtypeOf<detail::NativeBfloat16> : DtypeOf<Bfloat16> {};
template <>
struct DtypeOf<float> {
  static constexpr Dtype value = Dtype::float32;
};
template <>
struct DtypeOf<double> {
  static constexpr Dtype value = Dtype::float64;
};
template <>
struct DtypeOf<std::complex<float>> {
  static constexpr Dtype value = Dtype::complex64;
};
template <>
struct DtypeOf<std::complex<double>> {
  static constexpr Dtype value = Dtype::complex128;
};
template <>
struct DtypeOf<std::string> {
  static constexpr Dtype value = Dtype::string;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct DtypeOf<T> {
  static constexpr Dtype value = std::is_signed_v<T> ? (sizeof(T) == 1   ? Dtype::int8
                                                        : sizeof(T) == 2 ? Dtype::int16
                                                        : sizeof(T) == 4 ? Dtype::int32
                                                                         : Dtype::int64)
                                                     : (sizeof(T) == 1   ? Dtype::uint8
                                                        : sizeof(T) == 2 ? Dtype::uint16
                                                        : sizeof(T) == 4 ? Dtype::uint32
                                                                         : Dtype::uint64);
};

// A C++ type that can be the element of a tensor.
template <class T>
concept Element = requires { DtypeOf<std::remove_cv_t<T>>::value; };
// The Dtype of an element type.
template <Element T>
inline constexpr Dtype dtype_of = DtypeOf<std::remove_cv_t<T>>::value;

}  // namespace strew::inline v0
