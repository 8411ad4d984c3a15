// Raises errors through strew._errors, which maps codes to classes.
#include "errors.h"

#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include "lock.h"
#include "object.h"

namespace strew::python {
namespace {

// Functions of strew._errors, imported early: an import could fail when memory is short.
struct {
  PyObject *error = nullptr, *make = nullptr, *caused = nullptr;
} known;

// The message may contain text of the caller that was cut within a UTF-8 character.
nb::object sentence(const char* message) {
  return checked(PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::string_view(message).size()), "replace"));
}

void set(std::string_view code, const char* message, const BadIndex* bad) {
  const nb::object details = bad == nullptr ? nb::none()
                                            : tuple_of({integer(bad->value), tuple_of(Dims(bad->position.begin(), bad->position.end())),
                                                        integer(bad->axis), integer(bad->extent), integer(bad->count)});
  const nb::object error = call(known.make, {text(code).ptr(), sentence(message).ptr(), details.ptr()});
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

// The exception object: before Python 3.12 an error may be a class and constructor arguments.
nb::object exception_of(const nb::python_error& raised) {
#if PY_VERSION_HEX >= 0x030C0000
  return nb::borrow(raised.value());
#else
  PyObject *type = raised.type().inc_ref().ptr(), *value = raised.value().inc_ref().ptr(), *traceback = raised.traceback().inc_ref().ptr();
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return nb::steal(value);
#endif
}

void translate() {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const Error& error) {
    set(to_string(error.code()), error.what(), error.bad_index() ? &*error.bad_index() : nullptr);
  } catch (const ArrayError& error) {
    set("array", error.what(), nullptr);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::bad_cast&) {
    forget_error();  // from the conversion
    set("array", "an argument describes itself with values of the wrong type", nullptr);
  } catch (const std::exception& error) {
    forget_error();
    set("array", error.what(), nullptr);
  }
}

}  // namespace

void set_python_error() noexcept {
  if (std::current_exception() == nullptr) stop_thread();  // not a C++ exception: Python is ending the thread
  try {
    outliving_interpreter([] { translate(); });
  } catch (nb::python_error& error) {
    // Creating the exception failed. Python reports a frame that it cannot allocate with a different message.
    if (is_grave(error)) return error.restore();
    PyErr_NoMemory();
  } catch (...) {
    PyErr_NoMemory();  // no other exception is possible here
  }
}

void throw_with_cause(nb::python_error& raised, const std::string& where) {
  if (is_grave(raised) || raised.matches(known.error)) throw raised;
  const nb::object error = nb::steal(PyObject_CallFunctionObjArgs(known.caused, sentence(where.c_str()).ptr(), exception_of(raised).ptr(),
                                                                  static_cast<PyObject*>(nullptr)));
  if (!error.is_valid()) {
    forget_error();
    throw std::bad_alloc();
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void learn_errors() {
  const nb::object errors = import_module("strew._errors");
  known = {attribute(errors.ptr(), "Error").release().ptr(), attribute(errors.ptr(), "make").release().ptr(),
           attribute(errors.ptr(), "caused").release().ptr()};
}

PyObject* refuse_to_construct(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "objects of this type are made by Strew itself");
  return nullptr;
}

}  // namespace strew::python
