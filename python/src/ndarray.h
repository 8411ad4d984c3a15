// Reads NumPy arrays directly from their struct, whose layout NumPy's C API fixes (versions 1 and 2).
#pragma once

#include <optional>

#include "dlpack.h"
#include "errors.h"
#include "strew/tensor.h"

namespace strew::python::ndarray {

// Stores the type numpy.ndarray if `type` is it and this version of NumPy has a known struct layout.
void learn(PyTypeObject* type);
// Stores the type of this array's scalars as that of bfloat16, which another package defines.
void learn_bfloat16(PyObject* object);

// Whether its type is numpy.ndarray itself, not a subclass.
[[nodiscard]] bool is_plain(PyObject* object);
[[nodiscard]] bool holds_numbers(PyObject* object);  // and is plain: of a type that Strew knows, not of the other byte order
// Whether its type is numpy.ndarray or a subclass.
[[nodiscard]] bool is_array(PyObject* object);

// Views the memory of a numpy.ndarray or an instance of a subclass, and reports whether it is writable. Runs no Python code. Returns false
// for other objects, and for arrays that need the buffer protocol: with elements that are not numbers, in non-native byte order, or with
// strides that are not multiples of the element size.
[[nodiscard]] bool view(PyObject* object, ConstTensorRef& view, bool& writable);

// The object that owns an array's memory; null if the array owns it. Borrowed.
[[nodiscard]] PyObject* base_of(PyObject* array);

// The memory of an array, or of the array or the ctypes object that it is a view of, also through memoryviews; empty for objects whose
// memory cannot move while they are held. Resizing the owner changes it.
struct Owner {
  std::uintptr_t begin, end;
  bool operator==(const Owner&) const = default;
};
[[nodiscard]] std::optional<Owner> owner_of(PyObject* object);
[[nodiscard]] Owner extent_of(const Py_buffer& buffer);
// Whether all memory of a view still exists.
[[nodiscard]] bool is_within(const Owner& owner, const ConstTensorRef& view);
// Whether an array, or the array that it is a view of, contains the memory of a view.
[[nodiscard]] bool owns(PyObject* array, const ConstTensorRef& view);

// The array behind a DLPack tensor that NumPy made; null for tensors of other libraries.
[[nodiscard]] PyObject* array_of(const dlpack::Managed& managed);
[[nodiscard]] PyObject* array_of(const dlpack::ManagedVersioned& managed);

}  // namespace strew::python::ndarray
