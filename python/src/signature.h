// The parameters of a function as Python sees them, and the arguments of one call by slot.
#pragma once

#include <string>

#include "dialects/registry.h"
#include "library.h"

namespace strew::python {
using namespace internal;

inline constexpr std::size_t max_slots = 12;

inline bool is_data(Parameter::Type type) {
  return type == Parameter::tensor || type == Parameter::target || type == Parameter::updates || type == Parameter::source;
}

// The slots of an operator's arguments: its own parameters, then the parameters of every operator. A function may lack some of them.
struct SlotsOf {
  const Operator* op;

  [[nodiscard]] std::size_t parameters() const { return op->parameters.size(); }
  [[nodiscard]] std::size_t out() const { return parameters(); }
  [[nodiscard]] std::size_t threads() const { return parameters() + 1; }
  [[nodiscard]] std::size_t dtype() const { return parameters() + 2; }
  [[nodiscard]] std::size_t end() const { return parameters() + 3; }
  [[nodiscard]] std::size_t updates() const;  // slot of the updates; end() for a gather
  [[nodiscard]] bool is_index(std::size_t parameter) const;
  [[nodiscard]] bool has_input() const;       // the first argument is the base of the output
};

// The arguments of a call by slot, borrowed from the caller; null where none was given.
struct Slots {
  PyObject* given[max_slots];
  bool is_renamed[max_slots];  // the argument was given by its alternative name
  bool is_free[max_slots];     // an array that its library does not mark as part of a gradient
};

class Signature {
 public:
  Signature() = default;
  explicit Signature(std::string function) : function_(std::move(function)) {}
  Signature(const Signature&) = delete;
  Signature& operator=(const Signature&) = delete;
  ~Signature();

  void set_name(std::string function) { function_ = std::move(function); }
  void add(std::string_view name, std::size_t slot, bool is_positional, bool is_required);

  // Assigns arguments to parameters; throws Python's TypeError if they do not match.
  [[nodiscard]] Slots assign(PyObject* const* arguments, std::size_t count, PyObject* keywords) const;
  // The given arguments by name, as a dict.
  [[nodiscard]] nb::object names(const Slots& slots) const;
  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  struct Row {
    PyObject* name;  // interned
    std::uint8_t slot;
    bool is_required, is_other_name;
  };
  [[noreturn]] void fail_about(const char* sentence, PyObject* name) const;
  [[nodiscard]] const Row& named(PyObject* name) const;

  std::string function_;
  std::size_t positional_ = 0, count_ = 0;
  Row rows_[max_slots];
};

}  // namespace strew::python
