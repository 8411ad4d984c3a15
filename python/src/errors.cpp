// Hands errors to strew._errors, which knows the class of each code.
#include "errors.h"

#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include "lock.h"

namespace strew::python {
namespace {

// A word of the caller's may stand in the sentence, and need not be whole UTF-8 after it was cut.
nb::object text(const char* message) {
  return checked(PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::string_view(message).size()), "replace"));
}

nb::object position_of(const BadIndex& bad) {
  nb::list position;
  for (const std::int64_t at : bad.position) position.append(at);
  return nb::tuple(position);
}

void set(std::string_view code, const char* message, const BadIndex* bad) {
  const nb::object details =
      bad == nullptr ? nb::none() : nb::object(nb::make_tuple(bad->value, position_of(*bad), bad->axis, bad->extent, bad->count));
  const nb::object error = nb::module_::import_("strew._errors").attr("make")(nb::str(code.data(), code.size()), text(message), details);
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
    set(name(error.code()), error.what(), error.bad_index() ? &*error.bad_index() : nullptr);
  } catch (const ArrayError& error) {
    set("array", error.what(), nullptr);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::bad_cast&) {
    PyErr_Clear();  // from the conversion
    set("array", "an argument describes itself with values of the wrong type", nullptr);
  } catch (const std::exception& error) {
    set("array", error.what(), nullptr);
  }
}

}  // namespace

void set_python_error() noexcept {
  if (std::current_exception() == nullptr) stop_thread();  // what is handled is no exception: Python ends the thread
  try {
    outliving_interpreter([] { translate(); });
  } catch (nb::python_error& error) {
    error.restore();  // from making the exception itself
  } catch (...) {
    PyErr_NoMemory();  // nothing else can happen on the way
  }
}

void throw_with_cause(nb::python_error& raised, const std::string& where) {
  if (!raised.matches(PyExc_Exception) || raised.matches(PyExc_MemoryError)) throw raised;
  const nb::module_ errors = nb::module_::import_("strew._errors");
  if (raised.matches(errors.attr("Error"))) throw raised;
  const nb::object error = errors.attr("caused")(text(where.c_str()), exception_of(raised));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

PyObject* refuse_to_construct(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "objects of this type are made by Strew itself");
  return nullptr;
}

}  // namespace strew::python
