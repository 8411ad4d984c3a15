// Text from C++ to Python and back.
#pragma once

#include "errors.h"

namespace strew::python {

inline nb::object text(std::string_view view) { return nb::str(view.data(), view.size()); }

inline std::string type_name(PyObject* object) {
  return nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("__name__"));
}

}  // namespace strew::python
