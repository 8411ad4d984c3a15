// A callback between the last check and the first write of a call, which may stop the call.
#pragma once

#include <utility>

namespace strew::internal {

// Called on the calling thread once all indices of a call are validated. It throws to stop the call before anything is written.
using Ask = void (*)(void* context);
inline constinit thread_local Ask ask_caller = nullptr;
inline constinit thread_local void* ask_context = nullptr;

// Calls the callback of this thread, if it has one; passes its exceptions on.
inline void ask_before_writing() {
  if (ask_caller != nullptr) ask_caller(ask_context);
}

// Installs a callback for calls on this thread, during its own lifetime. A null one installs none. Nests.
class AskBeforeWriting {
 public:
  AskBeforeWriting(Ask ask, void* context) : outer_(std::exchange(ask_caller, ask)), outer_context_(std::exchange(ask_context, context)) {}
  AskBeforeWriting(const AskBeforeWriting&) = delete;
  AskBeforeWriting& operator=(const AskBeforeWriting&) = delete;
  ~AskBeforeWriting() {
    ask_caller = outer_;
    ask_context = outer_context_;
  }

 private:
  const Ask outer_;
  void* const outer_context_;
};

}  // namespace strew::internal
