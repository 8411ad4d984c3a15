// Element types in kernels: lists of types, unaligned loads and stores, and the type that arithmetic uses.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "strew/dtype.h"

namespace strew::internal {

// A list of types.
template <class... T>
struct Types {};

// A type as a value, for generic lambdas.
template <class T>
struct Tag {
  using type = T;
};

// Calls visit(Tag<T>) for the T of the list with this dtype; does nothing if there is none.
template <class... T, class Visit>
void visit_dtype(Types<T...>, Dtype dtype, Visit visit) {
  ((dtype_of<T> == dtype ? visit(Tag<T>{}) : void()), ...);
}

using Integers = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using Floats = Types<float, double>;
using Halves = Types<Half, Bfloat16>;
using Complexes = Types<std::complex<float>, std::complex<double>>;
using Numbers = Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                      std::uint64_t, Half, Bfloat16, float, double, std::complex<float>, std::complex<double>>;

// Whether a list contains a type, or the type with this dtype.
template <class One, class... T>
constexpr bool is_one_of(Types<T...>) {
  return (std::same_as<One, T> || ...);
}
template <class... T>
constexpr bool is_one_of(Types<T...>, Dtype dtype) {
  return ((dtype_of<T> == dtype) || ...);
}

template <class T>
concept HalfLike = is_one_of<T>(Halves{});
template <class T>
concept ComplexLike = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

// The unsigned integer type of `bytes` bytes.
template <std::size_t bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> : Tag<std::uint8_t> {};
template <>
struct UnsignedOf<2> : Tag<std::uint16_t> {};
template <>
struct UnsignedOf<4> : Tag<std::uint32_t> {};
template <>
struct UnsignedOf<8> : Tag<std::uint64_t> {};
template <std::size_t bytes>
using unsigned_t = typename UnsignedOf<bytes>::type;

// The caller's memory may be unaligned, and a bool in it may be any byte: nonzero is true.
template <class T>
T load(const std::byte* at) {
  if constexpr (std::same_as<T, bool>) {
    return *at != std::byte{0};
  } else {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
}
template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// The type that arithmetic uses: 16-bit floats are computed in float and rounded afterwards.
template <class T>
struct Computing {
  using type = T;
  static T widen(T x) { return x; }
  static T narrow(T x) { return x; }
};
template <>
struct Computing<Half> {
  using type = float;
  static float widen(Half x) { return to_float(x); }
  static Half narrow(float x) { return to_half(x); }
};
template <>
struct Computing<Bfloat16> {
  using type = float;
  static float widen(Bfloat16 x) { return to_float(x); }
  static Bfloat16 narrow(float x) { return to_bfloat16(x); }
};
template <class T>
using computing_t = typename Computing<T>::type;

}  // namespace strew::internal
