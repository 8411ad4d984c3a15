// How many threads a call was told to use.
#pragma once

#include <cstdint>

#include "errors.h"

namespace strew::python {

// The number of threads that an object is; throws unless it is at least 1.
[[nodiscard]] std::int64_t threads_from(PyObject* object);

}  // namespace strew::python
