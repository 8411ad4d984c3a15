// Copies strings between Python and C++.
#pragma once

#include "array.h"

namespace strew::python {

// Copies an array of str, bytes, StringDType or Python objects.
[[nodiscard]] Tensor strings_from(PyObject* object, const ArgumentName& name);

// Writes strings back to the array that they were copied from.
void store_strings(PyObject* into, const Tensor& strings, const ArgumentName& name);

// Returns an array of the same string type as `like`.
[[nodiscard]] nb::object strings_to(PyObject* like, const Tensor& strings);

}  // namespace strew::python
