// Runs parts of an op that strew.dask cuts: private functions of strew._core, in terms of the op as data (described.h).
#pragma once

#include "callable.h"

namespace strew::python {

// The functions, for PyModule_AddFunctions(); python/strew/_core.pyi documents them.
[[nodiscard]] PyMethodDef* part_functions();

}  // namespace strew::python
