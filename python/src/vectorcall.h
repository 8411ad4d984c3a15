// The fast calling convention of C types, under the names that each version of Python has for it.
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

// Says where an object has its function.
constexpr PyMemberDef vectorcall_member(std::size_t offset) {
  return {"__vectorcalloffset__", size_member, static_cast<Py_ssize_t>(offset), read_only_member, nullptr};
}

}  // namespace strew::python
