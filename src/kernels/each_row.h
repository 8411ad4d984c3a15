// The loop over the rows of a block, which prefetches later rows.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "kernels/apply.h"
#include "kernels/prefetch.h"

namespace strew::internal {

// The number of elements, `stride` bytes apart, that begin in one cache line; at least 1.
[[gnu::always_inline]] inline std::int64_t elements_in_line(std::int64_t stride) {
  return line_bytes / std::clamp<std::int64_t>(std::abs(stride), 1, line_bytes);
}

// Prefetches elements [begin, end) of a row, `stride` bytes apart.
[[gnu::always_inline]] inline void prefetch_elements(const std::byte* row, std::int64_t stride, std::int64_t begin, std::int64_t end,
                                                     std::int64_t in_line) {
  for (std::int64_t j = begin; j < end; j += in_line) prefetch(row, j * stride);
  // A row that is not aligned may extend into one more line; short ones rarely do.
  if (end - begin > in_line / 4) prefetch(row, (end - 1) * stride);
}

// Calls step(row, update, begin, end) for the elements [begin, end) of every row, in order. While it prefetches, it splits rows into tiles
// of a few lines and prefetches one tile of a later row with each: prefetching a whole row at once would fill the miss buffers and stall.
// The width and the strides equal those of the block; callers pass constants where they know them.
template <class Step>
[[gnu::always_inline]] inline void each_row(const RowBlock& b, std::int64_t width, std::int64_t addressed_width_stride,
                                            std::int64_t stream_width_stride, Step step) {
  constexpr std::int64_t lines_of_tile = 4;
  std::byte *const addressed = b.addressed, *const stream = b.stream;
  const std::int64_t *const offsets = b.offsets, *const from = b.stream_offsets;
  const std::int64_t rows = b.rows, stream_stride = b.stream_stride, ahead = b.ahead, prefetch_end = ahead > 0 ? b.known - ahead : 0;
  const std::int64_t in_line = elements_in_line(addressed_width_stride), tile = lines_of_tile * in_line;
  const std::int64_t stream_in_line = from == nullptr ? 1 : elements_in_line(stream_width_stride);
  const bool is_one_tile = width <= tile;  // a constant if the width is
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::byte* const update = stream + (from == nullptr ? i * stream_stride : from[i]);
    const auto step_tile = [&](std::int64_t begin, std::int64_t end) __attribute__((always_inline)) {
      if (i < prefetch_end) {
        prefetch_elements(addressed + offsets[i + ahead], addressed_width_stride, begin, end, in_line);
        if (from != nullptr) prefetch_elements(stream + from[i + ahead], stream_width_stride, begin, end, stream_in_line);
      }
      step(addressed + offsets[i], update, begin, end);
    };
    if (is_one_tile) {
      step_tile(0, width);
    } else if (prefetch_end <= 0) {
      step(addressed + offsets[i], update, 0, width);
    } else {
      for (std::int64_t begin = 0; begin < width; begin += tile) step_tile(begin, std::min(begin + tile, width));
    }
  }
}

}  // namespace strew::internal
