// The argument `threads`, which every function has.
#include "threads.h"

#include "base/text.h"

namespace strew::python {

std::int64_t threads_from(PyObject* object) {
  const nb::object index = nb::steal(PyBool_Check(object) ? nullptr : PyNumber_Index(object));
  if (!index.is_valid()) {
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    throw Error(ErrorCode::dtype, "threads must be an integer");
  }
  int overflow = 0;
  const long long count = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow > 0) throw Error(ErrorCode::word, "threads must fit 64 bits");
  if (overflow < 0 || count < 1) throw Error(ErrorCode::word, cat("threads must be at least 1, got ", overflow < 0 ? INT64_MIN : count));
  return count;
}

}  // namespace strew::python
