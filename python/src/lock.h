// The interpreter's lock, which is released while data is processed, and threads that Python ends after the interpreter has ended.
#pragma once

#include <unistd.h>

#include <exception>
#include <type_traits>

#include "errors.h"

namespace strew::python {

// Blocks until the process exits. A thread that requests the lock after the interpreter has ended must not continue without the lock, and
// must not be unwound as Python before 3.14 does: destructors would release Python objects without the lock.
[[noreturn]] inline void stop_thread() noexcept {
  for (;;) pause();
}

// Runs work that may request the lock, such as code of the caller. Python unwinds a thread that it ends there without a C++ exception,
// so a destructor stops the thread: nothing could be caught while another exception is handled.
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

// Calls a function of Python that may run any code. A thread that ends there is stopped before any caller's frame is destroyed.
template <auto function, class... Arguments>
auto foreign(Arguments... arguments) {
  return outliving_interpreter([&] { return function(arguments...); });
}

// Releases the lock for its lifetime.
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
