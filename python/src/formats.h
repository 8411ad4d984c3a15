// Element types under the names of the buffer protocol, of DLPack and of NumPy.
#pragma once

#include <optional>

#include "dlpack.h"
#include "strew/dtype.h"

namespace strew::python {

// The buffer protocol has no bfloat16: its memory goes out as 16-bit integers.
[[nodiscard]] const char* format_of(Dtype dtype);
[[nodiscard]] dlpack::DataType dlpack_type_of(Dtype dtype);

// Nothing for a type that Strew does not know, among them every type of the other byte order.
[[nodiscard]] std::optional<Dtype> dtype_of_format(const char* format, std::int64_t size);
[[nodiscard]] std::optional<Dtype> dtype_of_dlpack(dlpack::DataType type);
[[nodiscard]] std::optional<Dtype> dtype_of_numpy(int type_number);

}  // namespace strew::python
