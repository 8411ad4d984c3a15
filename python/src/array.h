// An argument of a call that is an array: where its memory is, and whose it is.
#pragma once

#include <forward_list>
#include <memory>
#include <new>
#include <string_view>
#include <variant>
#include <vector>

#include "dialects/registry.h"
#include "formats.h"
#include "library.h"
#include "ndarray.h"

namespace strew::python {
using namespace internal;

// The operator and the argument that an error message names.
struct ArgumentName {
  const Operator* op;
  bool in_place;
  std::string_view argument;
  bool in_plan = false;  // the call applies one

  [[nodiscard]] std::string operator_name() const;  // dialect.operator
  [[noreturn]] void fail(ErrorCode code, const std::string& sentence) const;
  [[noreturn]] void fail_array(const std::string& sentence) const;
};

// Which code of the caller may have run since an array was read. Garbage collection runs destructors whenever Python creates an object;
// their changes to an array count as made after the call.
enum class Code : std::uint8_t { of_a_collection, any };

// Whether reading an object runs only code of Python and Strew. Reading any other object may run code of the caller, which can resize or
// free arrays that were read before.
[[nodiscard]] bool is_inert(PyObject* object);

// A buffer that an object exported, held until destruction. Releasing it may run code of the caller.
struct Buffer {
  Py_buffer view{};  // of no object: none was taken
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();
};

// Keeps the memory of an argument in place until the call is over. Not movable: a buffer may point into itself.
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array();

  // Views an array of any library; returns false for other objects. May run any code, so a view is final only after reread().
  // `is_free` says that its library was asked about gradients already, and that the array has no part in one; `quiet` is a library that
  // is known to be quiet.
  [[nodiscard]] bool take(PyObject* object, ConstTensorRef& view, const ArgumentName& name, bool is_free = false,
                          const Library* quiet = nullptr);
  // Views the array that NumPy makes of a list, a tuple or a number, of type `dtype` if that is given, else of the dialect's default type.
  void take_list(PyObject* object, ConstTensorRef& view, const ArgumentName& name, std::optional<Dtype> dtype);

  // Takes the view again where the memory may have moved since, and throws if the array changed. Runs no code of the caller. If only
  // garbage collection ran such code, the first view of a tensor stays valid while its storage still has that memory.
  void reread(ConstTensorRef& view, const ArgumentName& name, Code ran);
  // Whether the array itself is read, not another one that its library made of it.
  [[nodiscard]] bool is_as_given() const { return kept_.ptr() == object_; }

  // Throws if the library does not allow writing to its array now.
  void require_changeable(const ArgumentName& name) const;
  // Why the memory must not be written; null if no reason is known.
  [[nodiscard]] const char* refusal() const { return refusal_; }
  // Tells the library that the memory was written.
  void tell_written() const;

  [[nodiscard]] PyObject* object() const { return object_; }
  [[nodiscard]] const Library* library() const { return library_; }
  // The copy of an array of strings; null for other types.
  [[nodiscard]] const Tensor* strings() const { return std::get_if<Tensor>(&held_); }

 private:
  [[nodiscard]] bool take_ndarray(PyObject* object, ConstTensorRef& view);
  [[nodiscard]] bool take_buffer(PyObject* object, ConstTensorRef& view, const ArgumentName& name);
  [[nodiscard]] bool take_other(PyObject* object, ConstTensorRef& view, const ArgumentName& name);
  void take_exchanged(PyObject* object, ConstTensorRef& view, const ArgumentName& name);
  [[nodiscard]] bool take_dlpack(PyObject* object, ConstTensorRef& view, const ArgumentName& name);
  [[nodiscard]] bool may_use_dlpack() const { return library_ == nullptr || !library_->buffers_only; }
  void take_strings(PyObject* object, ConstTensorRef& view, const ArgumentName& name);
  void take_capsule(const nb::object& capsule, ConstTensorRef& view, const ArgumentName& name);
  void see_flags(std::uint64_t flags);
  [[nodiscard]] bool view_array(PyObject* object, ConstTensorRef& view);
  void view_buffer(Element element, ConstTensorRef& view);
  void view_tensor(const dlpack::DataTensor& tensor, ConstTensorRef& view, const ArgumentName& name);
  void view_exchanged(PyObject* object, ConstTensorRef& view, const ArgumentName& name);
  [[nodiscard]] bool is_still_shown(const ConstTensorRef& view);
  void see_what_moves();
  void see_storage(PyObject* object);
  void see_array(PyObject* array);
  bool gradient_paused(PyObject* object, const ArgumentName& name) const;
  [[nodiscard]] PyObject* without_gradient(PyObject* object, const ArgumentName& name);
  [[nodiscard]] PyObject* keep_promises(PyObject* object, std::optional<Dtype> dtype);
  [[noreturn]] void refuse_gradient(const ArgumentName& name) const;
  [[noreturn]] void refuse_symbolic(const ArgumentName& name) const;

  PyObject* object_ = nullptr;  // the caller's, borrowed for the call
  bool is_free_ = false;
  const Library* library_ = nullptr;
  const char* refusal_ = nullptr;
  nb::object storage_;  // what has the memory, where that can be made smaller
  nb::object kept_;  // an object that must outlive the call: one made on the way, or the caller's own
  // How memory can move though it is held, and the object that it moves with.
  enum class Moves : std::uint8_t { never, as_array, as_exchanged, with_array, with_buffer };
  Moves moves_ = Moves::never;
  PyObject* movable_ = nullptr;
  getbufferproc shows_ = nullptr;  // shows the memory of `movable_`: a function of C
  const dlpack::ExchangeApi* exchange_ = nullptr;
  std::optional<ndarray::Owner> owner_;  // of the memory that a view shows
  std::unique_ptr<std::byte[]> packed_;
  std::variant<std::monostate, Buffer, dlpack::Managed*, dlpack::ManagedVersioned*, Tensor> held_;
  std::forward_list<Buffer> again_;  // taken to see whether the memory has moved
};

// Throws for an array that take() rejects, before other code reads it. Accepts all other objects.
void require_readable(PyObject* object, const ArgumentName& name);

// Arrays that are views of others, or of memory of ctypes. Such a view cannot tell that its memory is gone; its owner can.
class WatchedViews {
 public:
  // Must be called before code of the caller runs that could resize the owner.
  void add(PyObject* object, const ArgumentName& name);
  // Throws if an owner was resized.
  void check() const;

 private:
  struct Watched {
    PyObject* array;
    ArgumentName name;
    ndarray::Owner owner;
  };
  SmallVector<Watched, 2> all_;
};

// The arrays of one call, at stable addresses. A few need no heap allocation.
class Arrays {
 public:
  Arrays() noexcept {}
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays() { std::destroy_n(std::launder(reinterpret_cast<Array*>(storage_)), count_); }

  [[nodiscard]] Array& add() {
    if (count_ == few) return *more_.emplace_back(std::make_unique<Array>());
    return *::new (storage_ + count_++ * sizeof(Array)) Array;
  }

 private:
  static constexpr std::size_t few = 4;

  std::size_t count_ = 0;
  std::vector<std::unique_ptr<Array>> more_;
  alignas(Array) std::byte storage_[few * sizeof(Array)];
};

}  // namespace strew::python
