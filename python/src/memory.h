// Memory of a result, owned by a Python object: it has the buffer protocol and both generations of DLPack.
#pragma once

#include "errors.h"
#include "strew/tensor.h"

namespace strew::python {

void add_memory_type(nb::module_& module);

// Returns a Python object that takes ownership of the tensor.
nb::object make_memory(Tensor tensor);

}  // namespace strew::python
