// Lists that NumPy would misread, or not come to an end with.
#pragma once

#include "array.h"

namespace strew::python {

// NumPy makes numbers of the tensors in a list, some without a word about their gradients, or of memory that they no longer have. So throws
// unless each item is one that could be given by itself; and for a list that holds itself, or stands for too many elements.
void require_readable_items(PyObject* list, const Place& place);

}  // namespace strew::python
