// Asking for memory ahead of time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

// For writing. Any offset will do: one that leads nowhere is ignored by the processor.
inline void prefetch(const std::byte* base, std::int64_t offset) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset)), 1);
}

// For reading.
inline void prefetch_read(const void* base, std::int64_t offset) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset)));
}

}  // namespace strew
