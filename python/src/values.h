// Converts arguments that are not arrays: numbers, words, shapes.
#pragma once

#include "array.h"

namespace strew::python {

// The value of a Python or NumPy number; empty for other objects. The dtype of a NumPy number is dropped.
[[nodiscard]] std::optional<Number> number_from(PyObject* object, const ArgumentName& name);
// The element of an array of rank 0, where an argument accepts one as a number; empty for other objects.
[[nodiscard]] std::optional<Number> element_from(PyObject* object, const ArgumentName& name);
// Whether NumPy converts the object to an array: a list, a tuple, a range, a number or text. Bytes count as text, not as a buffer.
[[nodiscard]] bool is_literal(PyObject* object);
[[nodiscard]] bool is_numpy_number(PyObject* object);

[[nodiscard]] std::int64_t integer_from(PyObject* object, const ArgumentName& name);
[[nodiscard]] bool boolean_from(PyObject* object, const ArgumentName& name);
[[nodiscard]] std::string word_from(PyObject* object, const ArgumentName& name);
// Reads a dtype from its name, or from an object of a library that has that name.
[[nodiscard]] Dtype dtype_from(PyObject* object, const ArgumentName& name);
[[nodiscard]] Dims shape_from(PyObject* object, const ArgumentName& name);
[[nodiscard]] std::int64_t threads_from(PyObject* object, const ArgumentName& name);  // at least 1

}  // namespace strew::python
