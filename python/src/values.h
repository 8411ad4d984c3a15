// Arguments that are no arrays: numbers, words, shapes.
#pragma once

#include "array.h"

namespace strew::python {

// The number that a Python or NumPy number is; nothing for other objects. A NumPy number has a dtype, which is lost here.
[[nodiscard]] std::optional<Number> number_from(PyObject* object, const Place& place);
// The number that an array of rank 0 holds, where one may stand for a number; nothing for other objects.
[[nodiscard]] std::optional<Number> element_from(PyObject* object, const Place& place);
// Something that NumPy makes an array of: a list, a tuple, a range, a number or text. Bytes are text, whatever memory they show.
[[nodiscard]] bool is_literal(PyObject* object);
[[nodiscard]] bool is_numpy_number(PyObject* object);
[[nodiscard]] bool is_large_integer(PyObject* object);  // of more than 64 bits with its sign

[[nodiscard]] std::int64_t integer_from(PyObject* object, const Place& place);
[[nodiscard]] bool boolean_from(PyObject* object, const Place& place);
[[nodiscard]] std::string word_from(PyObject* object, const Place& place);
// By its name, or as a library's object with that name.
[[nodiscard]] Dtype dtype_from(PyObject* object, const Place& place);
[[nodiscard]] Dims shape_from(PyObject* object, const Place& place);
[[nodiscard]] std::int64_t threads_from(PyObject* object, const Place& place);  // at least 1

}  // namespace strew::python
