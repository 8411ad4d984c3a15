// Ctrl-C during a call that has written nothing yet.
#pragma once

#include <cstdint>
#include <type_traits>

namespace strew::python {

// From this many elements on, Ctrl-C is checked for again before every pass that precedes the first write.
inline constexpr std::int64_t long_elements = 1 << 20;

// Thrown to stop a call.
struct Interrupted {};

// For without_lock(). Python's signal handlers may run any code, which must not happen while addresses are in use. So this only tests for a
// pending signal, which clears it; its handler is called after the call has been left.
void stop_if_interrupted(void* unlocked);
void handle_interrupt();

// Calls once(true), and once(false) if a signal has stopped that and its handler raised no exception: the call then continues.
template <class Once>
std::invoke_result_t<Once, bool> interruptible(const Once& once) {
  try {
    return once(true);
  } catch (const Interrupted&) {
  }
  handle_interrupt();
  return once(false);
}

}  // namespace strew::python
