// What the functions do with the arguments of one call.
#pragma once

#include "base/before_writing.h"
#include "callable.h"
#include "lock.h"
#include "strew/plan.h"

namespace strew::python {

// A plan with what an operator was given beside its updates, so that it can be described again with other memory.
struct Planned {
  Plan plan;
  SmallVector<Argument, 8> kept;        // without memory, and without what each call brings itself
  std::optional<ConstTensorRef> input;  // of which only type and shape count; none if the output starts from zeros
  ConstTensorRef updates;               // likewise, as the caller sees them
  std::int64_t threads = 0;             // that the caller asked for when it was made; 0: none
};

// Below this many elements a call is over before another thread could use the interpreter.
inline constexpr std::int64_t lock_free_elements = 2048;

// Without the interpreter's lock, if there is enough to do. `ask` is called with the `Unlocked` before the first write.
template <class Work>
std::invoke_result_t<Work> without_lock(std::int64_t elements, Work work, Ask ask = nullptr) {
  if (elements < lock_free_elements) return work();
  Unlocked unlocked;
  const AskBeforeWriting asking(ask, &unlocked);
  return outliving_interpreter(work);  // a thread that is cancelled here stops without the lock, which others need
}

// Whatever the caller's code or a library raises leaves a call as an Error of Strew's.
template <class Work>
std::invoke_result_t<Work> with_own_errors(const Callable& callable, Work work) {
  try {
    return outliving_interpreter(work);
  } catch (nb::python_error& raised) {
    throw_with_cause(raised, Place{callable.op, callable.in_place, {}}.operator_name());
  }
}

// Each returns a new reference.
[[nodiscard]] nb::object call(const Callable& callable, const Slots& slots);
[[nodiscard]] nb::object explain_call(const Callable& callable, const Slots& slots);

[[nodiscard]] Planned plan_call(const Callable& callable, const Slots& slots);
// From arguments without memory and the places of the points.
[[nodiscard]] Planned plan_arguments(const Callable& callable, SmallVector<Argument, 8> arguments, Dtype updates_dtype,
                                     const RunOptions& options, const ConstTensorRef& places);
// The slots hold the updates and, as the callable would take them, the first argument or `out`.
[[nodiscard]] nb::object apply_plan(const Callable& callable, const Planned& planned, const Slots& slots);

}  // namespace strew::python
