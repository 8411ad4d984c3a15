// The hint of a spinning thread to its processor.
#pragma once

namespace strew::internal {

// Yields execution resources to the other hardware thread of the core for a few cycles.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace strew::internal
