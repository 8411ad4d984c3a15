// NumPy's arrays, seen without asking them: their struct lies in memory as NumPy's C interface fixes it (versions 1 and 2).
#pragma once

#include <optional>

#include "dlpack.h"
#include "errors.h"
#include "strew/tensor.h"

namespace strew::python::ndarray {

// Remembers numpy.ndarray, if this is it and this NumPy lays its arrays out as is known here.
void learn(PyTypeObject* type);
// Remembers the type of this array's scalars as that of bfloat16, which is another package's.
void learn_bfloat16(PyObject* object);

// Whether it is of the class itself, not of one that inherits from it.
[[nodiscard]] bool is_plain(PyObject* object);
[[nodiscard]] bool holds_numbers(PyObject* object);  // and is plain: of a type that Strew knows, not of the other byte order
// Whether it is of the class or of one that inherits from it.
[[nodiscard]] bool is_array(PyObject* object);

// Views the memory of a numpy.ndarray, subclasses included, and says whether it may be written. Runs no code of anybody's. False for
// all other objects, and for arrays that only the buffer protocol can explain: of other types than numbers, of the other byte order,
// between elements.
[[nodiscard]] bool view(PyObject* object, ConstTensorRef& view, bool& writable);

// What an array's memory belongs to; null if that is its own. Borrowed.
[[nodiscard]] PyObject* base_of(PyObject* array);

// The memory of an array, or of the one that it is a view of; nothing for other objects. Who resizes the owner changes it.
struct Owner {
  std::uintptr_t begin, end;
  bool operator==(const Owner&) const = default;
};
[[nodiscard]] std::optional<Owner> owner_of(PyObject* object);
[[nodiscard]] Owner extent_of(const Py_buffer& buffer);
// Whether all memory that a view shows is there.
[[nodiscard]] bool is_within(const Owner& owner, const ConstTensorRef& view);
// Whether an array, or the one that it is a view of, has the memory that a view shows.
[[nodiscard]] bool owns(PyObject* array, const ConstTensorRef& view);

// The array whose memory a DLPack tensor of NumPy's shows; null for those of others.
[[nodiscard]] PyObject* array_of(const dlpack::Managed& managed);
[[nodiscard]] PyObject* array_of(const dlpack::ManagedVersioned& managed);

}  // namespace strew::python::ndarray
