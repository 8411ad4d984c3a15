// The array libraries that Strew hands results to, and how each wants its arrays treated.
#pragma once

#include <optional>

#include "dlpack.h"
#include "errors.h"
#include "ndarray.h"
#include "strew/tensor.h"

namespace strew::python {

struct Library {
  const char* name;  // as its user imports it
  const char* home;  // the first part of `__module__` of its array types
  const char* type;  // the name of its array type
  const char* maker;                            // module and function that take a result
  bool wants_capsule = false;  // the maker takes the DLPack capsule itself: only that, or more quickly than the object that makes one
  bool buffers_only = false;  // its DLPack knows no more types, and may end the process on one that it does not know
  bool immutable = false;  // nobody may write into its arrays
  // Gradients, where the library records them on its arrays.
  const char* gradient = nullptr;  // the attribute that says whether an array takes part
  bool gradient_when = true;  // its value when it does
  DtypeSet no_gradient = {};  // what never takes part
  const char* recording = nullptr;  // module and function that say whether anything is recorded now
  struct {
    const char *module = nullptr, *function = nullptr;
  } watching = {};  // what says whether anything watches one of a list of arrays
  const char* read = nullptr;                   // module and function that read its variables, where those are watched
  const char* variables[2] = {};                // a method that variables have: its own ones, and those of libraries above it
  const char* changed = nullptr;  // module and function to be told after an array was written
  const char* changed_several = nullptr;  // the same for a tuple of arrays, if there is such a function: quicker, but no interface
  const char* modes = nullptr;  // module and function that count the caller's functions that take part in reading arrays
  const char* forward = nullptr;  // its module of forward-mode gradients, which mark no array
  const char* is_gone = nullptr;  // the method that says whether the memory of an array was given back
  const char* inference = nullptr;  // module and function that say whether arrays made for inference may be changed
  bool narrows = false;  // it may hold 64-bit types as 32-bit ones
  DtypeSet ambiguous = {};  // what it also shows the memory of other types as: those of fewer bits, and quantized ones
  // The memory of an array is an object that can be made smaller though arrays show it: the method that gives it, its class, and the
  // method of that class that says where it begins. Its length is its number of bytes.
  struct Storage {
    const char *of = nullptr, *type = nullptr, *address = nullptr;
  } storage = {};
  // What an array may only promise to be, conjugated or negated: the methods that ask for it and that do it.
  struct Promise {
    const char* is_made = nullptr;
    const char* keep = nullptr;
    DtypeSet dtypes = {};  // of the arrays that can make it
  };
  Promise promises[2] = {};
};

// The library of an array, by its type; null for all others.
const Library* library_of(PyObject* object);
const Library& numpy_library();

// Whether it is of a type that was seen to be a library's array type. Costs next to nothing.
bool is_plain_array(PyObject* object);

// The exchange functions of an array's type; null if it has none, or shows its memory in a way of its own.
const dlpack::ExchangeApi* exchange_of(PyObject* object);

// What a library's maker is called with, and what comes of it.
nb::object hand_over(const Library* library, Tensor result);

// Whether a result that is computed from the array now would have to have a gradient; `paused` if the library records none now.
enum class Gradient { none, paused, recorded };
[[nodiscard]] Gradient gradient_of(const Library& library, PyObject* array);

// What an array is once every promise is kept: itself, if it made none. Asking costs, less where its dtype is known.
[[nodiscard]] nb::object with_promises_kept(const Library& library, PyObject* array, std::optional<Dtype> dtype);

// The object that has the memory of an array; an invalid one if its library has none.
[[nodiscard]] nb::object storage_of(const Library& library, PyObject* array);
// The memory that it has now. Runs no code of the caller's.
[[nodiscard]] ndarray::Owner extent_of_storage(const Library& library, const nb::object& storage);

// Whether the library means another type than the one that it shows the memory as.
[[nodiscard]] bool is_other_dtype(const Library& library, PyObject* array, Dtype said);

// Whether the library of an array forbids changing it now.
[[nodiscard]] bool is_frozen(const Library& library, PyObject* array);

// Whether reading an array of the library's own type runs none of the caller's code now, but for what Python runs whenever memory is
// collected.
[[nodiscard]] bool is_quiet(const Library& library);

// Tells a library that one of its arrays was written.
void tell_changed(const Library& library, PyObject* array);

// The attribute at the end of "module.function".
nb::object import_function(const char* path);

// A text that is compared and looked up often, to be kept for good.
PyObject* interned(const char* text);

// Prepares the names by which arrays are asked; once, before anything else.
void intern_library_names();

}  // namespace strew::python
