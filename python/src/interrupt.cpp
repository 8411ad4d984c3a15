// Tests for a pending signal, and calls its handler later.
#include "interrupt.h"

#include <csignal>

#include "lock.h"
#include "object.h"

namespace strew::python {

void stop_if_interrupted(void* unlocked) {
  if (static_cast<Unlocked*>(unlocked)->with_lock([] { return PyOS_InterruptOccurred(); }) != 0) throw Interrupted();
}

void handle_interrupt() {
  const nb::object number = integer(SIGINT), handler = call_method(import_module("signal").ptr(), "getsignal", {number.ptr()});
  PyObject* const frame = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  if (PyCallable_Check(handler.ptr()) != 0) static_cast<void>(call(handler.ptr(), {number.ptr(), frame == nullptr ? Py_None : frame}));
}

}  // namespace strew::python
