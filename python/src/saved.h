// Converts plans to plain Python objects for pickle, and back.
#pragma once

#include "call.h"

namespace strew::python {

// Returns the arguments of restore_plan() for a plan.
[[nodiscard]] nb::object saved(const Callable& function, const Planned& planned);

// A plan from them, which may be anybody's: all of it is checked as the arguments of a call are, and the places as indices are.
[[nodiscard]] nb::object restore_plan(std::span<PyObject* const> saved);

}  // namespace strew::python
