// Which argument is which parameter, with the sentences that Python itself uses when they do not fit.
#include "base/text.h"
#include "callable.h"

namespace strew::python {
namespace {

[[noreturn]] void fail(const Callable& callable, const std::string& sentence) {
  PyErr_SetString(PyExc_TypeError, cat(callable.name(), "() ", sentence).c_str());
  throw nb::python_error();
}

// A name may hold anything that a Python string may, and need not be text in C++.
[[noreturn]] void fail(const Callable& callable, const char* about_name, PyObject* name) {
  PyErr_Format(PyExc_TypeError, about_name, callable.name().c_str(), name);
  throw nb::python_error();
}

std::size_t slot_named(const Callable& callable, PyObject* name) {
  // Names in a program's text are interned, so the same name is nearly always the same object.
  for (std::size_t i = 0; i < callable.slots; ++i) {
    if (callable.names[i] == name) return i;
  }
  for (std::size_t i = 0; i < callable.slots; ++i) {
    if (PyUnicode_Compare(callable.names[i], name) == 0) return i;
  }
  fail(callable, "%s() got an unexpected keyword argument '%U'", name);
}

void require_all(const Callable& callable, const Slots& slots) {
  for (std::size_t i = 0; i < callable.parameters(); ++i) {
    const Parameter& parameter = callable.op->parameters[i];
    const bool is_required = !parameter.fallback || parameter.must_be_said;
    if (slots.given[i] == nullptr && is_required) fail(callable, cat("missing required argument: '", parameter.name, "'"));
  }
}

}  // namespace

Slots assign_slots(const Callable& callable, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  Slots slots{};
  if (count > callable.positional) fail(callable, cat("takes ", callable.positional, " positional arguments but ", count, " were given"));
  for (std::size_t i = 0; i < count; ++i) slots.given[i] = arguments[i];
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_Size(keywords);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* const name = PyTuple_GetItem(keywords, k);
    const std::size_t slot = slot_named(callable, name);
    if (slots.given[slot] != nullptr) fail(callable, "%s() got multiple values for argument '%U'", name);
    slots.given[slot] = arguments[count + static_cast<std::size_t>(k)];
  }
  require_all(callable, slots);
  return slots;
}

}  // namespace strew::python
