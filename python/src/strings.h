// Strings cross between Python and C++ by copy.
#pragma once

#include "array.h"

namespace strew::python {

// From an array of str, bytes, StringDType or Python objects.
[[nodiscard]] Tensor strings_from(PyObject* object, const Place& place);

// Puts strings back into the array that they came from.
void store_strings(PyObject* into, const Tensor& strings, const Place& place);

// An array of the kind that `like` is.
[[nodiscard]] nb::object strings_to(PyObject* like, const Tensor& strings);

}  // namespace strew::python
