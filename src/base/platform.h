// What differs between platforms: the number of processors, and advice about memory. Each has a file platform_*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew::internal {

// Processors that the affinity mask and the cgroup's quota allow this process; at least 1.
[[nodiscard]] std::int64_t usable_processors();

// Asks for huge pages. Only advice: without them the memory works all the same.
void advise_huge_pages(void* memory, std::size_t size);

// Lets the kernel reclaim pages whenever it is short of them; their contents may be lost. Returns false if the platform cannot.
[[nodiscard]] bool offer_pages(void* memory, std::size_t size);

// Returns pages to the kernel at once; their contents are lost.
void drop_pages(void* memory, std::size_t size);

}  // namespace strew::internal
