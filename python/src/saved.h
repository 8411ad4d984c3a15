// Converts plans to plain Python objects for pickle, and back.
#pragma once

#include "call.h"

namespace strew::python {

// Returns the arguments of restore_plan() for a plan.
[[nodiscard]] nb::object saved(const Callable& function, const Planned& planned);

// Makes a plan from such arguments. They are not trusted: everything is validated like the arguments and the indices of a call.
[[nodiscard]] nb::object restore_plan(std::span<PyObject* const> saved);

}  // namespace strew::python
