// The interpreter's lock: given back while data moves, and threads that Python ends because the interpreter has.
#pragma once

#include <unistd.h>

#include <type_traits>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

#include "errors.h"

namespace strew::python {

// Waits until the process is over. A thread that wants the lock when the interpreter has ended must neither go on, because it has no
// lock, nor be unwound as Python before 3.14 would: destructors would let go of Python objects without the lock.
[[noreturn]] inline void stop_thread() noexcept {
  for (;;) pause();
}

// Runs work that may ask for the lock, so also any code of the caller's.
template <class Work>
std::invoke_result_t<Work> outliving_interpreter(Work work) {
#ifdef __GLIBCXX__
  try {
    return work();
  } catch (const abi::__forced_unwind&) {
    stop_thread();
  }
#else
  return work();
#endif
}

// Without the lock as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    outliving_interpreter([&] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

}  // namespace strew::python
