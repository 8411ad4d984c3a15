// A plan as plain Python objects, and the plan that they describe: what pickle stores and sends.
#pragma once

#include "call.h"

namespace strew::python {

// The arguments of restore_plan() for a plan that a function made.
[[nodiscard]] nb::object saved(const Callable& function, const Planned& planned);

// A plan from them, which may be anybody's: all of it is checked as the arguments of a call are, and the places as indices are.
[[nodiscard]] nb::object restore_plan(std::span<PyObject* const> saved);

}  // namespace strew::python
