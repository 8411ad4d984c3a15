// Validates lists before NumPy reads them.
#pragma once

#include "array.h"

namespace strew::python {

// NumPy converts the tensors in a list to numbers without regard to their gradients, or to memory that they no longer have. Throws unless
// each item would be accepted by itself, and for a list that contains itself or too many elements.
void require_readable_items(PyObject* list, const ArgumentName& name);

}  // namespace strew::python
