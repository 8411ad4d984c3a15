// What a caller would write between the brackets of a[...], as the numpy dialect takes it.
#pragma once

#include "array.h"

namespace strew::python {

// The arrays of the key are kept in `arrays`.
[[nodiscard]] IndexKey key_from(PyObject* object, Arrays& arrays, const Place& place);
// Views its arrays once more: code of the caller's that ran meanwhile may have moved them.
void see_again(IndexKey& key, PyObject* object, Arrays& arrays, const Place& place);

}  // namespace strew::python
