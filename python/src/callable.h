// The Python function of an operator, as an object with the fast calling convention.
#pragma once

#include "array.h"

namespace strew::python {

inline constexpr std::size_t max_slots = 12;

// The parameters of a function as Python sees them: those of the operator, then `out` unless it is in place, then `threads`.
struct Callable {
  PyObject_HEAD vectorcallfunc vectorcall;
  const Operator* op;
  bool in_place;  // it writes into its first argument
  std::size_t positional, slots;
  PyObject* names[max_slots];  // interned

  [[nodiscard]] std::size_t parameters() const { return op->parameters.size(); }
  [[nodiscard]] bool has_out() const { return !in_place; }
  [[nodiscard]] std::size_t threads_slot() const { return slots - 1; }
  [[nodiscard]] std::size_t out_slot() const { return slots - 2; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] Place place(std::size_t slot) const { return {op, in_place, op->parameters[slot].name}; }
};

// The arguments of a call by slot, borrowed from the caller; null where none was given.
struct Slots {
  PyObject* given[max_slots];
};
[[nodiscard]] Slots assign_slots(const Callable& callable, PyObject* const* arguments, std::size_t count, PyObject* keywords);

// What the functions do. Each returns a new reference.
[[nodiscard]] nb::object call(const Callable& callable, const Slots& slots);
[[nodiscard]] nb::object explain_call(const Callable& callable, const Slots& slots);

void add_callable_type(nb::module_& module);
[[nodiscard]] nb::object make_callable(const Operator& op, bool in_place);
[[nodiscard]] const Callable* as_callable(PyObject* object);  // null if it is something else

}  // namespace strew::python
