// Elements of any dtype as short text.
#pragma once

#include <cstddef>
#include <string>

#include "core/view.h"

namespace strew::internal {

// The address of an element of a view.
[[nodiscard]] const std::byte* element_at(const View& view, Sizes position);

// One element in at most about `most` characters: floats are rounded, integers and strings cut. `element` need not be aligned.
[[nodiscard]] std::string element_text(Dtype dtype, const void* element, std::size_t most);

// Elements in row-major order as nested lists on one line. Of a large view only the first and last elements along each axis are shown.
[[nodiscard]] std::string view_text(const View& view);

}  // namespace strew::internal
