// Element types under the names of the buffer protocol, of DLPack and of NumPy.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "dlpack.h"
#include "strew/dtype.h"

namespace strew::python {

// The buffer protocol has no bfloat16, so its memory is exported as 16-bit integers.
[[nodiscard]] const char* format_of(Dtype dtype);
[[nodiscard]] dlpack::DataType dlpack_type_of(Dtype dtype);

// The element type of foreign memory, whose bytes may be in non-native order.
struct Element {
  Dtype dtype;
  bool is_swapped = false;
  bool operator==(const Element&) const = default;
};

// Empty for a type that Strew does not support.
[[nodiscard]] std::optional<Element> element_of_format(const char* format, std::int64_t size);
// Reverses the bytes of each number.
void swap_bytes(std::span<std::byte> memory, Dtype dtype);

[[nodiscard]] std::optional<Dtype> dtype_of_dlpack(dlpack::DataType type);
[[nodiscard]] std::optional<Dtype> dtype_of_numpy(int type_number);

}  // namespace strew::python
