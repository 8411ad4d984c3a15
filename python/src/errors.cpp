// Hands errors to strew._errors, which knows the class of each code.
#include "errors.h"

#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include "lock.h"
#include "object.h"

namespace strew::python {
namespace {

// Of strew._errors, kept for good: when memory is short is no time to import.
struct {
  PyObject *error = nullptr, *make = nullptr, *caused = nullptr;
} known;

// A word of the caller's may stand in the sentence, and need not be whole UTF-8 after it was cut.
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

// The exception itself: before Python 3.12 an error may still be a class and what to make an object of.
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
  if (std::current_exception() == nullptr) stop_thread();  // what is handled is no exception: Python ends the thread
  try {
    outliving_interpreter([] { translate(); });
  } catch (nb::python_error& error) {
    // From making the exception itself. Python has other words for a frame that it has no memory for.
    if (is_grave(error)) return error.restore();
    PyErr_NoMemory();
  } catch (...) {
    PyErr_NoMemory();  // nothing else can happen on the way
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
