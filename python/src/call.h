// What the functions do with the arguments of one call.
#pragma once

#include "callable.h"
#include "strew/plan.h"

namespace strew::python {

// A plan with what an operator was given beside its updates, so that it can be described again with other memory.
struct Planned {
  Plan plan;
  SmallVector<Argument, 8> kept;        // without memory, and without what each call brings itself
  std::optional<ConstTensorRef> input;  // of which only type and shape count; none if the output starts from zeros
  ConstTensorRef updates;               // likewise, as the caller sees them
};

// Each returns a new reference.
[[nodiscard]] nb::object call(const Callable& callable, const Slots& slots);
[[nodiscard]] nb::object explain_call(const Callable& callable, const Slots& slots);

[[nodiscard]] Planned plan_call(const Callable& callable, const Slots& slots);
// The slots hold the updates and, as the callable would take them, the first argument or `out`.
[[nodiscard]] nb::object apply_plan(const Callable& callable, const Planned& planned, const Slots& slots);

}  // namespace strew::python
