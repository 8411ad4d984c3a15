// NumPy's arrays, seen without asking them: their struct lies in memory as NumPy's C interface fixes it (versions 1 and 2).
#pragma once

#include "errors.h"
#include "strew/tensor.h"

namespace strew::python::ndarray {

// Remembers numpy.ndarray, if this NumPy lays its arrays out as is known here.
void learn(PyTypeObject* type);
// Remembers the type of this array's scalars as that of bfloat16, which is another package's.
void learn_bfloat16(PyObject* object);

// Views the memory of a numpy.ndarray, and says whether it may be written. False for all other objects, and for arrays that
// only the buffer protocol can explain: of other types than numbers, of the other byte order, between elements.
[[nodiscard]] bool view(PyObject* object, ConstTensorRef& view, bool& writable);

}  // namespace strew::python::ndarray
