// strew.Plan: what a scatter has learned about its indices, to be called with updates.
#pragma once

#include "call.h"

namespace strew::python {

void add_plan_type(nb::module_& module);
[[nodiscard]] nb::object make_plan(const Callable& function, const Slots& slots);
[[nodiscard]] nb::object plan_object(const Callable& function, Planned planned);

}  // namespace strew::python
