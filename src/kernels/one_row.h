// A block of row kernels that is a single row.
#pragma once

#include "kernels/apply.h"

namespace strew::internal {

// `width` elements of both tensors, their strides in bytes apart.
inline RowBlock one_row(std::byte* addressed, std::int64_t addressed_stride, std::byte* stream, std::int64_t stream_stride,
                        std::int64_t width) {
  static constexpr std::int64_t no_offset = 0;
  return {.addressed = addressed,
          .offsets = &no_offset,
          .stream = stream,
          .stream_stride = 0,
          .rows = 1,
          .width = width,
          .addressed_width_stride = addressed_stride,
          .stream_width_stride = stream_stride};
}

}  // namespace strew::internal
