// An argument of a call that is an array: where its memory is, and whose it is.
#pragma once

#include <memory>
#include <new>
#include <string_view>
#include <variant>
#include <vector>

#include "dialects/registry.h"
#include "library.h"

namespace strew::python {

// What an error must say about where it happened.
struct Place {
  const Operator* op;
  bool in_place;
  std::string_view argument;

  [[nodiscard]] std::string operator_name() const;  // dialect.operator
  [[noreturn]] void fail(ErrorCode code, const std::string& sentence) const;
  [[noreturn]] void fail_array(const std::string& sentence) const;
};

// Keeps the memory of an argument in place until the call is over. It stays where it was made: a buffer may point into itself.
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array();

  // Views an array of any library; false if the object is none.
  [[nodiscard]] bool take(PyObject* object, ConstTensorRef& view, const Place& place);
  // Views what a list, a tuple or a number becomes in NumPy: `dtype` if that is given, else one of the dialect's own.
  void take_list(PyObject* object, ConstTensorRef& view, const Place& place, std::optional<Dtype> dtype);

  // Throws unless the memory may be written.
  void require_writable(const Place& place) const;
  // Tells the library that the memory was written.
  void tell_written() const;

  [[nodiscard]] PyObject* object() const { return object_; }
  [[nodiscard]] const Library* library() const { return library_; }
  // Strings are copied: here is the copy, null for all others.
  [[nodiscard]] const Tensor* strings() const { return std::get_if<Tensor>(&held_); }

 private:
  struct Buffer {
    Py_buffer view;
  };
  [[nodiscard]] bool take_ndarray(PyObject* object, ConstTensorRef& view);
  [[nodiscard]] bool take_buffer(PyObject* object, ConstTensorRef& view, const Place& place);
  [[nodiscard]] bool take_dlpack(PyObject* object, ConstTensorRef& view, const Place& place);
  [[nodiscard]] bool may_use_dlpack() const { return library_ == nullptr || !library_->buffers_only; }
  void take_strings(PyObject* object, ConstTensorRef& view, const Place& place);
  void take_capsule(const nb::object& capsule, ConstTensorRef& view, const Place& place);
  void see_flags(std::uint64_t flags);
  void view_buffer(Dtype dtype, ConstTensorRef& view);
  void view_tensor(const dlpack::DataTensor& tensor, ConstTensorRef& view, const Place& place);
  void view_exchanged(const dlpack::ExchangeApi& exchange, PyObject* object, ConstTensorRef& view, const Place& place);
  [[nodiscard]] PyObject* without_gradient(PyObject* object, const Place& place);
  void refuse_gradients_in(PyObject* list, const Place& place, int depth);
  [[nodiscard]] PyObject* keep_promises(PyObject* object, std::optional<Dtype> dtype);
  [[noreturn]] void refuse_gradient(const Place& place) const;

  PyObject* object_ = nullptr;  // the caller's, borrowed for the call
  const Library* library_ = nullptr;
  const char* refusal_ = nullptr;  // why the memory may not be written; null if it may
  nb::object kept_;                // an object that must outlive the call: one made on the way, or the caller's own
  std::unique_ptr<std::byte[]> packed_;
  std::variant<std::monostate, Buffer, dlpack::Managed*, dlpack::ManagedVersioned*, Tensor> held_;
};

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
