// The Python function of an operator, and those that plan it and take it in pieces, as objects with the fast calling convention.
#pragma once

#include "array.h"
#include "signature.h"

namespace strew::python {

// What a function does with the arguments of its operator: runs it, makes a plan from all but the updates, or takes indices and updates in
// pieces.
enum class Makes : std::uint8_t { call, plan, pieces };

struct Callable {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  const Operator* op;
  bool in_place;   // writes into its first argument
  Makes makes;
  PyObject *plan, *pieces;  // the other functions of this operator; null where there is none, and for those themselves
  Signature signature;

  [[nodiscard]] SlotsOf slots() const { return {op}; }
  [[nodiscard]] bool takes(std::size_t parameter) const;
  [[nodiscard]] std::string name() const;    // of the operator
  [[nodiscard]] std::string module() const;  // the module of its dialect; the package itself for Strew's own functions
  [[nodiscard]] bool returns_nothing() const;
};

void add_callable_type(nb::module_& module);
[[nodiscard]] nb::object make_callable(const Operator& op, bool in_place);
[[nodiscard]] const Callable* as_operator(PyObject* object);       // null for other objects
[[nodiscard]] const Callable* as_plan_function(PyObject* object);  // null for other objects

}  // namespace strew::python
