// The first fields of PyArrayObject and PyArray_Descr, which have not moved since NumPy 1.0.
#include "ndarray.h"

#include <atomic>
#include <bit>

#include "formats.h"

namespace strew::python::ndarray {
namespace {

struct Descriptor {
  PyObject_HEAD PyTypeObject* scalar;
  char kind, letter, byte_order, flags;
  int type_number;
};
struct Array {
  PyObject_HEAD void* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;  // in bytes
  PyObject* base;
  Descriptor* descriptor;
  unsigned int flags;
};
constexpr unsigned int writable_flag = 0x0400, warns_on_write_flag = 1u << 31;
constexpr unsigned int known_layouts[] = {0x01000009, 0x02000000};

std::atomic<PyTypeObject*> known = nullptr;
std::atomic<PyTypeObject*> bfloat16_scalar = nullptr;

// NumPy numbers the types of other packages as they come, so those are told by the type of their scalars.
std::optional<Dtype> dtype_of_descriptor(const Descriptor& descriptor) {
  if (const auto dtype = dtype_of_numpy(descriptor.type_number)) return dtype;
  const PyTypeObject* const bfloat16 = bfloat16_scalar.load(std::memory_order_relaxed);
  return bfloat16 != nullptr && descriptor.scalar == bfloat16 ? std::optional(Dtype::bfloat16) : std::nullopt;
}

// What every extension that is compiled against NumPy asks first. Where that is found has a new name since version 2.
unsigned int layout_in(const char* module) {
  const nb::object found = nb::steal(PyImport_ImportModule(module));
  const nb::object capsule = found.is_valid() ? nb::steal(PyObject_GetAttrString(found.ptr(), "_ARRAY_API")) : nb::object();
  void* const table = capsule.is_valid() ? PyCapsule_GetPointer(capsule.ptr(), nullptr) : nullptr;
  PyErr_Clear();
  return table == nullptr ? 0 : (*static_cast<unsigned int (**)()>(table))();
}

bool is_known(unsigned int layout) { return layout == known_layouts[0] || layout == known_layouts[1]; }

}  // namespace

void learn(PyTypeObject* type) {
  if (is_known(layout_in("numpy._core._multiarray_umath")) || is_known(layout_in("numpy.core._multiarray_umath"))) known = type;
}

void learn_bfloat16(PyObject* object) {
  if (Py_TYPE(object) != known.load(std::memory_order_relaxed)) return;
  PyTypeObject *const scalar = reinterpret_cast<const Array*>(object)->descriptor->scalar, *none = nullptr;
  if (bfloat16_scalar.compare_exchange_strong(none, scalar)) Py_INCREF(reinterpret_cast<PyObject*>(scalar));  // for good
}

bool view(PyObject* object, ConstTensorRef& view, bool& writable) {
  if (Py_TYPE(object) != known.load(std::memory_order_relaxed)) return false;
  const Array& array = *reinterpret_cast<const Array*>(object);
  const auto dtype = dtype_of_descriptor(*array.descriptor);
  if (!dtype || array.descriptor->byte_order == '>') return false;
  // The size of a number is a power of two, and dividing by it is dear.
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

}  // namespace strew::python::ndarray
