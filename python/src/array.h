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

// What an error must say about where it happened.
struct Place {
  const Operator* op;
  bool in_place;
  std::string_view argument;
  bool in_plan = false;  // the call applies one

  [[nodiscard]] std::string operator_name() const;  // dialect.operator
  [[noreturn]] void fail(ErrorCode code, const std::string& sentence) const;
  [[noreturn]] void fail_array(const std::string& sentence) const;
};

// What code of the caller's can have run since an array was read. A collection runs destructors whenever Python makes an object; what
// those do to an array could as well have been done when the call was over.
enum class Code : std::uint8_t { of_a_collection, any };

// Whether reading an object runs no code but Python's and Strew's own. All others may run code of the caller's, which can resize or free
// what was read before.
[[nodiscard]] bool is_inert(PyObject* object);

// Prepares what arrays are looked at by; once, before anything else.
void learn_buffers();

// What an object showed of its memory, held as long as this lives. Giving it back may run code of the caller's.
struct Buffer {
  Py_buffer view{};  // of no object: none was taken
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();
};

// Keeps the memory of an argument in place until the call is over. It stays where it was made: a buffer may point into itself.
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array();

  // Views an array of any library; false if the object is none. May run any code, so that a view is final only after look_again().
  [[nodiscard]] bool take(PyObject* object, ConstTensorRef& view, const Place& place);
  // Views what a list, a tuple or a number becomes in NumPy: `dtype` if that is given, else one of the dialect's own.
  void take_list(PyObject* object, ConstTensorRef& view, const Place& place, std::optional<Dtype> dtype);

  // Takes the view once more where the memory can have moved since, and throws if it is no longer what it was. Runs no code of the
  // caller's. Where only a collection of memory ran any, a tensor counts as it was read, as long as its storage still has that memory.
  void look_again(ConstTensorRef& view, const Place& place, Code ran);
  // Whether it is read as it was given, not through another one that its library made of it.
  [[nodiscard]] bool is_as_given() const { return kept_.ptr() == object_; }

  // Asks the library whether its array may be written now.
  void require_changeable(const Place& place) const;
  // Why the memory may not be written, as far as it was seen; null if it may.
  [[nodiscard]] const char* refusal() const { return refusal_; }
  // Tells the library that the memory was written.
  void tell_written() const;

  [[nodiscard]] PyObject* object() const { return object_; }
  [[nodiscard]] const Library* library() const { return library_; }
  // Strings are copied: here is the copy, null for all others.
  [[nodiscard]] const Tensor* strings() const { return std::get_if<Tensor>(&held_); }

 private:
  [[nodiscard]] bool take_ndarray(PyObject* object, ConstTensorRef& view);
  [[nodiscard]] bool take_buffer(PyObject* object, ConstTensorRef& view, const Place& place);
  [[nodiscard]] bool take_other(PyObject* object, ConstTensorRef& view, const Place& place);
  void take_exchanged(PyObject* object, ConstTensorRef& view, const Place& place);
  [[nodiscard]] bool take_dlpack(PyObject* object, ConstTensorRef& view, const Place& place);
  [[nodiscard]] bool may_use_dlpack() const { return library_ == nullptr || !library_->buffers_only; }
  void take_strings(PyObject* object, ConstTensorRef& view, const Place& place);
  void take_capsule(const nb::object& capsule, ConstTensorRef& view, const Place& place);
  void see_flags(std::uint64_t flags);
  [[nodiscard]] bool view_array(PyObject* object, ConstTensorRef& view);
  void view_buffer(Element element, ConstTensorRef& view);
  void view_tensor(const dlpack::DataTensor& tensor, ConstTensorRef& view, const Place& place);
  void view_exchanged(PyObject* object, ConstTensorRef& view, const Place& place);
  [[nodiscard]] bool is_still_shown(const ConstTensorRef& view);
  void see_what_moves();
  void see_storage(PyObject* object);
  void see_array(PyObject* array);
  bool gradient_paused(PyObject* object, const Place& place) const;
  [[nodiscard]] PyObject* without_gradient(PyObject* object, const Place& place);
  [[nodiscard]] PyObject* keep_promises(PyObject* object, std::optional<Dtype> dtype);
  [[noreturn]] void refuse_gradient(const Place& place) const;

  PyObject* object_ = nullptr;  // the caller's, borrowed for the call
  const Library* library_ = nullptr;
  const char* refusal_ = nullptr;
  nb::object storage_;             // what has the memory, where that can be made smaller
  nb::object kept_;                // an object that must outlive the call: one made on the way, or the caller's own
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

// Throws for an array that take() refuses, before other code reads it. All other objects are left to that.
void require_readable(PyObject* object, const Place& place);

// The arrays of one call, which stay where they were made. The usual few need no heap.
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
