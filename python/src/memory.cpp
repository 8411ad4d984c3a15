// strew._core.Memory: exports a tensor's memory without a copy, and frees it when the last array that views it is destroyed.
#include "memory.h"

#include <array>
#include <memory>
#include <new>

#include "dlpack.h"
#include "formats.h"

namespace strew::python {
namespace {

struct Memory {
  PyObject_HEAD Tensor tensor;
  Dims byte_strides;
};

PyTypeObject* memory_type = nullptr;

Memory* self_of(PyObject* object) { return reinterpret_cast<Memory*>(object); }

void deallocate(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  self_of(object)->tensor.~Tensor();
  self_of(object)->byte_strides.~Dims();
  PyObject_Free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

int get_buffer(PyObject* object, Py_buffer* view, int) {
  Memory* const self = self_of(object);
  const Dtype dtype = self->tensor.dtype();
  view->obj = object;
  view->buf = self->tensor.data();
  view->len = static_cast<Py_ssize_t>(self->tensor.size() * size_of(dtype));
  view->itemsize = static_cast<Py_ssize_t>(size_of(dtype));
  view->readonly = 0;
  view->ndim = static_cast<int>(self->tensor.shape().size());
  view->format = const_cast<char*>(format_of(dtype));
  view->shape = const_cast<Py_ssize_t*>(reinterpret_cast<const Py_ssize_t*>(self->tensor.shape().data()));
  view->strides = reinterpret_cast<Py_ssize_t*>(self->byte_strides.data());
  view->suboffsets = nullptr;
  view->internal = nullptr;
  Py_INCREF(object);
  return 0;
}

// A DLPack tensor, the strides it points to, and the object that it keeps alive.
template <class Managed>
struct Export {
  Managed managed;
  Dims shape, strides;
  PyObject* owner;
};

template <class Managed>
void release(Managed* managed) {
  if (Py_IsInitialized() == 0) return;  // the interpreter has ended: the process is about to free all memory
  const PyGILState_STATE state = PyGILState_Ensure();  // a consumer may release it on any thread
  auto* const exported = static_cast<Export<Managed>*>(managed->context);
  Py_DECREF(exported->owner);
  delete exported;
  PyGILState_Release(state);
}

template <class Managed>
void drop_unused(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;  // a consumer has taken it and will free it
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}
void drop_unversioned(PyObject* capsule) { drop_unused<dlpack::Managed>(capsule, "dltensor"); }
void drop_versioned(PyObject* capsule) { drop_unused<dlpack::ManagedVersioned>(capsule, "dltensor_versioned"); }

template <class Managed>
std::unique_ptr<Export<Managed>> export_of(PyObject* object) {
  Tensor& tensor = self_of(object)->tensor;
  auto exported = std::make_unique<Export<Managed>>();
  exported->shape = tensor.shape();
  exported->strides = dense_strides(tensor.shape());
  exported->owner = object;
  exported->managed.context = exported.get();
  exported->managed.deleter = &release<Managed>;
  exported->managed.tensor = {.data = tensor.data(),
                              .device = {dlpack::cpu, 0},
                              .ndim = static_cast<std::int32_t>(tensor.shape().size()),
                              .dtype = dlpack_type_of(tensor.dtype()),
                              .shape = exported->shape.data(),
                              .strides = exported->strides.data(),
                              .byte_offset = 0};
  return exported;
}

template <class Managed>
PyObject* capsule_of(PyObject* object, std::unique_ptr<Export<Managed>> exported, const char* name, PyCapsule_Destructor drop) {
  PyObject* const capsule = PyCapsule_New(&exported->managed, name, drop);
  if (capsule == nullptr) return nullptr;
  Py_INCREF(object);
  exported.release();
  return capsule;
}

// A consumer that passes max_version supports versioned capsules.
bool knows_versions(PyObject* keywords) {
  PyObject* const version = keywords == nullptr ? nullptr : PyDict_GetItemString(keywords, "max_version");
  if (version == nullptr || version == Py_None) return false;
  PyObject* const major = PyTuple_Check(version) != 0 && PyTuple_Size(version) == 2 ? PyTuple_GetItem(version, 0) : Py_None;
  int overflow = 0;
  if (PyLong_Check(major) != 0) return PyLong_AsLongLongAndOverflow(major, &overflow) >= 1 || overflow > 0;
  PyErr_SetString(PyExc_TypeError, "max_version must be a tuple of two integers");
  throw nb::python_error();
}

PyObject* to_dlpack(PyObject* object, PyObject*, PyObject* keywords) {
  try {
    if (!knows_versions(keywords)) return capsule_of(object, export_of<dlpack::Managed>(object), "dltensor", &drop_unversioned);
    auto exported = export_of<dlpack::ManagedVersioned>(object);
    exported->managed.version = {1, 0};
    exported->managed.flags = 0;
    return capsule_of(object, std::move(exported), "dltensor_versioned", &drop_versioned);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

PyObject* to_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", static_cast<int>(dlpack::cpu), 0); }

PyMethodDef methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&to_dlpack)), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", &to_device, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("Memory of a result.")},
    {Py_tp_new, reinterpret_cast<void*>(&refuse_to_construct)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"strew._core.Memory", sizeof(Memory), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

void add_memory_type(nb::module_& module) {
  const nb::object type = checked(PyType_FromSpec(&spec));
  memory_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  module.attr("Memory") = type;
}

nb::object make_memory(Tensor tensor) {
  if (tensor.dtype() == Dtype::string) throw Error(ErrorCode::dtype, "strings have no memory that other libraries could read");
  Dims byte_strides = dense_strides(tensor.shape());
  for (std::int64_t& stride : byte_strides) stride *= size_of(tensor.dtype());
  Memory* const self = PyObject_New(Memory, memory_type);
  if (self == nullptr) throw nb::python_error();
  ::new (&self->byte_strides) Dims(std::move(byte_strides));
  ::new (&self->tensor) Tensor(std::move(tensor));
  return nb::steal(reinterpret_cast<PyObject*>(self));
}

}  // namespace strew::python
