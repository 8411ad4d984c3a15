// The array libraries that results are returned to, and the properties of their arrays.
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
  const char* maker;                            // module and function that convert a result to an array
  bool wants_capsule = false;  // the maker takes the DLPack capsule: it accepts nothing else, or the exporting object is slower
  bool buffers_only = false;  // its DLPack supports no further types, and may end the process for an unsupported one
  bool immutable = false;  // its arrays must never be written
  // Gradients, where the library records them on its arrays.
  const char* gradient = nullptr;  // attribute: whether an array takes part in a gradient
  bool gradient_when = true;  // the value of that attribute if it does
  DtypeSet no_gradient = {};  // dtypes that never take part
  const char* recording = nullptr;  // module and function: whether gradients are being recorded
  struct {
    const char *module = nullptr, *function = nullptr;
  } watching = {};  // whether a gradient tape watches one of a list of arrays
  const char* recorder = nullptr;               // the module with the operators of its dialect that tapes record
  const char* read = nullptr;                   // module and function that read its variables, where tapes watch those
  const char* variables[2] = {};                // a method that identifies variables: its own, and those of libraries built on it
  const char* changed = nullptr;  // module and function to call after an array was written
  const char* changed_several = nullptr;  // the same for a tuple of arrays, if it exists: faster, but not a public interface
  const char* modes = nullptr;  // module and function: the number of the caller's functions that intercept reading arrays
  const char* bridge = nullptr;   // the function in Python that takes over calls that gradients take part in
  const char* tracing = nullptr;  // module and function: whether operations are being traced, and values taken for constants
  const char* forward = nullptr;  // its module of forward-mode gradients, which leave no mark on arrays
  const char* is_gone = nullptr;  // method: whether the memory of an array was freed
  const char* inference = nullptr;  // module and function: whether arrays made for inference may be written
  bool narrows = false;  // it may store 64-bit types as 32-bit ones
  DtypeSet ambiguous = {};  // dtypes as which it also exports memory of other types: those of fewer bits, and quantized ones
  // Where the memory of an array is an object that can shrink while arrays refer to it: the method that returns it, its class, and the
  // method of that class that returns its address. Its length is its number of bytes.
  struct Storage {
    const char *of = nullptr, *type = nullptr, *address = nullptr;
  } storage = {};
  // Lazy operations on an array, conjugation and negation: the methods that report one as pending and that apply it.
  struct Promise {
    const char* is_made = nullptr;
    const char* keep = nullptr;
    DtypeSet dtypes = {};  // of the arrays that support it
  };
  Promise promises[2] = {};
};

// The library of an array, by its type; null for other objects.
const Library* library_of(PyObject* object);
const Library& numpy_library();

// Passes a call on to the function in Python of its library that takes over calls which gradients take part in: an operator, and its
// arguments by name. Py_NotImplemented if the library has no such function, or the function has no part in this call.
[[nodiscard]] nb::object call_bridge(const Library& library, PyObject* op, const nb::object& arguments);

// Whether its type is already known as a library's array type. Cheap.
bool is_plain_array(PyObject* object);

// The exchange functions of an array's type; null if it has none, or overrides how its memory is exported.
const dlpack::ExchangeApi* exchange_of(PyObject* object);

// Returns a result as an array of a library; as a NumPy array if `library` is null.
nb::object hand_over(const Library* library, Tensor result);

// Whether the library of an array marks it as part of a gradient; empty for objects that are not of a library's own type.
struct Marked {
  const Library* library;
  bool is_marked, is_recorded;  // recorded: and its library records gradients now
};
[[nodiscard]] std::optional<Marked> marked(PyObject* object);

// Whether a result computed from the array would need a gradient; `paused` if the library is not recording gradients now.
enum class Gradient { none, paused, recorded };
[[nodiscard]] Gradient gradient_of(const Library& library, PyObject* array, bool is_free = false);  // free: known not to be marked

// Returns the array with pending lazy operations applied; itself if none is pending. The query is slow, less so if the dtype is known.
[[nodiscard]] nb::object with_promises_kept(const Library& library, PyObject* array, std::optional<Dtype> dtype);

// The storage object of an array; an invalid object if its library has none.
[[nodiscard]] nb::object storage_of(const Library& library, PyObject* array);
// The memory that a storage object currently has. Runs no code of the caller.
[[nodiscard]] ndarray::Owner extent_of_storage(const Library& library, const nb::object& storage);

// Whether the dtype of an array differs from the one that its memory is exported as.
[[nodiscard]] bool is_other_dtype(const Library& library, PyObject* array, Dtype said);

// Whether the library of an array currently forbids writing to it.
[[nodiscard]] bool is_frozen(const Library& library, PyObject* array);

// Whether reading an array of the library's own type runs none of the caller's code, except for what Python runs on garbage collection.
[[nodiscard]] bool is_quiet(const Library& library);

// Whether the library is tracing a program now: what is computed without its knowledge becomes a constant.
[[nodiscard]] bool is_traced(const Library& library);

// Notifies a library that one of its arrays was written.
void tell_changed(const Library& library, PyObject* array);

// The attribute at the end of "module.function".
nb::object import_function(const char* path);

// An interned string that lives until the process ends.
PyObject* interned(const char* text);

// Initialises the names of the attributes. Must be called once, before any other function here.
void intern_library_names();

}  // namespace strew::python
