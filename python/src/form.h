// The functions of strew._core that describe calls whose arrays have no values yet.
#pragma once

#include "errors.h"

namespace strew::python {

void add_form_functions(nb::module_& module);

}  // namespace strew::python
