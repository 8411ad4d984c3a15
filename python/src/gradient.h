// The functions of strew._core that differentiate calls of operators.
#pragma once

#include "errors.h"

namespace strew::python {

void add_gradient_functions(nb::module_& module);

}  // namespace strew::python
