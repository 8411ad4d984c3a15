// Whose memory a buffer shows, at the end of a chain of exporters. Nothing here runs code of the caller.
#pragma once

#include "object.h"

namespace strew::python {

// Must be called once, before any other function here.
void learn_exporters();

// The object at the end of a chain of exporters, which owns the memory that `exporter` shows; null if the chain is broken.
[[nodiscard]] PyObject* root_of(PyObject* exporter);
// Whether ctypes.resize() moves the memory of an object although buffers of it are held.
[[nodiscard]] bool is_resizable(PyObject* object);
// The C function by which an object exports memory, regardless of a __buffer__ that its class defines in Python.
[[nodiscard]] getbufferproc buffer_function_of_c(PyObject* object);

}  // namespace strew::python
