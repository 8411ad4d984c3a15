// Compares the elements of two arrays bit by bit.
#pragma once

#include <cstring>
#include <iterator>
#include <type_traits>

namespace strew::harness {

// operator== of vectors of bytes or floats compares one element at a time, which dominates the time of large tests under a sanitizer.
template <class A, class B>
[[nodiscard]] bool same_bits(const A& a, const B& b) {
  using T = std::remove_cvref_t<decltype(*std::data(a))>;
  static_assert(std::is_same_v<T, std::remove_cvref_t<decltype(*std::data(b))>> && std::is_trivially_copyable_v<T>);
  return std::size(a) == std::size(b) && (std::size(a) == 0 || std::memcmp(std::data(a), std::data(b), std::size(a) * sizeof(T)) == 0);
}

}  // namespace strew::harness
