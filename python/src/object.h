// Queries and creates Python objects, and reports every allocation failure as an error. The binding library's own helpers treat a failure
// as "not found", or end the process.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "errors.h"
#include "strew/tensor.h"

namespace strew::python {

[[nodiscard]] nb::object text(std::string_view view);
[[nodiscard]] nb::object integer(std::int64_t value);
[[nodiscard]] nb::object tuple_of(std::span<const nb::object> items);
[[nodiscard]] nb::object tuple_of(std::initializer_list<nb::object> items);
[[nodiscard]] nb::object tuple_of(const Dims& sizes);
[[nodiscard]] nb::object list_of(std::span<const nb::object> items);
void append(PyObject* list, const nb::object& item);

// The characters of a string, valid while the string lives; throws for lone surrogates, which UTF-8 lacks.
[[nodiscard]] std::string_view utf8_of(PyObject* string);

// Whether a Python error must be reported at once: MemoryError, or an exception that is not an Exception, such as KeyboardInterrupt.
[[nodiscard]] bool is_grave(const nb::python_error& error);
// Clears the current Python error, if any; throws it if it must be reported at once.
void forget_error();

[[nodiscard]] nb::object attribute(PyObject* object, const char* name);
[[nodiscard]] nb::object attribute_or_none(PyObject* object, const char* name);
[[nodiscard]] bool has(PyObject* object, const char* name);

[[nodiscard]] nb::object call(PyObject* function, std::initializer_list<PyObject*> arguments);
nb::object call_method(PyObject* object, const char* name, std::initializer_list<PyObject*> arguments = {});
// object.__dlpack__(max_version=(1, 0))
[[nodiscard]] nb::object ask_for_versioned_capsule(PyObject* object);

[[nodiscard]] nb::object import_module(const char* name);
// The module if it has been imported, else None.
[[nodiscard]] nb::object imported(std::string_view name);

}  // namespace strew::python
