// Element types under the names of the buffer protocol, of DLPack and of NumPy.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "dlpack.h"
#include "strew/dtype.h"

namespace strew::python {

// The buffer protocol has no bfloat16: its memory goes out as 16-bit integers.
[[nodiscard]] const char* format_of(Dtype dtype);
[[nodiscard]] dlpack::DataType dlpack_type_of(Dtype dtype);

// An element in the memory of somebody else, who may have its bytes in the other order.
struct Element {
  Dtype dtype;
  bool is_swapped = false;
  bool operator==(const Element&) const = default;
};

// Nothing for a type that Strew does not know.
[[nodiscard]] std::optional<Element> element_of_format(const char* format, std::int64_t size);
// Turns the bytes of each number around.
void swap_bytes(std::span<std::byte> memory, Dtype dtype);

[[nodiscard]] std::optional<Dtype> dtype_of_dlpack(dlpack::DataType type);
[[nodiscard]] std::optional<Dtype> dtype_of_numpy(int type_number);

}  // namespace strew::python
