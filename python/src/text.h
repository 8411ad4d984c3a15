// Converts text for error messages.
#pragma once

#include "object.h"

namespace strew::python {

// The characters of a Python string for a message; lone surrogates, which UTF-8 lacks, become escapes.
std::string shown_text(PyObject* string);
// The same for str(object); the name of its type if that raises.
std::string shown(PyObject* object);
// The digits of an integer. A very large one is described by its size: conversion takes quadratic time, and Python may reject it.
std::string shown_integer(PyObject* integer);

// The name that the type was created with, regardless of its metaclass.
std::string type_name(PyObject* object);

}  // namespace strew::python
