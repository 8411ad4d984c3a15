// Lets the caller of a run stop it between the last check and the first write.
#pragma once

#include <utility>

namespace strew::internal {

// Asked on the calling thread when all indices of a call are known to be good; it throws to stop the call, which has written nothing.
using Ask = void (*)(void* context);
inline constinit thread_local Ask ask_caller = nullptr;
inline constinit thread_local void* ask_context = nullptr;

inline void ask_before_writing() {
  if (ask_caller != nullptr) ask_caller(ask_context);
}

// Sets whom calls on this thread ask, during its lifetime.
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
