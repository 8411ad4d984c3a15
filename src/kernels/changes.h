// Writes back the elements of a copy that were changed, and no others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew::internal {

// out[i] = after[i] where its bits differ from before[i]    for i < count
using ChangesKernel = void (*)(std::byte* out, const std::byte* after, const std::byte* before, std::int64_t count);
// For elements of 1, 2, 4, 8 or 16 bytes.
ChangesKernel changes_kernel(std::int64_t bytes);

}  // namespace strew::internal
