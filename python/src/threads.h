// How many threads a call may use.
#pragma once

#include <cstdint>

#include "errors.h"

namespace strew::python {

[[nodiscard]] std::int64_t get_threads();
void set_threads(std::int64_t count);

// Throws unless the object is a number of threads.
void check_threads(PyObject* object);

}  // namespace strew::python
