// The table of array libraries. None of them is imported before one of its arrays is seen.
#include "library.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "lock.h"
#include "memory.h"
#include "ndarray.h"
#include "text.h"

namespace strew::python {
using namespace internal;
namespace {

constexpr Library libraries[] = {
    {.name = "numpy", .home = "numpy", .type = "ndarray", .maker = "numpy.asarray", .buffers_only = true},
    {.name = "torch",
     .home = "torch",
     .type = "Tensor",
     .maker = "torch.from_dlpack",
     .wants_capsule = true,
     .gradient = "requires_grad",
     .no_gradient = of_kind(DtypeKind::boolean) | of_kind(DtypeKind::signed_integer) | of_kind(DtypeKind::unsigned_integer),
     .recording = "torch.is_grad_enabled",
     .changed = "torch.autograd.graph.increment_version",
     .changed_several = "torch._C._increment_version",
     .modes = "torch._C._len_torch_function_stack",
     .bridge = "strew._torch.call",
     .tracing = "strew._torch_functions.is_traced",
     .forward = "torch.autograd.forward_ad",
     .inference = "torch.is_inference_mode_enabled",
     .ambiguous = DtypeSet(Dtype::int8, Dtype::uint8),
     .storage = {"untyped_storage", "torch.UntypedStorage", "data_ptr"},
     .promises = {{"is_conj", "resolve_conj", of_kind(DtypeKind::complex)},
                  {"is_neg", "resolve_neg", of_kind(DtypeKind::complex) | of_kind(DtypeKind::floating)}}},
    {.name = "jax",
     .home = "jaxlib",
     .type = "ArrayImpl",
     .maker = "jax.dlpack.from_dlpack",
     .immutable = true,
     .is_gone = "is_deleted",
     .narrows = true,
     .ambiguous = DtypeSet(Dtype::bool_)},
    {.name = "tensorflow",
     .home = "tensorflow",
     .type = "EagerTensor",
     .maker = "tensorflow.experimental.dlpack.from_dlpack",
     .wants_capsule = true,
     .buffers_only = true,
     .immutable = true,
     .watching = {"tensorflow.python._pywrap_tfe", "TFE_Py_TapeSetPossibleGradientTypes"},
     .recorder = "strew.tf",
     .read = "tensorflow.convert_to_tensor",
     .variables = {"read_value", "__tf_tensor__"},
     .ambiguous = DtypeSet(Dtype::int8, Dtype::int16, Dtype::int32, Dtype::uint8, Dtype::uint16)},
    {.name = "paddle",
     .home = "paddle",
     .type = "Tensor",
     .maker = "paddle.from_dlpack",
     .gradient = "stop_gradient",
     .gradient_when = false,
     .recording = "paddle.is_grad_enabled",
     .changed = "paddle.Tensor._bump_inplace_version",
     .bridge = "strew._paddle.call"},
};

// What was learned about each library from the first array seen of it. Types and functions stay alive for good.
struct Seen {
  std::atomic<PyTypeObject*> type = nullptr;
  std::atomic<const dlpack::ExchangeApi*> exchange = nullptr;
  std::atomic<PyObject*> maker = nullptr, bridge = nullptr, tracing = nullptr, recording = nullptr, changed = nullptr, forward = nullptr,
                         inference = nullptr, watching = nullptr, storage = nullptr, address = nullptr, changed_several = nullptr,
                         modes = nullptr, read = nullptr;
  std::atomic<lenfunc> size = nullptr;  // of a storage
};
Seen seen[std::size(libraries)];

// A method of arrays that every call uses: its name, and the function of the library's own type.
struct Method {
  PyObject* name = nullptr;
  std::atomic<PyObject*> own = nullptr;
};

// Names of attributes and methods of arrays, created with the module.
struct Names {
  PyObject *gradient = nullptr, *level = nullptr;
  Method is_inference, storage, is_made[std::size(Library{}.promises)];
};
Names names[std::size(libraries)];

nb::object call_kept(const Library& library, PyObject* array, Method& method) {
  PyObject* const arguments[] = {array};
  PyTypeObject* const type = Py_TYPE(array);
  if (type != seen[&library - libraries].type.load(std::memory_order_relaxed))
    return checked(foreign<&PyObject_VectorcallMethod>(method.name, arguments, std::size_t{1}, static_cast<PyObject*>(nullptr)));
  PyObject* own = method.own.load(std::memory_order_relaxed);
  if (own == nullptr)
    method.own = own = checked(foreign<&PyObject_GetAttr>(reinterpret_cast<PyObject*>(type), method.name)).release().ptr();
  return checked(foreign<&PyObject_Vectorcall>(own, arguments, std::size_t{1}, static_cast<PyObject*>(nullptr)));
}

// An attribute that is text; empty if it is not there or something else.
std::string text_attribute(PyObject* object, const char* name) {
  const nb::object value = attribute_or_none(object, name);
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_Check(value.ptr()) != 0 ? PyUnicode_AsUTF8AndSize(value.ptr(), &size) : nullptr;
  forget_error();
  return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(size));
}

// Whether a class is a library's own. Any class may claim to be, but only the library's is found under its name in its module.
bool is_at_home(PyObject* type, std::string_view home) {
  const std::string path = text_attribute(type, "__module__");
  if (path.substr(0, path.find('.')) != home) return false;
  return attribute_or_none(imported(path).ptr(), text_attribute(type, "__name__").c_str()).ptr() == type;
}

const dlpack::ExchangeApi* find_exchange(PyTypeObject* type) {
  const nb::object capsule = attribute_or_none(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__");
  if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) return nullptr;
  const auto* api = static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api != nullptr && api->version.major > 1) api = api->previous;
  return api;
}

void remember(const Library& library, PyTypeObject* type) {
  Seen& known = seen[&library - libraries];
  PyTypeObject* none = nullptr;
  if (known.type.load() != nullptr) return;
  // The type comes last: what is short of memory before it is tried again.
  known.exchange = find_exchange(type);
  if (&library == &numpy_library()) ndarray::learn(type);
  if (known.type.compare_exchange_strong(none, type)) Py_INCREF(reinterpret_cast<PyObject*>(type));
}

// A subclass that lives elsewhere is found by what it inherits from. The one type that most of a library's arrays have is remembered;
// subclasses, and NumPy's numbers, are looked up each time.
const Library* search(PyTypeObject* type) {
  const Library* first = nullptr;
  const nb::object bases = attribute_or_none(reinterpret_cast<PyObject*>(type), "__mro__");
  // A metaclass may say anything.
  for (Py_ssize_t i = 0; PyTuple_Check(bases.ptr()) != 0 && i < PyTuple_Size(bases.ptr()); ++i) {
    PyObject* const base = PyTuple_GetItem(bases.ptr(), i);
    if (PyType_Check(base) == 0 || PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(base)) == 0) continue;
    for (const Library& library : libraries) {
      if (!is_at_home(base, library.home)) continue;
      if (first == nullptr) first = &library;
      if (text_attribute(base, "__name__") == library.type) remember(library, reinterpret_cast<PyTypeObject*>(base));
    }
  }
  return first;
}

// Whether a class does not override the methods by which its library exports memory.
bool shows_memory_as(PyObject* type, PyObject* base) {
  for (const char* const name : {"__dlpack__", "__torch_dispatch__"}) {
    if (!attribute_or_none(type, name).is(attribute_or_none(base, name))) return false;
  }
  return true;
}

// A function of the library, imported at its first use.
nb::handle function_of(const Library& library, const char* const Library::*path, std::atomic<PyObject*> Seen::*slot) {
  std::atomic<PyObject*>& known = seen[&library - libraries].*slot;
  if (known == nullptr) known = import_function(library.*path).release().ptr();
  return known.load();
}

// A function that is not part of the library's public interface; None in versions without it.
nb::handle function_or_none(const Library& library, const char* const Library::*path, std::atomic<PyObject*> Seen::*slot) {
  try {
    return library.*path == nullptr ? nb::handle(Py_None) : function_of(library, path, slot);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ImportError) && !error.matches(PyExc_AttributeError)) throw;
  }
  std::atomic<PyObject*>& known = seen[&library - libraries].*slot;
  known = nb::none().release().ptr();
  return known.load();
}

// Whether arrays can carry tangents of forward-mode gradients now: only inside of a level.
bool has_tangents(const Library& library) {
  if (library.forward == nullptr) return false;
  const nb::handle forward = function_of(library, &Library::forward, &Seen::forward);
  PyObject* const level = PyDict_GetItemWithError(PyModule_GetDict(forward.ptr()), names[&library - libraries].level);
  return level == nullptr || PyLong_AsLong(level) >= 0;
}

bool carries_tangent(const Library& library, PyObject* array) {
  if (!has_tangents(library)) return false;  // asking costs
  const nb::handle forward = function_of(library, &Library::forward, &Seen::forward);
  return !attribute(call_method(forward.ptr(), "unpack_dual", {array}).ptr(), "tangent").is_none();
}

bool takes_part_in_gradient(const Library& library, PyObject* array) {
  if (library.gradient == nullptr) return false;
  const nb::object value = checked(foreign<&PyObject_GetAttr>(array, names[&library - libraries].gradient));
  return value.ptr() == (library.gradient_when ? Py_True : Py_False);
}

bool is_recording(const Library& library) {
  return nb::cast<bool>(call(function_of(library, &Library::recording, &Seen::recording).ptr(), {}));
}

// TensorFlow does not mark arrays: its tapes and accumulators keep lists of them. The function that queries these is not public; a version
// without it is treated as one that records nothing.
bool is_watched(const Library& library, PyObject* array) {
  if (library.watching.module == nullptr) return false;
  const bool is_tensor = is_plain_array(array);
  if (!is_tensor && !has(array, library.variables[0]) && !has(array, library.variables[1])) return false;
  std::atomic<PyObject*>& known = seen[&library - libraries].watching;
  if (known == nullptr) {
    try {
      known = attribute(import_module(library.watching.module).ptr(), library.watching.function).release().ptr();
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_ImportError) && !error.matches(PyExc_AttributeError)) throw;
      known = nb::none().release().ptr();
    }
  }
  if (known == Py_None) return false;
  const nb::object asked[] = {is_tensor ? nb::borrow(array) : call(function_of(library, &Library::read, &Seen::read).ptr(), {array})};
  return PyLong_AsLong(call(known.load(), {list_of(asked).ptr()}).ptr()) > 0;
}

bool is_installed(const char* module) {
  return !call_method(import_module("importlib.util").ptr(), "find_spec", {text(module).ptr()}).is_none();
}

// NumPy has no bfloat16 of its own; ml_dtypes brings one of the same bits.
nb::object as_bfloat16(const nb::object& array) { return call_method(array.ptr(), "view", {import_function("ml_dtypes.bfloat16").ptr()}); }

}  // namespace

const Library* library_of(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  for (std::size_t i = 0; i < std::size(libraries); ++i) {
    if (seen[i].type.load(std::memory_order_relaxed) == type) return &libraries[i];
  }
  return search(type);
}

nb::object call_bridge(const Library& library, PyObject* op, const nb::object& arguments) {
  if (library.bridge == nullptr) return nb::borrow(Py_NotImplemented);
  return call(function_of(library, &Library::bridge, &Seen::bridge).ptr(), {op, arguments.ptr()});
}

bool is_plain_array(PyObject* object) {
  for (const Seen& known : seen) {
    if (known.type.load(std::memory_order_relaxed) == Py_TYPE(object)) return true;
  }
  return false;
}

const Library& numpy_library() { return libraries[0]; }

const dlpack::ExchangeApi* exchange_of(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  for (const Seen& known : seen) {
    PyTypeObject* const base = known.type.load(std::memory_order_relaxed);
    if (base == nullptr || known.exchange.load() == nullptr) continue;
    if (base == type) return known.exchange;
    if (PyType_IsSubtype(type, base) != 0 && shows_memory_as(reinterpret_cast<PyObject*>(type), reinterpret_cast<PyObject*>(base)))
      return known.exchange;
  }
  return nullptr;
}

nb::object hand_over(const Library* library, Tensor result) {
  const Dtype dtype = result.dtype();
  const nb::object memory = make_memory(std::move(result));
  const Library& owner = library == nullptr ? libraries[0] : *library;
  // Memory of no library that Strew knows goes to NumPy, if it is there.
  if (library == nullptr && !is_installed("numpy")) return checked(PyMemoryView_FromObject(memory.ptr()));
  const nb::object handed = owner.wants_capsule ? call_method(memory.ptr(), "__dlpack__") : memory;
  const nb::object array = call(function_of(owner, &Library::maker, &Seen::maker).ptr(), {handed.ptr()});
  // If memory is short, NumPy may return an array that contains the object instead.
  if (ndarray::is_plain(array.ptr()) && !ndarray::holds_numbers(array.ptr())) throw std::bad_alloc();
  if (owner.narrows && shown(attribute(array.ptr(), "dtype").ptr()) != to_string(dtype)) {
    throw ArrayError(cat("the result is ", to_string(dtype), ", which ", owner.name,
                         " would cut to 32 bits as it is set up: turn on its 64-bit types (jax_enable_x64)"));
  }
  return &owner == libraries && dtype == Dtype::bfloat16 ? as_bfloat16(array) : array;
}

std::optional<Marked> marked(PyObject* object) {
  for (std::size_t i = 0; i < std::size(libraries); ++i) {
    if (seen[i].type.load(std::memory_order_relaxed) != Py_TYPE(object)) continue;
    if (libraries[i].gradient == nullptr) return std::nullopt;
    const bool is_marked = takes_part_in_gradient(libraries[i], object);
    return Marked{&libraries[i], is_marked, is_marked && is_recording(libraries[i])};
  }
  return std::nullopt;
}

Gradient gradient_of(const Library& library, PyObject* array, bool is_free) {
  if (carries_tangent(library, array) || is_watched(library, array)) return Gradient::recorded;
  if (is_free || !takes_part_in_gradient(library, array)) return Gradient::none;
  return is_recording(library) ? Gradient::recorded : Gradient::paused;
}

// The function that a class written in C has under a name, and that class: a type or one that it inherits from. Overrides in Python are
// ignored, because they could run any code.
struct FunctionOfC {
  nb::object function, type;
};
FunctionOfC function_of_c(PyObject* type, const char* name) {
  const nb::object bases = attribute(type, "__mro__");
  for (Py_ssize_t i = 0; i < PyTuple_Size(bases.ptr()); ++i) {
    nb::object base = nb::borrow(PyTuple_GetItem(bases.ptr(), i));
    const nb::object own = attribute(base.ptr(), "__dict__");
    nb::object found = nb::steal(PyMapping_GetItemString(own.ptr(), name));
    forget_error();
    if (found.is_valid() && (Py_TYPE(found.ptr()) == &PyMethodDescr_Type || Py_TYPE(found.ptr()) == &PyWrapperDescr_Type))
      return {std::move(found), std::move(base)};
  }
  throw std::bad_cast();
}

nb::object storage_of(const Library& library, PyObject* array) {
  if (library.storage.of == nullptr) return {};
  nb::object storage = call_kept(library, array, names[&library - libraries].storage);
  Seen& known = seen[&library - libraries];
  if (known.storage == nullptr) {
    const nb::object type = import_function(library.storage.type);
    const nb::object sized = function_of_c(type.ptr(), "__len__").type;
    for (const int slot : {Py_sq_length, Py_mp_length}) {
      if (void* const size = PyType_GetSlot(reinterpret_cast<PyTypeObject*>(sized.ptr()), slot))
        known.size = reinterpret_cast<lenfunc>(size);
    }
    if (known.size == nullptr) throw std::bad_cast();
    known.address = function_of_c(type.ptr(), library.storage.address).function.release().ptr();
    known.storage = nb::object(type).release().ptr();
  }
  // A class of the caller could return anything, and run its code later.
  if (reinterpret_cast<PyObject*>(Py_TYPE(storage.ptr())) != known.storage) throw std::bad_cast();
  return storage;
}

ndarray::Owner extent_of_storage(const Library& library, const nb::object& storage) {
  PyObject* const arguments[] = {storage.ptr()};
  const Seen& known = seen[&library - libraries];
  // Neither call creates an object that could start a garbage collection, which would run destructors.
  const nb::object address = checked(PyObject_Vectorcall(known.address, arguments, 1, nullptr));
  const std::uintptr_t begin = PyLong_AsSize_t(address.ptr());
  const Py_ssize_t bytes = known.size.load()(storage.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return {begin, begin + static_cast<std::uintptr_t>(bytes)};
}

bool is_other_dtype(const Library& library, PyObject* array, Dtype said) {
  if (!library.ambiguous.has(said)) return false;
  // Most dtypes have a name; torch's show it behind a dot.
  const nb::object dtype = attribute(array, "dtype"), own = attribute_or_none(dtype.ptr(), "name");
  const std::string meant = shown((PyUnicode_Check(own.ptr()) != 0 ? own : dtype).ptr());
  return std::string_view(meant).substr(meant.rfind('.') + 1) != to_string(said);
}

bool is_frozen(const Library& library, PyObject* array) {
  if (library.inference == nullptr) return false;
  if (call_kept(library, array, names[&library - libraries].is_inference).ptr() != Py_True) return false;
  return !nb::cast<bool>(call(function_of(library, &Library::inference, &Seen::inference).ptr(), {}));
}

nb::object with_promises_kept(const Library& library, PyObject* array, std::optional<Dtype> dtype) {
  nb::object kept = nb::borrow(array);
  for (std::size_t i = 0; i < std::size(library.promises); ++i) {
    Method& is_made = names[&library - libraries].is_made[i];
    if (is_made.name == nullptr || (dtype && !library.promises[i].dtypes.has(*dtype))) continue;
    if (call_kept(library, kept.ptr(), is_made).ptr() == Py_True) kept = call_method(kept.ptr(), library.promises[i].keep);
  }
  return kept;
}

void intern_library_names() {
  for (const Library& library : libraries) {
    Names& own = names[&library - libraries];
    if (library.gradient != nullptr) own.gradient = interned(library.gradient);
    if (library.forward != nullptr) own.level = interned("_current_level");
    if (library.inference != nullptr) own.is_inference.name = interned("is_inference");
    if (library.storage.of != nullptr) own.storage.name = interned(library.storage.of);
    for (std::size_t i = 0; i < std::size(library.promises); ++i) {
      if (library.promises[i].is_made != nullptr) own.is_made[i].name = interned(library.promises[i].is_made);
    }
  }
}

bool is_quiet(const Library& library) {
  const nb::handle modes = function_or_none(library, &Library::modes, &Seen::modes);
  return !modes.is_none() && PyLong_AsLong(call(modes.ptr(), {}).ptr()) == 0 && !has_tangents(library);
}

bool is_traced(const Library& library) {
  return library.tracing != nullptr && !is_quiet(library) &&
         nb::cast<bool>(call(function_of(library, &Library::tracing, &Seen::tracing).ptr(), {}));
}

void tell_changed(const Library& library, PyObject* array) {
  const nb::handle several = function_or_none(library, &Library::changed_several, &Seen::changed_several);
  if (!several.is_none()) {
    try {
      (void)call(several.ptr(), {checked(PyTuple_Pack(1, array)).ptr()});
      return;
    } catch (const nb::python_error& error) {
      if (is_grave(error)) throw;
    }
  }
  (void)call(function_of(library, &Library::changed, &Seen::changed).ptr(), {array});
}

nb::object import_function(const char* path) {
  const std::string_view text = path;
  const auto until = [&](std::size_t end) { return std::string(text.substr(0, end)); };
  std::size_t end = text.find('.');
  nb::object found = import_module(until(end).c_str());
  while (end < text.size()) {
    const std::size_t begin = end + 1;
    end = std::min(text.find('.', begin), text.size());
    const std::string part(text.substr(begin, end - begin));
    // A module inside a package is an attribute only after it was imported.
    if (!has(found.ptr(), part.c_str())) (void)import_module(until(end).c_str());
    found = attribute(found.ptr(), part.c_str());
  }
  return found;
}

PyObject* interned(const char* text) {
  PyObject* const made = PyUnicode_InternFromString(text);
  if (made == nullptr) throw nb::python_error();
  return made;
}

}  // namespace strew::python
