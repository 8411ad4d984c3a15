// Text from C++ to Python and back.
#pragma once

#include "object.h"

namespace strew::python {

// The characters of a Python string that a message shows; lone surrogates are no text in C++ and appear as escapes.
std::string shown_text(PyObject* string);
// The same of what str() makes of an object; the name of its type if that raises.
std::string shown(PyObject* object);
// Of an integer. One of many digits is described by its size: writing it out takes quadratic time, and Python may refuse to.
std::string shown_integer(PyObject* integer);

// The name that the type was made with, whatever its metaclass says now.
std::string type_name(PyObject* object);

}  // namespace strew::python
