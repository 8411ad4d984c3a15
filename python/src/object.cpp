// Wrappers of functions of Python's C API that check for failure.
#include "object.h"

#include <algorithm>

#include "lock.h"

namespace strew::python {
namespace {

void put(PyObject* tuple, std::size_t at, PyObject* item) {
  Py_INCREF(item);
  PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(at), item);  // cannot fail: the tuple is new
}

// Null with a Python error if there is no such attribute. Interned names are found in the attribute caches of types.
PyObject* find(PyObject* object, const char* name) {
  return foreign<&PyObject_GetAttr>(object, checked(PyUnicode_InternFromString(name)).ptr());
}

}  // namespace

nb::object text(std::string_view view) { return checked(PyUnicode_FromStringAndSize(view.data(), static_cast<Py_ssize_t>(view.size()))); }

nb::object integer(std::int64_t value) { return checked(PyLong_FromLongLong(value)); }

nb::object tuple_of(std::span<const nb::object> items) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  for (std::size_t i = 0; i < items.size(); ++i) put(tuple.ptr(), i, items[i].ptr());
  return tuple;
}
nb::object tuple_of(std::initializer_list<nb::object> items) { return tuple_of(std::span(items.begin(), items.size())); }
nb::object tuple_of(const Dims& sizes) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(sizes.size())));
  for (std::size_t i = 0; i < sizes.size(); ++i) put(tuple.ptr(), i, integer(sizes[i]).ptr());
  return tuple;
}

nb::object list_of(std::span<const nb::object> items) {
  nb::object list = checked(PyList_New(0));
  for (const nb::object& item : items) append(list.ptr(), item);
  return list;
}
void append(PyObject* list, const nb::object& item) {
  if (PyList_Append(list, item.ptr()) != 0) throw nb::python_error();
}

std::string_view utf8_of(PyObject* string) {
  Py_ssize_t size = 0;
  const char* const characters = PyUnicode_AsUTF8AndSize(string, &size);
  if (characters == nullptr) throw nb::python_error();
  return {characters, static_cast<std::size_t>(size)};
}

bool is_grave(const nb::python_error& error) { return !error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError); }

void forget_error() {
  if (PyErr_Occurred() == nullptr) return;
  const nb::python_error error;
  if (is_grave(error)) throw error;
}

nb::object attribute(PyObject* object, const char* name) { return checked(find(object, name)); }

nb::object attribute_or_none(PyObject* object, const char* name) {
  nb::object found = nb::steal(find(object, name));
  if (found.is_valid()) return found;
  forget_error();
  return nb::none();
}

bool has(PyObject* object, const char* name) {
  const nb::object found = nb::steal(find(object, name));
  forget_error();
  return found.is_valid();
}

nb::object call(PyObject* function, std::initializer_list<PyObject*> arguments) {
  return checked(foreign<&PyObject_Vectorcall>(function, arguments.begin(), arguments.size(), static_cast<PyObject*>(nullptr)));
}

nb::object call_method(PyObject* object, const char* name, std::initializer_list<PyObject*> arguments) {
  return call(attribute(object, name).ptr(), arguments);
}

nb::object ask_for_versioned_capsule(PyObject* object) {
  const nb::object version = tuple_of({integer(1), integer(0)}), names = tuple_of({text("max_version")});
  PyObject* const arguments[] = {version.ptr()};
  return checked(foreign<&PyObject_Vectorcall>(attribute(object, "__dlpack__").ptr(), arguments, std::size_t{0}, names.ptr()));
}

nb::object import_module(const char* name) { return checked(foreign<&PyImport_ImportModule>(name)); }

nb::object imported(std::string_view name) {
  nb::object module = nb::steal(PyImport_GetModule(text(name).ptr()));
  if (module.is_valid()) return module;
  forget_error();
  return nb::none();
}

}  // namespace strew::python
