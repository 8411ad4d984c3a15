// Lets the caller of a run stop it between the last check and the first write.
#pragma once

namespace strew {

// Asked on the calling thread when all indices of a call are known to be good; it throws to stop the call, which has written nothing.
using Ask = void (*)(void* context);
inline constinit thread_local Ask ask_caller = nullptr;
inline constinit thread_local void* ask_context = nullptr;

inline void ask_before_writing() {
  if (ask_caller != nullptr) ask_caller(ask_context);
}

// Whom to ask as long as it lives.
class AskBeforeWriting {
 public:
  AskBeforeWriting(Ask ask, void* context) {
    ask_caller = ask;
    ask_context = context;
  }
  AskBeforeWriting(const AskBeforeWriting&) = delete;
  AskBeforeWriting& operator=(const AskBeforeWriting&) = delete;
  ~AskBeforeWriting() { ask_caller = nullptr; }
};

}  // namespace strew
