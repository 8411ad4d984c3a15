// Text of the caller, cut to the length that a message allows.
#include "text.h"

#include <algorithm>

#include "base/text.h"
#include "lock.h"

namespace strew::python {
using namespace internal;
namespace {

constexpr Py_ssize_t most_characters = 200;
constexpr std::size_t most_bits = 256;  // of an integer whose digits are printed

nb::object name_of(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030B0000
  return checked(PyType_GetName(type));
#else
  const std::string_view path = type->tp_name;
  return text(path.substr(path.rfind('.') + 1));
#endif
}

}  // namespace

std::string shown_text(PyObject* string) {
  const bool is_cut = PyUnicode_GetLength(string) > most_characters;
  const nb::object some = is_cut ? checked(PyUnicode_Substring(string, 0, most_characters)) : nb::borrow(string);
  const nb::object bytes = checked(PyUnicode_AsEncodedString(some.ptr(), "utf-8", "backslashreplace"));
  const nb::bytes encoded = nb::borrow<nb::bytes>(bytes);
  return cat(std::string_view(encoded.c_str(), encoded.size()), is_cut ? "..." : "");
}

std::string shown(PyObject* object) {
  const nb::object string = nb::steal(foreign<&PyObject_Str>(object));
  if (string.is_valid()) return shown_text(string.ptr());
  forget_error();
  return type_name(object);
}

std::string shown_integer(PyObject* integer) {
  PyObject* const type = reinterpret_cast<PyObject*>(&PyLong_Type);  // a subclass may override its methods
  const auto bits = nb::cast<std::size_t>(call_method(type, "bit_length", {integer}));
  if (bits > most_bits) return cat("an integer of ", bits, " bits");
  return shown_text(call_method(type, "__repr__", {integer}).ptr());
}

std::string type_name(PyObject* object) { return shown_text(name_of(Py_TYPE(object)).ptr()); }

}  // namespace strew::python
