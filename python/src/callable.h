// The Python function of an operator, and the one that plans it, as objects with the fast calling convention.
#pragma once

#include "array.h"
#include "signature.h"

namespace strew::python {

struct Callable {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  const Operator* op;
  bool in_place;   // it writes into its first argument
  bool plans;      // it makes a plan, from the operator's arguments without the updates
  PyObject* plan;  // the function that does; null if it gathers, or plans itself
  Signature signature;

  [[nodiscard]] SlotsOf slots() const { return {op}; }
  [[nodiscard]] std::string name() const;    // of the operator
  [[nodiscard]] std::string module() const;  // where it stands: Strew's own functions in the package itself
  [[nodiscard]] bool returns_nothing() const;
};

void add_callable_type(nb::module_& module);
[[nodiscard]] nb::object make_callable(const Operator& op, bool in_place);
[[nodiscard]] const Callable* as_operator(PyObject* object);       // null if it is something else
[[nodiscard]] const Callable* as_plan_function(PyObject* object);  // likewise

}  // namespace strew::python
