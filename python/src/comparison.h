// strew.compare: the answers of all dialects as Python objects.
#pragma once

#include "errors.h"

namespace strew::python {

// Returns (answers, results, agree, summary, mine) for NumPy arrays: `axis` and `mine` may be None. An answer is (dialect, operator, error,
// reason, picture); an error is (code, message, bad index). `mine` is (sentence, names of dialects that agree, differences by dialect).
[[nodiscard]] nb::object compare_arrays(PyObject* data, PyObject* indices, PyObject* updates, PyObject* axis, PyObject* reduction,
                                        PyObject* mine);

}  // namespace strew::python
