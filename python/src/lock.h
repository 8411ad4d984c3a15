// The interpreter's lock: given back while data moves, and threads that Python ends because the interpreter has.
#pragma once

#include <unistd.h>

#include <exception>
#include <type_traits>

#include "errors.h"

namespace strew::python {

// Waits until the process is over. A thread that wants the lock when the interpreter has ended must neither go on, because it has no
// lock, nor be unwound as Python before 3.14 would: destructors would let go of Python objects without the lock.
[[noreturn]] inline void stop_thread() noexcept {
  for (;;) pause();
}

// Runs work that may ask for the lock, so also any code of the caller's. A thread that Python ends there is unwound without an exception
// of C++'s: it is stopped by a destructor, because none may be caught while another one is handled.
template <class Work>
std::invoke_result_t<Work> outliving_interpreter(Work work) {
  struct Guard {
    int exceptions = std::uncaught_exceptions();
    bool is_done = false;
    ~Guard() {
      if (!is_done && std::uncaught_exceptions() == exceptions) stop_thread();
    }
  } guard;
  if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
    work();
    guard.is_done = true;
  } else {
    std::invoke_result_t<Work> result = work();
    guard.is_done = true;
    return result;
  }
}

// A function of Python's that may run any code. A thread that ends there is stopped before anything around the call is destroyed.
template <auto function, class... Arguments>
auto foreign(Arguments... arguments) {
  return outliving_interpreter([&] { return function(arguments...); });
}

// Without the lock as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  // Runs short work with the lock.
  template <class Work>
  std::invoke_result_t<Work> with_lock(Work work) {
    outliving_interpreter([&] { PyEval_RestoreThread(state_); });
    const auto result = work();
    state_ = PyEval_SaveThread();
    return result;
  }
  ~Unlocked() {
    outliving_interpreter([&] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

}  // namespace strew::python
