// What a caller would write between the brackets of a[...], as the numpy dialect takes it; or columns of indices, which are a part of that.
#pragma once

#include "array.h"

namespace strew::python {

// The arrays of a key, as its parts stand in it; null for the others.
using KeyArrays = SmallVector<Array*, 4>;

// What the key holds is kept in `memory`, and the arrays among it are listed in `arrays`.
[[nodiscard]] IndexKey key_from(PyObject* object, Parameter::Type type, Arrays& memory, KeyArrays& arrays, const Place& place);
// A part that is no array: an integer, a bool, a slice, Ellipsis or None; nothing for others. Does not read an array.
[[nodiscard]] std::optional<numpy::Index> plain_part(PyObject* object, const Place& place);
// Each part of a key, or the object itself if it is no tuple.
template <class See>
void each_part(PyObject* key, See see) {
  if (PyTuple_Check(key) == 0) return see(key);
  for (Py_ssize_t i = 0; i < PyTuple_Size(key); ++i) see(PyTuple_GetItem(key, i));
}
// Whether reading it runs no code of the caller's.
[[nodiscard]] bool is_inert_key(PyObject* object);

}  // namespace strew::python
