// The limit on threads. Calls run on one so far; the limit is kept so that programs need not change.
#include "threads.h"

#include <atomic>

#include "base/text.h"

namespace strew::python {
namespace {

std::atomic<std::int64_t> limit = 1;

std::int64_t checked_count(std::int64_t count) {
  if (count < 1) throw Error(ErrorCode::word, cat("threads must be at least 1, got ", count));
  return count;
}

}  // namespace

std::int64_t get_threads() { return limit; }
void set_threads(std::int64_t count) { limit = checked_count(count); }

void check_threads(PyObject* object) {
  const nb::object index = nb::steal(PyBool_Check(object) ? nullptr : PyNumber_Index(object));
  if (!index.is_valid()) {
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    throw Error(ErrorCode::dtype, "threads must be an integer");
  }
  int overflow = 0;
  const long long count = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow > 0) throw Error(ErrorCode::word, "threads must fit 64 bits");
  checked_count(overflow < 0 ? 0 : count);
}

}  // namespace strew::python
