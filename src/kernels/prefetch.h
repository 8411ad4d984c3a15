// Software prefetching. Any address is safe: the processor drops prefetches of unmapped memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace strew::internal {

inline constexpr std::int64_t prefetch_distance = 24;  // points between the prefetch of a single element and its step

// base + offset, computed as an integer: pointer arithmetic outside of an object is undefined.
inline const void* address_at(const void* base, std::int64_t offset) {
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset);
  const void* at;
  std::memcpy(&at, &number, sizeof at);
  return at;
}

inline constexpr int first_level = 3, second_level = 2;  // cache levels, as the locality argument of __builtin_prefetch

// Prefetches one cache line, into the second-level cache by default. The first level has few miss buffers and demand loads share them:
// rows and elements in random order are up to 1.5 times as fast this way. Prefetches for writing would go into the first level.
template <int level = second_level>
[[gnu::always_inline]] inline void prefetch(const void* base, std::int64_t offset) {
  asm volatile("");  // g++ drops calls of a function that only prefetches
  __builtin_prefetch(address_at(base, offset), 0, level);
}

inline constexpr std::int64_t line_bytes = 64;

inline bool begins_line(const void* at) { return reinterpret_cast<std::uintptr_t>(at) % line_bytes == 0; }

// Prefetches `bytes` bytes a fixed distance after `at`, in memory that is read sequentially. Some hardware prefetchers do not
// run far enough ahead.
template <int level = second_level>
[[gnu::always_inline]] inline void prefetch_stream(const std::byte* at, std::int64_t bytes) {
  constexpr std::int64_t bytes_ahead = level == first_level ? 2048 : 4096;
  for (std::int64_t line = 0; line < bytes; line += line_bytes) prefetch<level>(at, bytes_ahead + line);
}

}  // namespace strew::internal
