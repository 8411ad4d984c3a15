// Follows memoryviews, classes with a __buffer__ in Python, and parts of ctypes objects.
#include "exporters.h"

#include <atomic>

namespace strew::python {
namespace {

// The object that a memoryview exports; null if it was released.
PyObject* shown_by(PyObject* view) {
#ifdef Py_LIMITED_API
  const nb::object below = attribute_or_none(view, "obj");
  return below.is_none() ? nullptr : below.ptr();  // borrowed: the view keeps it alive
#else
  // Every call with an array that Strew has made comes here.
  const auto& shown = *reinterpret_cast<const PyMemoryViewObject*>(view);
  const bool is_released = (shown.flags & _Py_MEMORYVIEW_RELEASED) != 0 || (shown.mbuf->flags & _Py_MANAGED_BUFFER_RELEASED) != 0;
  return is_released ? nullptr : shown.view.obj;
#endif
}

// From Python 3.12 on a class may define __buffer__ in Python, which returns a memoryview. All such classes have the same function in their
// slot, and the exporter of the buffer is an object of an internal type that refers to the memoryview. Null before 3.12.
struct {
  getbufferproc function = nullptr;
  PyTypeObject* exporter = nullptr;
  traverseproc traverse = nullptr;  // of the exporter
} in_python;

// The memoryview that a __buffer__ defined in Python returned; null for other exporters.
PyObject* memoryview_in(PyObject* exporter) {
  if (Py_TYPE(exporter) != in_python.exporter || in_python.traverse == nullptr) return nullptr;
  PyObject* view = nullptr;
  const auto visit = [](PyObject* referred, void* found) {
    if (PyMemoryView_Check(referred) != 0) *static_cast<PyObject**>(found) = referred;
    return 0;
  };
  in_python.traverse(exporter, visit, &view);
  return view;
}

// The function by which objects of a class and its subclasses export memory.
getbufferproc buffer_function_of(PyTypeObject* type) {
#ifdef Py_LIMITED_API
  return reinterpret_cast<getbufferproc>(PyType_GetSlot(type, Py_bf_getbuffer));
#else
  return type->tp_as_buffer == nullptr ? nullptr : type->tp_as_buffer->bf_getbuffer;
#endif
}
PyTypeObject* base_of(PyTypeObject* type) {
#ifdef Py_LIMITED_API
  return static_cast<PyTypeObject*>(PyType_GetSlot(type, Py_tp_base));
#else
  return type->tp_base;
#endif
}

descrgetfunc get_function_of(PyTypeObject* descriptor) {
#ifdef Py_LIMITED_API
  return reinterpret_cast<descrgetfunc>(PyType_GetSlot(descriptor, Py_tp_descr_get));
#else
  return descriptor->tp_descr_get;
#endif
}

// The class that all types of ctypes derive from; null until ctypes is imported.
std::atomic<PyTypeObject*> ctypes_class = nullptr;
PyTypeObject* find_ctypes_class() {
  if (PyTypeObject* const known = ctypes_class.load(std::memory_order_relaxed)) return known;
  const nb::object ctypes = imported("_ctypes");
  if (ctypes.is_none()) return nullptr;
  const nb::object simple = attribute_or_none(ctypes.ptr(), "_SimpleCData");
  if (PyType_Check(simple.ptr()) == 0) return nullptr;
  PyTypeObject* const found = base_of(reinterpret_cast<PyTypeObject*>(simple.ptr()));
  if (found == nullptr) return nullptr;  // not the module that it should be
  Py_INCREF(reinterpret_cast<PyObject*>(found));  // never released
  ctypes_class.store(found, std::memory_order_relaxed);
  return found;
}

// The ctypes object that an element or a field belongs to; null for others. Reads the member of ctypes itself, which a class may hide.
PyObject* whole_of(PyObject* part) {
  PyObject* const type = reinterpret_cast<PyObject*>(find_ctypes_class());
  if (type == nullptr) return nullptr;
  const nb::object member = attribute_or_none(type, "_b_base_");
  if (Py_TYPE(member.ptr()) != &PyMemberDescr_Type) return nullptr;  // not that of ctypes
  const descrgetfunc get = get_function_of(Py_TYPE(member.ptr()));
  if (get == nullptr) return nullptr;
  const nb::object whole = nb::steal(get(member.ptr(), part, type));
  if (!whole.is_valid()) forget_error();
  return !whole.is_valid() || whole.is_none() ? nullptr : whole.ptr();  // borrowed: the part keeps it alive
}

}  // namespace

void learn_exporters() {
#if PY_VERSION_HEX >= 0x030C0000
  // A class whose __buffer__(flags) is the [flags] of a list; the simplest flags are 0.
  const nb::object none = checked(PyBytes_FromStringAndSize(nullptr, 0)), view = checked(PyMemoryView_FromObject(none.ptr()));
  const nb::object views = list_of({&view, 1});
  const nb::object type = checked(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){sO}", "WithBuffer", "__buffer__",
                                                        attribute(views.ptr(), "__getitem__").ptr()));
  const nb::object object = call(type.ptr(), {});
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_SIMPLE) != 0) throw nb::python_error();
  in_python.function = buffer_function_of(Py_TYPE(object.ptr()));
  in_python.exporter = Py_TYPE(buffer.obj);
  in_python.traverse = reinterpret_cast<traverseproc>(PyType_GetSlot(in_python.exporter, Py_tp_traverse));
  Py_INCREF(reinterpret_cast<PyObject*>(in_python.exporter));  // never released
  PyBuffer_Release(&buffer);
#endif
}

PyObject* root_of(PyObject* exporter) {
  while (exporter != nullptr) {
    PyObject* const view = PyMemoryView_Check(exporter) != 0 ? exporter : memoryview_in(exporter);
    if (view == nullptr) break;
    exporter = shown_by(view);
  }
  if (exporter == nullptr || !is_resizable(exporter)) return exporter;
  while (PyObject* const whole = whole_of(exporter)) exporter = whole;
  return exporter;
}

bool is_resizable(PyObject* object) {
  PyTypeObject* const type = find_ctypes_class();
  return type != nullptr && PyType_IsSubtype(Py_TYPE(object), type) != 0;
}

getbufferproc buffer_function_of_c(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  while (type != nullptr && in_python.function != nullptr && buffer_function_of(type) == in_python.function) type = base_of(type);
  return type == nullptr ? nullptr : buffer_function_of(type);
}

}  // namespace strew::python
