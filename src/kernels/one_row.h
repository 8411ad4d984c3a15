// A block of row kernels that is a single row.
#pragma once

#include "kernels/apply.h"

namespace strew::internal {

// `width` elements of both tensors, their steps in bytes apart.
inline RowBlock one_row(std::byte* addressed, std::int64_t addressed_step, std::byte* stream, std::int64_t stream_step,
                        std::int64_t width) {
  static constexpr std::int64_t no_offset = 0;
  return {.addressed = addressed,
          .offsets = &no_offset,
          .stream = stream,
          .stream_step = 0,
          .rows = 1,
          .width = width,
          .addressed_width_step = addressed_step,
          .stream_width_step = stream_step};
}

}  // namespace strew::internal
