// Loops over points and the rows of their places.
#include "kernels/picks.h"

#include <array>
#include <cstring>

#include "kernels/types.h"

namespace strew::internal {
namespace {

using Differentiable = Types<Half, Bfloat16, float, double, std::complex<float>, std::complex<double>>;

// Elements: whether a point stays is as good as random, so nothing branches on it.
template <class U>
void pick_elements(const PickBlock& b, const std::int32_t* last, const std::byte* from, std::byte* to) {
  const auto* const values = reinterpret_cast<const U*>(from);
  for (std::int64_t i = 0; i < b.points; ++i) {
    const std::int64_t place = b.places[i], number = b.first + i, near = place < 0 ? 0 : place;
    const bool stays = (place >= 0) & (last[near] == static_cast<std::int32_t>(number + 1));
    store(to + number * static_cast<std::int64_t>(sizeof(U)), static_cast<U>(values[near] & (U{0} - U{stays})));
  }
}

template <class T>
bool count_ties(const TieBlock& b) {
  const auto *const values = reinterpret_cast<const T*>(b.values), *const results = reinterpret_cast<const T*>(b.results);
  bool nan = false;
  for (std::int64_t i = 0; i < b.points.points; ++i) {
    const std::int64_t place = b.points.places[i], row = b.points.row;
    if (place < b.low || place >= b.high) continue;
    const T* const value = values + (b.points.first + i) * row;
    const T* const result = results + place * row;
    std::int32_t* __restrict const counts = b.counts + place * row;
    std::int32_t nans = 0;
    for (std::int64_t j = b.begin; j < b.end; ++j) {
      const auto x = Computing<T>::widen(value[j]), y = Computing<T>::widen(result[j]);
      counts[j] += x == y ? 1 : 0;
      nans |= static_cast<std::int32_t>(x != x) | static_cast<std::int32_t>(y != y);
    }
    nan |= nans != 0;
  }
  return nan;
}

// The unsigned integers that an element consists of.
template <class T>
using bits_t = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

// *to = *from if `flag`, else 0, without a branch
template <class T>
void store_if(bool flag, std::byte* to, const T* from) {
  using Bits = bits_t<T>;
  std::array<Bits, sizeof(T) / sizeof(Bits)> bits;
  std::memcpy(bits.data(), from, sizeof(T));
  for (Bits& part : bits) part = static_cast<Bits>(part & (Bits{0} - Bits{flag}));
  std::memcpy(to, bits.data(), sizeof(T));
}

template <class T>
void pick_tied_elements(const PickBlock& b, const T* values, const T* results, const T* parts, std::byte* to) {
  for (std::int64_t i = 0; i < b.points; ++i) {
    const std::int64_t place = b.places[i], near = place < 0 ? 0 : place, number = b.first + i;
    const bool ties = Computing<T>::widen(values[number]) == Computing<T>::widen(results[near]);
    store_if((place >= 0) & ties, to + number * static_cast<std::int64_t>(sizeof(T)), parts + near);
  }
}

template <class T>
void pick_ties(const PickBlock& b, const std::byte* values_from, const std::byte* results_from, const std::byte* parts_from,
               std::byte* to) {
  const auto *const values = reinterpret_cast<const T*>(values_from), *const results = reinterpret_cast<const T*>(results_from),
                    *const parts = reinterpret_cast<const T*>(parts_from);
  if (b.row == 1) return pick_tied_elements(b, values, results, parts, to);
  for (std::int64_t i = 0; i < b.points; ++i) {
    const std::int64_t place = b.places[i], at = (b.first + i) * b.row;
    T* __restrict const row = reinterpret_cast<T*>(to) + at;
    if (place < 0) {
      for (std::int64_t j = 0; j < b.row; ++j) row[j] = T{};
      continue;
    }
    const T *const value = values + at, *const result = results + place * b.row, *const part = parts + place * b.row;
    for (std::int64_t j = 0; j < b.row; ++j) {
      const bool ties = Computing<T>::widen(value[j]) == Computing<T>::widen(result[j]);
      const T share = part[j];
      row[j] = ties ? share : T{};
    }
  }
}

}  // namespace

void note_last(const PickBlock& b, std::int32_t* last, std::int64_t low, std::int64_t high) {
  for (std::int64_t i = 0; i < b.points; ++i) {
    if (b.places[i] >= low && b.places[i] < high) last[b.places[i]] = static_cast<std::int32_t>(b.first + i + 1);
  }
}

void pick_last(const PickBlock& b, const std::int32_t* last, const std::byte* from, std::byte* to, std::int64_t bytes) {
  if (b.row == 1 && bytes == 4) return pick_elements<std::uint32_t>(b, last, from, to);
  if (b.row == 1 && bytes == 8) return pick_elements<std::uint64_t>(b, last, from, to);
  const std::int64_t row_bytes = b.row * bytes;
  for (std::int64_t i = 0; i < b.points; ++i) {
    const std::int64_t place = b.places[i], number = b.first + i;
    std::byte* const row = to + number * row_bytes;
    if (place >= 0 && last[place] == static_cast<std::int32_t>(number + 1)) {
      std::memcpy(row, from + place * row_bytes, static_cast<std::size_t>(row_bytes));
    } else {
      std::memset(row, 0, static_cast<std::size_t>(row_bytes));
    }
  }
}

CountTies count_ties_kernel(Dtype dtype) {
  CountTies kernel = nullptr;
  visit_dtype(Differentiable{}, dtype, [&]<class T>(Tag<T>) { kernel = &count_ties<T>; });
  return kernel;
}

PickTies pick_ties_kernel(Dtype dtype) {
  PickTies kernel = nullptr;
  visit_dtype(Differentiable{}, dtype, [&]<class T>(Tag<T>) { kernel = &pick_ties<T>; });
  return kernel;
}

}  // namespace strew::internal
