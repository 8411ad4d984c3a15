// Shared by the types defined in C: the vectorcall convention, under the names of each version of Python, weak references and getters.
#pragma once

#include "errors.h"

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#endif

namespace strew::python {

#if PY_VERSION_HEX < 0x030C0000
inline constexpr unsigned int vectorcall_flag = _Py_TPFLAGS_HAVE_VECTORCALL;
inline constexpr int size_member = T_PYSSIZET, read_only_member = READONLY;
#else
inline constexpr unsigned int vectorcall_flag = Py_TPFLAGS_HAVE_VECTORCALL;
inline constexpr int size_member = Py_T_PYSSIZET, read_only_member = Py_READONLY;
#endif

// The type's member that holds the offset of the vectorcall function.
constexpr PyMemberDef vectorcall_member(std::size_t offset) {
  return {"__vectorcalloffset__", size_member, static_cast<Py_ssize_t>(offset), read_only_member, nullptr};
}

// The type's member that holds the offset of the list of weak references.
constexpr PyMemberDef weak_references_member(std::size_t offset) {
  return {"__weaklistoffset__", size_member, static_cast<Py_ssize_t>(offset), read_only_member, nullptr};
}

// Runs a getter of a C type and converts exceptions to Python errors.
template <class Self, nb::object (*get)(const Self&)>
PyObject* getter_of(PyObject* object, void*) {
  try {
    return get(*reinterpret_cast<const Self*>(object)).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

}  // namespace strew::python
