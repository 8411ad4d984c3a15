// Runs one call of a Python function: a scatter, a gather, a plan, explain() or draw().
#pragma once

#include <functional>
#include <memory>

#include "base/cancellation.h"
#include "callable.h"
#include "core/unfinished.h"
#include "lock.h"
#include "strew/plan.h"

namespace strew::python {

// A plan and the operator's other arguments, from which the op can be described again with other memory.
struct Planned {
  Plan plan;
  SmallVector<Argument, 8> kept;        // placeholders without memory, except for the arguments that each call supplies
  std::optional<ConstTensorRef> input;  // only its type and shape are used; empty if the output starts from zeros
  ConstTensorRef updates;               // only type and shape, as the caller sees them
  std::int64_t threads = 0;             // threads= when the plan was made; 0: not given
};

// A scatter in pieces: the arguments that all pieces have in common, the output as it was, and what was stepped.
struct Begun {
  SmallVector<Argument, 8> kept;
  ConstTensorRef out;
  std::unique_ptr<UnfinishedScatter> scatter;  // from the first piece that has points
  std::int64_t count = 0;                      // of pieces that were stepped
  std::int64_t threads = 0;                    // 0: not given
  std::int64_t planned_nbytes = 0;             // of the scatter before it exists; 0: it depends on the indices
};

// Calls with fewer elements keep the lock: they end before another thread could use the interpreter.
inline constexpr std::int64_t lock_free_elements = 2048;

// Runs work without the interpreter's lock if it is large enough. Calls `check` with the `Unlocked` before the first write.
template <class Work>
std::invoke_result_t<Work> without_lock(std::int64_t elements, Work work, CancellationCheck check = nullptr) {
  if (elements < lock_free_elements) return work();
  Unlocked unlocked;
  const CancellationScope scope(check, &unlocked);
  return outliving_interpreter(work);  // a thread that is cancelled here must stop without the lock, which others need
}

// Converts every exception of the caller's code or of a library to an Error of Strew.
template <class Work>
std::invoke_result_t<Work> with_own_errors(const Callable& callable, Work work) {
  try {
    return outliving_interpreter(work);
  } catch (nb::python_error& raised) {
    throw_with_cause(raised, ArgumentName{callable.op, callable.in_place, {}}.operator_name());
  }
}

// An array that belongs to a call without being an argument of the operator: a cotangent or a tangent.
struct Beside {
  std::string_view name;
  PyObject* object;
};
// Computes tensors from the arguments of a call and from such arrays, without the interpreter's lock.
using Derive = std::function<std::vector<std::optional<Tensor>>(std::span<const Argument> arguments, std::span<const ConstTensorRef> beside,
                                                                const RunOptions& options)>;
struct Derived {
  std::vector<std::optional<Tensor>> tensors;
  SmallVector<const Library*, max_slots> libraries;  // by parameter; null where the argument is no array of a known library
  const Library* first;                              // of the first array
};
[[nodiscard]] Derived derive_call(const Callable& callable, const Slots& slots, std::span<const Beside> beside, const Derive& work);

// Each returns a new reference.
[[nodiscard]] nb::object call(const Callable& callable, const Slots& slots);
// A tuple: the op as data (described.h), and the arguments that NumPy had to read, as NumPy arrays by name.
[[nodiscard]] nb::object describe_call(const Callable& callable, const Slots& slots);
[[nodiscard]] nb::object places_call(const Callable& callable, const Slots& slots);  // of a gather, or a function that plans
[[nodiscard]] nb::object explain_call(const Callable& callable, const Slots& slots);
[[nodiscard]] nb::object draw_call(const Callable& callable, const Slots& slots);

// The slots hold the output and the arguments that a function which makes pieces takes.
[[nodiscard]] Begun begin_pieces(const Callable& callable, const Slots& slots);
// The slots hold the output, the indices and the updates.
void step_piece(const Callable& callable, Begun& begun, const Slots& slots);
void finish_pieces(const Callable& callable, Begun& begun, PyObject* out);

[[nodiscard]] Planned plan_call(const Callable& callable, const Slots& slots);
// From arguments without memory and the places of the points.
[[nodiscard]] Planned plan_arguments(const Callable& callable, SmallVector<Argument, 8> arguments, Dtype updates_dtype,
                                     const RunOptions& options, const ConstTensorRef& places);
// Applies a plan. The slots hold the updates and, as the callable takes them, the first argument or `out`.
[[nodiscard]] nb::object apply_plan(const Callable& callable, const Planned& planned, const Slots& slots);

}  // namespace strew::python
