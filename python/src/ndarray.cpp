// The first fields of PyArrayObject and PyArray_Descr, unchanged since NumPy 1.0, and the element size, whose position NumPy 2 changed.
#include "ndarray.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>

#include "exporters.h"
#include "formats.h"
#include "object.h"

namespace strew::python::ndarray {
namespace {

struct Descriptor {
  PyObject_HEAD PyTypeObject* scalar;
  char kind, letter, byte_order, flags;
  int type_number;
};
struct FirstDescriptor : Descriptor {
  int element_bytes;
};
struct SecondDescriptor : Descriptor {
  std::uint64_t more_flags;
  std::int64_t element_bytes;
};
struct Array {
  PyObject_HEAD void* data;
  int rank;
  std::int64_t* shape;
  std::int64_t* strides;  // in bytes
  PyObject* base;
  Descriptor* descriptor;
  unsigned int flags;
};
static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
constexpr unsigned int writable_flag = 0x0400, warns_on_write_flag = 1u << 31;
constexpr int first_of_others = 256;    // the first type number of other packages
constexpr std::size_t class_entry = 2;  // index in NumPy's function table
constexpr unsigned int first_layout = 0x01000009, second_layout = 0x02000000;  // of NumPy 1 and 2

std::atomic<PyTypeObject*> known = nullptr;
std::atomic<unsigned int> known_layout = 0;
std::atomic<PyTypeObject*> bfloat16_scalar = nullptr;

// NumPy numbers the types of other packages in order of registration, so their scalar type identifies them.
std::optional<Dtype> dtype_of_descriptor(const Descriptor& descriptor) {
  if (const auto dtype = dtype_of_numpy(descriptor.type_number)) return dtype;
  const PyTypeObject* const bfloat16 = bfloat16_scalar.load(std::memory_order_relaxed);
  return bfloat16 != nullptr && descriptor.scalar == bfloat16 ? std::optional(Dtype::bfloat16) : std::nullopt;
}

std::optional<Dtype> dtype_of(const Array& array) {
  return array.descriptor->byte_order == '>' ? std::nullopt : dtype_of_descriptor(*array.descriptor);
}

std::int64_t element_bytes(const Descriptor& descriptor) {
  return known_layout.load(std::memory_order_relaxed) == first_layout ? static_cast<const FirstDescriptor&>(descriptor).element_bytes
                                                                      : static_cast<const SecondDescriptor&>(descriptor).element_bytes;
}

// The range of bytes from the first element to the last.
Owner extent_of(const void* data, std::span<const std::int64_t> shape, const std::int64_t* strides, std::int64_t size, std::int64_t unit) {
  Owner extent{reinterpret_cast<std::uintptr_t>(data), reinterpret_cast<std::uintptr_t>(data)};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return {extent.begin, extent.begin};
    const auto reach = static_cast<std::uintptr_t>(shape[d] - 1) * static_cast<std::uintptr_t>(strides[d] * unit);
    (strides[d] < 0 ? extent.begin : extent.end) += reach;
  }
  extent.end += static_cast<std::uintptr_t>(size);
  return extent;
}

// NumPy's DLPack tensors have one deleter per version, and the array as their context. The deleters are read from a tensor of NumPy.
template <class Managed>
std::atomic<void (*)(Managed*)> numpys_deleter = nullptr;

template <class Managed>
void learn_deleter(const char* name, const nb::object& capsule, PyObject* array) {
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0) return;
  const auto* const managed = static_cast<const Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (managed->context == array) numpys_deleter<Managed> = managed->deleter;
}

void learn_deleters() {
  try {
    const nb::object array = call_method(import_module("numpy").ptr(), "empty", {integer(1).ptr()});
    learn_deleter<dlpack::Managed>("dltensor", call_method(array.ptr(), "__dlpack__"), array.ptr());
    learn_deleter<dlpack::ManagedVersioned>("dltensor_versioned", ask_for_versioned_capsule(array.ptr()), array.ptr());
  } catch (const nb::python_error& error) {
    if (is_grave(error)) throw;
    // This NumPy has no DLPack, or only its first version.
  }
}

template <class Managed>
PyObject* exporter_of(const Managed& managed) {
  const auto deleter = numpys_deleter<Managed>.load(std::memory_order_relaxed);
  return deleter != nullptr && managed.deleter == deleter ? static_cast<PyObject*>(managed.context) : nullptr;
}

// NumPy's function table, as extensions compiled against NumPy import it: it has a function that returns the layout version, and the class
// ndarray, because a class of the caller may have the name numpy.ndarray. The module that has the table was renamed in NumPy 2.
bool is_known_in(const char* module, const PyTypeObject* type) {
  const nb::object found = nb::steal(PyImport_ImportModule(module));
  const nb::object capsule = found.is_valid() ? nb::steal(PyObject_GetAttrString(found.ptr(), "_ARRAY_API")) : nb::object();
  void* const table = capsule.is_valid() ? PyCapsule_GetPointer(capsule.ptr(), nullptr) : nullptr;
  forget_error();
  if (table == nullptr || static_cast<void**>(table)[class_entry] != type) return false;
  const unsigned int layout = (*static_cast<unsigned int (**)()>(table))();
  if (layout != first_layout && layout != second_layout) return false;
  known_layout = layout;
  return true;
}

}  // namespace

void learn(PyTypeObject* type) {
  if (is_known_in("numpy._core._multiarray_umath", type) || is_known_in("numpy.core._multiarray_umath", type)) known = type;
  if (known.load() == type) learn_deleters();
}

void learn_bfloat16(PyObject* object) {
  if (!is_array(object)) return;
  Descriptor* const descriptor = reinterpret_cast<const Array*>(object)->descriptor;
  // A subclass of the caller may report any element type.
  const nb::object name = attribute_or_none(reinterpret_cast<PyObject*>(descriptor), "name");
  const bool is_bfloat16 = PyUnicode_Check(name.ptr()) != 0 && PyUnicode_CompareWithASCIIString(name.ptr(), "bfloat16") == 0;
  if (!is_bfloat16 || descriptor->type_number < first_of_others || element_bytes(*descriptor) != size_of(Dtype::bfloat16)) return;
  PyTypeObject *const scalar = descriptor->scalar, *none = nullptr;
  if (bfloat16_scalar.compare_exchange_strong(none, scalar)) Py_INCREF(reinterpret_cast<PyObject*>(scalar));  // never released
}

bool is_plain(PyObject* object) { return Py_TYPE(object) == known.load(std::memory_order_relaxed); }

bool holds_numbers(PyObject* object) { return is_plain(object) && dtype_of(*reinterpret_cast<const Array*>(object)).has_value(); }

bool is_array(PyObject* object) {
  PyTypeObject* const type = known.load(std::memory_order_relaxed);
  return type != nullptr && (Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type) != 0);
}

bool view(PyObject* object, ConstTensorRef& view, bool& writable) {
  if (!is_array(object)) return false;
  const Array& array = *reinterpret_cast<const Array*>(object);
  const auto dtype = dtype_of(array);
  if (!dtype) return false;
  // The size of a number is a power of two, and division is slow.
  const auto size = static_cast<std::uint64_t>(size_of(*dtype));
  const auto rank = static_cast<std::size_t>(array.rank);
  view.shape.clear();
  view.strides.clear();
  for (std::size_t d = 0; d < rank; ++d) {
    view.shape.push_back(array.shape[d]);
    if ((static_cast<std::uint64_t>(array.strides[d]) & (size - 1)) != 0) return false;
    view.strides.push_back(array.strides[d] >> std::countr_zero(size));
  }
  view.data = array.data;
  view.dtype = *dtype;
  writable = (array.flags & (writable_flag | warns_on_write_flag)) == writable_flag;
  return true;
}

PyObject* base_of(PyObject* array) { return reinterpret_cast<const Array*>(array)->base; }

// The memory of an object of ctypes. Releasing its buffer could run code of the caller, and gives nothing back.
static std::optional<Owner> extent_of_exported(PyObject* object) {
  const getbufferproc show = buffer_function_of_c(object);
  Py_buffer buffer;
  if (show == nullptr || show(object, &buffer, PyBUF_STRIDES) != 0) {
    forget_error();
    return std::nullopt;
  }
  const Owner extent = extent_of(buffer);
  Py_XDECREF(buffer.obj);
  return extent;
}

std::optional<Owner> owner_of(PyObject* object) {
  std::optional<Owner> extent;
  while (object != nullptr) {
    if (is_array(object)) {
      const Array& own = *reinterpret_cast<const Array*>(object);
      extent = extent_of(own.data, {own.shape, static_cast<std::size_t>(own.rank)}, own.strides, element_bytes(*own.descriptor), 1);
      object = own.base;
    } else {
      PyObject* const root = root_of(object);
      if (root != nullptr && is_resizable(root)) return extent_of_exported(root);
      object = root != nullptr && is_array(root) ? root : nullptr;
    }
  }
  return extent;
}

Owner extent_of(const Py_buffer& buffer) {
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer.buf);
  if (buffer.strides == nullptr) return {begin, begin + static_cast<std::uintptr_t>(buffer.len)};
  const auto rank = static_cast<std::size_t>(buffer.ndim);
  return extent_of(buffer.buf, {reinterpret_cast<const std::int64_t*>(buffer.shape), rank},
                   reinterpret_cast<const std::int64_t*>(buffer.strides), buffer.itemsize, 1);
}

bool is_within(const Owner& owner, const ConstTensorRef& view) {
  const std::int64_t size = size_of(view.dtype);
  const Owner shown = extent_of(view.data, view.shape, view.strides.data(), size, size);
  return shown.begin == shown.end || (shown.begin >= owner.begin && shown.end <= owner.end);
}

bool owns(PyObject* array, const ConstTensorRef& view) {
  const std::optional<Owner> owner = owner_of(array);
  return owner && is_within(*owner, view);
}

PyObject* array_of(const dlpack::Managed& managed) { return exporter_of(managed); }
PyObject* array_of(const dlpack::ManagedVersioned& managed) { return exporter_of(managed); }

}  // namespace strew::python::ndarray
