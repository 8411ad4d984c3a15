// The Python function of an operator, and the one that plans it, as objects with the fast calling convention.
#pragma once

#include "array.h"
#include "signature.h"

namespace strew::python {

struct Callable {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  const Operator* op;
  bool in_place;   // writes into its first argument
  bool plans;      // makes a plan, from the operator's arguments without the updates
  PyObject* plan;  // the plan function of this operator; null for gathers and for plan functions
  Signature signature;

  [[nodiscard]] SlotsOf slots() const { return {op}; }
  [[nodiscard]] std::string name() const;    // of the operator
  [[nodiscard]] std::string module() const;  // the module of its dialect; the package itself for Strew's own functions
  [[nodiscard]] bool returns_nothing() const;
};

void add_callable_type(nb::module_& module);
[[nodiscard]] nb::object make_callable(const Operator& op, bool in_place);
[[nodiscard]] const Callable* as_operator(PyObject* object);       // null for other objects
[[nodiscard]] const Callable* as_plan_function(PyObject* object);  // null for other objects

}  // namespace strew::python
