// What a thread does that waits for another one which is about to be ready.
#pragma once

namespace strew::internal {

// Leaves the processor to its other thread for a moment.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace strew::internal
