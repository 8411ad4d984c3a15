// The point between the last check and the first write of a call, at which its caller may cancel it.
#pragma once

#include <utility>

namespace strew::internal {

// Called on the calling thread once all indices of a call are validated. It throws to cancel the call before anything is written.
using CancellationCheck = void (*)(void* context);
inline constinit thread_local CancellationCheck cancellation_check = nullptr;
inline constinit thread_local void* cancellation_context = nullptr;

// Calls the check of this thread, if it has one; passes its exceptions on.
inline void cancellation_point() {
  if (cancellation_check != nullptr) cancellation_check(cancellation_context);
}

// Installs a check for calls on this thread, during its own lifetime. A null one installs none. Nests.
class CancellationScope {
 public:
  CancellationScope(CancellationCheck check, void* context)
      : outer_(std::exchange(cancellation_check, check)), outer_context_(std::exchange(cancellation_context, context)) {}
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;
  ~CancellationScope() {
    cancellation_check = outer_;
    cancellation_context = outer_context_;
  }

 private:
  const CancellationCheck outer_;
  void* const outer_context_;
};

}  // namespace strew::internal
