// Converts a Python index key, as in a[key], to the numpy dialect's Index, or a tuple of index arrays to columns.
#pragma once

#include "array.h"

namespace strew::python {

// The arrays of a key by position; null for parts that are not arrays.
using KeyArrays = SmallVector<Array*, 4>;

// Arrays of the key are kept in `memory` and listed in `arrays`.
[[nodiscard]] IndexKey key_from(PyObject* object, Parameter::Type type, Arrays& memory, KeyArrays& arrays, const ArgumentName& name);
// Converts a part that is not an array: an integer, a bool, a slice, Ellipsis or None; empty for other parts. Does not read an array.
[[nodiscard]] std::optional<numpy::Index> plain_part(PyObject* object, const ArgumentName& name);
// Calls `f` for each part of a tuple, or for the object itself if it is not a tuple.
template <class See>
void each_part(PyObject* key, See see) {
  if (PyTuple_Check(key) == 0) return see(key);
  for (Py_ssize_t i = 0; i < PyTuple_Size(key); ++i) see(PyTuple_GetItem(key, i));
}
// Whether reading the key runs no code of the caller.
[[nodiscard]] bool is_inert_key(PyObject* object);

}  // namespace strew::python
