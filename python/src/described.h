// The op of a call as plain Python data, for strew.dask, which runs it in parts.
#pragma once

#include "callable.h"

namespace strew::python {

// Checks a call except for its indices, and describes its op as a dict without memory. Tensors of the op are views of the arguments: the
// number of the argument, an offset and strides in elements, where dimension d of an argument has the stride d + 1, and those of an array
// that is written in place are dense. python/strew/dask/_op.py reads it.
[[nodiscard]] nb::object described(const Callable& callable, const SmallVector<Argument, 8>& arguments);

}  // namespace strew::python
