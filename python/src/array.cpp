// Reads arrays: through the buffer protocol, which is the fastest, then DLPack, then NumPy's conversion.
#include "array.h"

#include <cmath>
#include <cstring>

#include "base/text.h"
#include "exporters.h"
#include "lists.h"
#include "literals.h"
#include "lock.h"
#include "ndarray.h"
#include "strings.h"
#include "text.h"
#include "values.h"

namespace strew::python {
namespace {

constexpr int strided_with_format = PyBUF_STRIDES | PyBUF_FORMAT;

// The letter of a NumPy type's kind: strings have four of them.
bool holds_strings(PyObject* object) {
  const nb::object kind = attribute_or_none(attribute_or_none(object, "dtype").ptr(), "kind");
  return PyUnicode_Check(kind.ptr()) != 0 && std::string_view("USOT").find(shown_text(kind.ptr())) != std::string_view::npos;
}

std::string dtype_text(PyObject* object) {
  const nb::object dtype = attribute_or_none(object, "dtype");
  return dtype.is_none() ? type_name(object) : shown(dtype.ptr());
}

[[noreturn]] void refuse_dtype(PyObject* object, const ArgumentName& name) {
  name.fail(ErrorCode::dtype, cat("has a dtype that Strew does not know: ", dtype_text(object)));
}

// Whether its type has no letter in the buffer protocol.
std::optional<Element> bfloat16_of(PyObject* object) {
  const nb::object dtype = attribute_or_none(object, "dtype"), name = attribute_or_none(dtype.ptr(), "name");
  if (PyUnicode_Check(name.ptr()) == 0 || PyUnicode_CompareWithASCIIString(name.ptr(), "bfloat16") != 0) return std::nullopt;
  // Only NumPy's types can have non-native byte order.
  return Element{Dtype::bfloat16, attribute_or_none(dtype.ptr(), "isnative").ptr() == Py_False};
}

// Python objects, and text of a fixed width.
bool is_string_format(const char* format) {
  return format != nullptr && *format != '\0' && std::string_view("Ows").find(format[std::strlen(format) - 1]) != std::string_view::npos;
}

void require_cpu(std::int64_t device, const ArgumentName& name) {
  if (device == dlpack::cpu || device == dlpack::cuda_host || device == dlpack::rocm_host) return;
  name.fail_array(cat("is on another device (DLPack type ", device, "); Strew works on the CPU: copy it there first"));
}

// An array whose library does not export its memory: sparse, without a device, quantized and so on. The library's reason is often long.
[[noreturn]] void refuse_unexported(const nb::python_error& error, const ArgumentName& name) {
  if (is_grave(error)) throw error;
  const std::string reason = shown(error.value().ptr());
  name.fail_array(cat("has no memory that its library exports: ", reason.substr(0, reason.find('\n'))));
}

// The device type that an array reports. A number that does not fit becomes the largest that does, which no device has.
std::int64_t device_of(PyObject* object, const ArgumentName& name) {
  nb::object pair;
  try {
    pair = call_method(object, "__dlpack_device__");
  } catch (const nb::python_error& error) {
    refuse_unexported(error, name);
  }
  PyObject* const kind = PyTuple_Check(pair.ptr()) != 0 && PyTuple_Size(pair.ptr()) == 2 ? PyTuple_GetItem(pair.ptr(), 0) : Py_None;
  if (PyLong_Check(kind) == 0)
    name.fail_array(
        cat("does not say on which device it is: __dlpack_device__ must return a tuple of two integers, got ", type_name(pair.ptr())));
  int overflow = 0;
  const long long device = PyLong_AsLongLongAndOverflow(kind, &overflow);
  return overflow == 0 ? device : INT64_MAX;
}

// Rejects invalid values in a producer's struct. The end of the memory cannot be validated.
void require_sound(const dlpack::DataTensor& tensor, const ArgumentName& name) {
  constexpr std::int32_t max_rank = 256;
  const auto fail = [&](const std::string& what) { name.fail_array(cat("is not a valid DLPack tensor: ", what)); };
  if (tensor.ndim < 0 || tensor.ndim > max_rank) fail(cat("it has ", tensor.ndim, " axes"));
  if (tensor.ndim > 0 && tensor.shape == nullptr) fail(cat("it has ", tensor.ndim, " axes and no shape"));
  bool has_elements = true;
  double bits = tensor.dtype.bits, reach = 0;  // of the size of memory only its magnitude counts here
  for (std::int32_t d = 0; d < tensor.ndim; ++d) {
    if (tensor.shape[d] < 0) fail(cat("axis ", d, " has size ", tensor.shape[d]));
    has_elements &= tensor.shape[d] > 0;
    bits *= static_cast<double>(tensor.shape[d]);
    if (tensor.strides != nullptr && tensor.shape[d] > 1)
      reach += std::abs(static_cast<double>(tensor.strides[d])) * static_cast<double>(tensor.shape[d] - 1) * tensor.dtype.bits;
  }
  if (bits >= 0x1p66) fail("it has more elements than there are addresses");
  // The address space of one process has at most 57 bits.
  if (has_elements && reach >= 0x1p60) fail("its strides lead beyond all memory");
  if (has_elements && tensor.data == nullptr) fail("it has elements and no memory");
  // No memory is larger than a difference of pointers can express, and none wraps around the end of the address space.
  if (tensor.byte_offset > PTRDIFF_MAX || tensor.byte_offset > UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(tensor.data))
    fail(cat("its memory begins ", tensor.byte_offset, " bytes behind its address"));
}

// Returns false if the object has no such buffer.
bool fill(Buffer& buffer, PyObject* object, int flags) {
  if (foreign<&PyObject_GetBuffer>(object, &buffer.view, flags) == 0) return true;
  buffer.view.obj = nullptr;
  forget_error();
  return false;
}

// Some producers support only the first version of DLPack, whose __dlpack__ takes no arguments.
nb::object ask_for_capsule(PyObject* object, const ArgumentName& name) {
  try {
    return ask_for_versioned_capsule(object);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) refuse_unexported(error, name);
  }
  try {
    return call_method(object, "__dlpack__");
  } catch (const nb::python_error& error) {
    refuse_unexported(error, name);
  }
}

}  // namespace

bool is_inert(PyObject* object) {
  if (object == nullptr || ndarray::holds_numbers(object)) return true;
  return object == Py_None || object == Py_Ellipsis || PyBool_Check(object) != 0 || PyLong_CheckExact(object) != 0 ||
         PyFloat_CheckExact(object) != 0 || PyComplex_CheckExact(object) != 0 || PyUnicode_CheckExact(object) != 0;
}

// Whether it is a Dask array, or wraps one: its __array__ would compute all of it into memory.
bool is_lazy(PyObject* object) { return has(object, "__dask_graph__") && !call_method(object, "__dask_graph__").is_none(); }

// The function for Dask arrays.
std::string on_dask(const Operator& op) { return cat("strew.dask.", op.dialect == "strew" ? "" : cat(op.dialect, "."), op.name); }

void require_readable(PyObject* object, const ArgumentName& name) {
  const Library* const library = library_of(object);
  if (library == &numpy_library()) return;
  if (library == nullptr) {
    if (!is_lazy(object)) return;
    const std::string function = on_dask(*name.op);
    name.fail_array(cat("is or contains a Dask array that is needed now; pass x.compute(), or one Dask array to ", function));
  }
  Array array;
  ConstTensorRef view;
  if (array.take(object, view, name)) array.reread(view, name, Code::any);
}

void WatchedViews::add(PyObject* object, const ArgumentName& name) {
  if (!ndarray::is_array(object)) return;
  if (const auto owner = ndarray::owner_of(ndarray::base_of(object))) all_.push_back({object, name, *owner});
}
void WatchedViews::check() const {
  for (const Watched& view : all_) {
    if (ndarray::owner_of(ndarray::base_of(view.array)) == view.owner) continue;
    view.name.fail_array("is a view of an array that code which ran while the arguments were read resized; nothing was written");
  }
}

std::string ArgumentName::operator_name() const { return cat(op->dialect, ".", op->name, in_place && op->in_place ? "_" : ""); }
void ArgumentName::fail(ErrorCode code, const std::string& sentence) const {
  throw Error(code, cat(operator_name(), ": ", argument, " ", sentence));
}
void ArgumentName::fail_array(const std::string& sentence) const { throw ArrayError(cat(operator_name(), ": ", argument, " ", sentence)); }

Buffer::~Buffer() {
  if (view.obj != nullptr) foreign<&PyBuffer_Release>(&view);
}

Array::~Array() {
  if (auto* managed = std::get_if<dlpack::Managed*>(&held_); managed != nullptr && (*managed)->deleter != nullptr)
    (*managed)->deleter(*managed);
  if (auto* managed = std::get_if<dlpack::ManagedVersioned*>(&held_); managed != nullptr && (*managed)->deleter != nullptr)
    (*managed)->deleter(*managed);
}

bool Array::take(PyObject* object, ConstTensorRef& view, const ArgumentName& name, bool is_free, const Library* quiet) {
  object_ = object;
  is_free_ = is_free;
  if (take_ndarray(object, view)) return true;
  library_ = library_of(object);
  if (library_ != nullptr && library_ != quiet && is_traced(*library_)) {
    name.fail_array(cat("is an argument of a call that ", library_->name, " traces, whose result would become a constant: import strew.",
                        library_->name));
  }
  if (!take_other(object, view, name)) return false;
  if (library_ != nullptr && is_other_dtype(*library_, object, view.dtype)) refuse_dtype(object, name);
  return true;
}

void refuse_lazy(PyObject* object, const ArgumentName& name) {
  if (is_lazy(object)) name.fail_array(cat("is a Dask array; ", on_dask(*name.op), " takes it as it is, and x.compute() converts it"));
}

bool Array::take_other(PyObject* object, ConstTensorRef& view, const ArgumentName& name) {
  // Another object of the library, such as a layer.
  if (library_ != nullptr && !is_plain_array(object) && !has(object, "__dlpack__") && !has(object, "__array__")) return false;
  if (library_ != nullptr) {
    if (library_->immutable) refusal_ = "cannot be changed: arrays of its library never are";
    exchange_ = exchange_of(object);
    if (exchange_ != nullptr && exchange_->view_object != nullptr) {
      take_exchanged(object, view, name);
      return true;
    }
    object = without_gradient(object, name);
  }
  // A masked array has memory like any other, but its mask would be lost.
  if (!is_plain_array(object) && has(object, "_mask") && library_ == &numpy_library())
    name.fail(ErrorCode::dtype, "is a masked array; pass its data, or fill it");
  // NumPy's scalars export some types, such as dates, as plain bytes; arrays do not.
  const bool is_scalar = !is_plain_array(object) && is_numpy_number(object);
  if (!is_scalar && (take_buffer(object, view, name) || take_dlpack(object, view, name))) return true;
  if (!has(object, "__array__")) return false;
  refuse_lazy(object, name);
  if (library_ != nullptr && library_->recorder != nullptr && !is_plain_array(object) && has(object, "graph")) refuse_symbolic(name);
  kept_ = call(import_function("numpy.asarray").ptr(), {object});
  refusal_ = "has no memory of its own that could be written";
  return take_buffer(kept_.ptr(), view, name);
}

void Array::take_list(PyObject* object, ConstTensorRef& view, const ArgumentName& name, std::optional<Dtype> dtype) {
  const LiteralTypes own = literal_types_of(name.op->dialect);
  const nb::object wanted = dtype ? text(to_string(*dtype)) : nb::none();
  object_ = object;
  library_ = &numpy_library();
  require_readable_items(object, name);
  kept_ = call(import_function("strew._convert.from_list").ptr(),
               {text(cat(name.operator_name(), ": ", name.argument)).ptr(), object, wanted.ptr(), text(to_string(own.integer)).ptr(),
                text(to_string(own.floating)).ptr()});
  refusal_ = PyList_Check(object) || PyTuple_Check(object) ? "is a list; pass an array" : "is no array that could be written";
  if (!take_buffer(kept_.ptr(), view, name)) name.fail(ErrorCode::dtype, cat("must be an array, got ", type_name(object)));
}

// The view stays provisional: NumPy can resize and retype an array in place while others refer to it.
bool Array::view_array(PyObject* object, ConstTensorRef& view) {
  bool writable = false;
  if (!ndarray::view(object, view, writable)) return false;
  if (!writable && refusal_ == nullptr) refusal_ = "is read-only";
  moves_ = Moves::as_array;
  movable_ = object;
  PyObject* const base = ndarray::base_of(object);
  owner_ = base == nullptr ? std::nullopt : ndarray::owner_of(base);
  return true;
}

bool Array::take_ndarray(PyObject* object, ConstTensorRef& view) {
  if (!ndarray::is_plain(object) || !view_array(object, view)) return false;
  library_ = &numpy_library();
  kept_ = nb::borrow(object);  // with a second reference, NumPy moves the memory only on explicit request
  return true;
}

bool Array::take_buffer(PyObject* object, ConstTensorRef& view, const ArgumentName& name) {
  if (view_array(object, view)) return true;
  if (PyObject_CheckBuffer(object) == 0) return false;
  Buffer& held = held_.emplace<Buffer>();
  const Py_buffer& buffer = held.view;
  if (fill(held, object, strided_with_format)) {
    if (const auto element = element_of_format(buffer.format, buffer.itemsize)) {
      view_buffer(*element, view);
      see_what_moves();
      return true;
    }
    const bool strings = is_string_format(buffer.format);
    held_.emplace<std::monostate>();
    if (strings) {
      take_strings(object, view, name);
      return true;
    }
  } else if (const auto element = bfloat16_of(object)) {
    ndarray::learn_bfloat16(object);
    if (view_array(object, view)) return true;
    if (fill(held, object, PyBUF_STRIDES) && buffer.itemsize == size_of(element->dtype)) {
      view_buffer(*element, view);
      see_what_moves();
      return true;
    }
  }
  held_.emplace<std::monostate>();
  if (holds_strings(object)) {
    take_strings(object, view, name);
    return true;
  }
  if (has(object, "__dlpack__") && may_use_dlpack()) return false;
  refuse_dtype(object, name);
}

void Array::view_buffer(Element element, ConstTensorRef& view) {
  Py_buffer& buffer = std::get<Buffer>(held_).view;
  const auto rank = static_cast<std::size_t>(buffer.ndim);
  const std::int64_t size = size_of(element.dtype);
  view.data = buffer.buf;
  view.dtype = element.dtype;
  view.shape.clear();
  view.strides.clear();
  bool whole = true;  // strides are multiples of the element size
  for (std::size_t d = 0; d < rank; ++d) view.shape.push_back(buffer.shape[d]);
  // ctypes omits the strides of dense memory even when they are requested.
  if (buffer.strides == nullptr) view.strides = dense_strides(view.shape);
  for (std::size_t d = 0; d < rank && buffer.strides != nullptr; ++d) {
    view.strides.push_back(buffer.strides[d] / size);
    whole &= buffer.strides[d] % size == 0;
  }
  if (buffer.readonly != 0 && refusal_ == nullptr) refusal_ = "is read-only";
  if (whole && !element.is_swapped) return;
  const auto bytes = static_cast<std::size_t>(buffer.len);
  packed_ = std::make_unique<std::byte[]>(bytes);
  if (PyBuffer_ToContiguous(packed_.get(), &buffer, buffer.len, 'C') != 0) throw nb::python_error();
  if (element.is_swapped) swap_bytes({packed_.get(), bytes}, element.dtype);
  view.data = packed_.get();
  view.strides = dense_strides(view.shape);
  refusal_ =
      element.is_swapped ? "has non-native byte order, which Strew can only read" : "has strides that are not multiples of its item size";
}

// Determines how the memory behind a held buffer can move.
void Array::see_what_moves() {
  if (packed_ != nullptr) return;
  PyObject* const root = root_of(std::get<Buffer>(held_).view.obj);
  if (root == nullptr) return;
  see_array(root);
  if (moves_ != Moves::never || (library_of(root) != &numpy_library() && !is_resizable(root))) return;
  shows_ = buffer_function_of_c(root);
  moves_ = Moves::with_buffer;
  movable_ = root;
}

// For memory of a NumPy array that another object exports.
void Array::see_array(PyObject* array) {
  if (array == nullptr || !ndarray::is_array(array)) return;
  moves_ = Moves::with_array;
  movable_ = array;
}

// The quickest way.
void Array::take_exchanged(PyObject* object, ConstTensorRef& view, const ArgumentName& name) {
  view_exchanged(object, view, name);
  if (!library_->no_gradient.has(view.dtype)) gradient_paused(object, name);
  PyObject* const plain = keep_promises(object, view.dtype);
  if (plain != object) view_exchanged(plain, view, name);
  see_storage(plain);
  moves_ = Moves::as_exchanged;
  movable_ = plain;
  if (!kept_.is_valid()) kept_ = nb::borrow(object);
}

bool Array::take_dlpack(PyObject* object, ConstTensorRef& view, const ArgumentName& name) {
  object = keep_promises(object, std::nullopt);
  if (exchange_ != nullptr) {
    dlpack::ManagedVersioned* managed = nullptr;
    if (exchange_->from_object(object, &managed) != 0) refuse_unexported(nb::python_error(), name);
    held_ = managed;
    see_flags(managed->flags);
    view_tensor(managed->tensor, view, name);
    see_storage(object);
    return true;
  }
  if (!has(object, "__dlpack__") || !may_use_dlpack()) return false;
  if (library_ != nullptr && library_->is_gone != nullptr && call_method(object, library_->is_gone).ptr() == Py_True)
    name.fail_array("was deleted or donated: its memory was freed");
  if (has(object, "__dlpack_device__")) require_cpu(device_of(object, name), name);
  take_capsule(ask_for_capsule(object, name), view, name);
  see_storage(object);
  return true;
}

// Remembers the storage of a tensor, if its library has storages.
void Array::see_storage(PyObject* object) {
  if (library_ != nullptr) storage_ = storage_of(*library_, object);
}

bool Array::is_still_shown(const ConstTensorRef& view) {
  if (shows_ == nullptr) return false;
  Py_buffer& again = again_.emplace_front().view;
  if (shows_(movable_, &again, PyBUF_STRIDES) == 0) return ndarray::is_within(ndarray::extent_of(again), view);
  again.obj = nullptr;
  forget_error();
  return false;
}

void Array::reread(ConstTensorRef& view, const ArgumentName& name, Code ran) {
  const Dtype dtype = view.dtype;
  bool is_there = true;
  switch (moves_) {
    case Moves::never: break;
    case Moves::as_array: {
      const std::optional<ndarray::Owner> before = owner_;
      is_there = view_array(movable_, view) && (!before || (owner_ == before && ndarray::is_within(*before, view)));
      break;
    }
    case Moves::as_exchanged:
      if (ran == Code::any || !storage_.is_valid()) view_exchanged(movable_, view, name);
      break;
    case Moves::with_array: is_there = ndarray::owns(movable_, view); break;
    case Moves::with_buffer: is_there = is_still_shown(view); break;
  }
  if (!is_there || view.dtype != dtype)
    name.fail_array("was changed by code that ran while the other arguments were read; nothing was written");
  if (storage_.is_valid() && !ndarray::is_within(extent_of_storage(*library_, storage_), view))
    name.fail_array("shows more memory than its storage has, which was resized or replaced");
}

void Array::see_flags(std::uint64_t flags) {
  if (refusal_ != nullptr) return;
  if ((flags & dlpack::read_only_flag) != 0) refusal_ = "is read-only";
  if ((flags & dlpack::is_copied_flag) != 0) refusal_ = "shows only a copy of its memory";
}

void Array::take_capsule(const nb::object& capsule, ConstTensorRef& view, const ArgumentName& name) {
  PyObject* const pointer = capsule.ptr();
  if (PyCapsule_IsValid(pointer, "dltensor_versioned") != 0) {
    auto* const managed = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(pointer, "dltensor_versioned"));
    if (managed->version.major != 1) name.fail(ErrorCode::dtype, cat("comes as DLPack ", managed->version.major, ", Strew knows 1"));
    PyCapsule_SetName(pointer, "used_dltensor_versioned");
    held_ = managed;
    see_flags(managed->flags);
    view_tensor(managed->tensor, view, name);
    see_array(ndarray::array_of(*managed));
    return;
  }
  if (PyCapsule_IsValid(pointer, "dltensor") == 0) name.fail(ErrorCode::dtype, "returned something other than a DLPack capsule");
  auto* const managed = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(pointer, "dltensor"));
  PyCapsule_SetName(pointer, "used_dltensor");
  held_ = managed;
  view_tensor(managed->tensor, view, name);
  see_array(ndarray::array_of(*managed));
}

void Array::view_exchanged(PyObject* object, ConstTensorRef& view, const ArgumentName& name) {
  dlpack::DataTensor tensor;
  if (exchange_->view_object(object, &tensor) != 0) refuse_unexported(nb::python_error(), name);
  view_tensor(tensor, view, name);
}

void Array::view_tensor(const dlpack::DataTensor& tensor, ConstTensorRef& view, const ArgumentName& name) {
  require_cpu(tensor.device.type, name);
  const auto dtype = dtype_of_dlpack(tensor.dtype);
  if (!dtype) refuse_dtype(object_, name);
  require_sound(tensor, name);
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  view.data = tensor.data == nullptr ? nullptr : static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  view.dtype = *dtype;
  view.shape = rank == 0 ? Dims() : Dims(tensor.shape, tensor.shape + rank);
  view.strides = tensor.strides == nullptr ? dense_strides(view.shape) : rank == 0 ? Dims() : Dims(tensor.strides, tensor.strides + rank);
}

void Array::take_strings(PyObject* object, ConstTensorRef& view, const ArgumentName& name) {
  held_ = strings_from(object, name);
  const bool writable = has(object, "flags") && nb::cast<bool>(attribute(attribute(object, "flags").ptr(), "writeable"));
  if (!writable && refusal_ == nullptr) refusal_ = "is read-only";
  view = std::as_const(std::get<Tensor>(held_));
}

// Whether an array takes part in a gradient that is not being recorded now; throws if it is recorded.
bool Array::gradient_paused(PyObject* object, const ArgumentName& name) const {
  const Gradient gradient = gradient_of(*library_, object, is_free_);
  if (gradient == Gradient::recorded) refuse_gradient(name);
  return gradient == Gradient::paused;
}

PyObject* Array::without_gradient(PyObject* object, const ArgumentName& name) {
  if (!gradient_paused(object, name)) return object;
  kept_ = call_method(object, "detach");
  return kept_.ptr();
}

PyObject* Array::keep_promises(PyObject* object, std::optional<Dtype> dtype) {
  if (library_ == nullptr) return object;
  nb::object plain = with_promises_kept(*library_, object, dtype);
  if (plain.ptr() == object) return object;
  refusal_ = "is a view that conjugates or negates what it shows";
  kept_ = std::move(plain);
  return kept_.ptr();
}

void Array::refuse_gradient(const ArgumentName& name) const {
  const std::string functional = cat(name.op->dialect, ".", name.op->name);
  if (library_->watching.module != nullptr) {
    const bool is_own = name.op->dialect == library_->name;
    name.fail_array(cat("is watched by a tape or an accumulator, which would record nothing of this call: pass ", library_->name,
                        ".stop_gradient(", name.argument, "), or call it while nothing is recorded",
                        is_own ? cat("; ", library_->recorder, ".", name.op->name, " is recorded") : ""));
  }
  const std::string_view first = name.op->parameters.front().name;
  const bool is_out = name.argument == "out", written = name.in_place && (is_out || name.argument == first);
  if (written && name.op->in_place) {
    name.fail_array(cat("takes part in a gradient and must not be changed behind its back: use ", functional, ", or call ",
                        name.operator_name(), " under ", library_->name, ".no_grad()"));
  }
  if (is_out && first != "out" && !name.in_plan) {  // the other operators require out=
    name.fail_array(
        cat("takes part in a gradient: functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad; leave out= away, or call it under ",
            library_->name, ".no_grad()"));
  }
  name.fail_array(cat("takes part in a gradient, of which nothing would be recorded: pass ", name.argument, ".detach(), or call it under ",
                      library_->name, ".no_grad()"));
}

// A tensor of a program that is being traced has no elements yet.
void Array::refuse_symbolic(const ArgumentName& name) const {
  const bool is_own = name.op->dialect == library_->name;
  name.fail_array(cat("is a symbolic tensor, which has no elements inside a function that ", library_->name, " traces",
                      is_own ? cat("; ", library_->recorder, ".", name.op->name, " takes it") : ""));
}

void Array::require_changeable(const ArgumentName& name) const {
  if (library_ != nullptr && is_frozen(*library_, object_))
    name.fail_array(cat("was made in ", library_->name, ".inference_mode() and cannot be changed outside of it"));
}

void Array::tell_written() const {
  if (library_ != nullptr && library_->changed != nullptr) tell_changed(*library_, object_);
}

}  // namespace strew::python
