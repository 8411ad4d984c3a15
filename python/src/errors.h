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

// An array that cannot be used: read-only, on another device, part of a gradient.
struct ArrayError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Makes the C++ exception that is being handled the current Python error.
void set_python_error() noexcept;

// Rethrows an exception that code of the caller or of a library raised during a call as an Error of Strew, with the original as its
// cause. Errors of Strew, MemoryError and exceptions that are not an Exception, such as KeyboardInterrupt, are rethrown unchanged.
[[noreturn]] void throw_with_cause(nb::python_error& raised, const std::string& where);

// Takes ownership of a new reference; throws the current Python error if it is null.
inline nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

// Imports the classes of the errors. Must be called once, before any other function here.
void learn_errors();

// The constructor of types that only Strew instantiates.
PyObject* refuse_to_construct(PyTypeObject* type, PyObject* arguments, PyObject* keywords);

}  // namespace strew::python
