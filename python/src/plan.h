// strew.Plan: the prepared indices of a scatter, a callable that takes updates.
#pragma once

#include "call.h"

namespace strew::python {

void add_plan_type(nb::module_& module);
[[nodiscard]] nb::object make_plan(const Callable& function, const Slots& slots);
[[nodiscard]] nb::object plan_object(const Callable& function, Planned planned);

}  // namespace strew::python
