// Errors of the core and of the binding, as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <stdexcept>
#include <string>

#include "strew/error.h"

namespace strew::python {

namespace nb = nanobind;

// An array that cannot be used as it is: read-only, on another device, part of a gradient.
struct ArrayError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Makes the C++ exception that is being handled the current Python error.
void set_python_error() noexcept;

// Throws what the code of a caller or of a library raised inside of a call as an Error of Strew's, with the original as its cause.
// Errors of Strew's, MemoryError and what is no Exception, such as KeyboardInterrupt, stay as they are.
[[noreturn]] void throw_with_cause(nb::python_error& raised, const std::string& where);

// A new reference, or the Python error that stands for it.
inline nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

// Prepares what makes errors; once, before anything else.
void learn_errors();

// The constructor of types whose objects only Strew makes.
PyObject* refuse_to_construct(PyTypeObject* type, PyObject* arguments, PyObject* keywords);

}  // namespace strew::python
