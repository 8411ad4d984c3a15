// The loop over the rows of a block, which asks for the memory of rows that come later.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "kernels/apply.h"
#include "kernels/prefetch.h"

namespace strew::internal {

// How many elements that are `step` bytes apart begin in one line.
[[gnu::always_inline]] inline std::int64_t elements_in_line(std::int64_t step) {
  return line_bytes / std::clamp<std::int64_t>(std::abs(step), 1, line_bytes);
}

// Asks for elements [begin, end) of a row, `step` bytes apart.
[[gnu::always_inline]] inline void ask_for_elements(const std::byte* row, std::int64_t step, std::int64_t begin, std::int64_t end,
                                                    std::int64_t in_line) {
  for (std::int64_t j = begin; j < end; j += in_line) prefetch(row, j * step);
  // It may reach into one line more, unless it is short.
  if (end - begin > in_line / 4) prefetch(row, (end - 1) * step);
}

// Calls step(row, update, begin, end) for the columns [begin, end) of every row, in order. With rows to ask for, columns come a few lines
// at a time, and as many of a later row are asked for with them: a burst of a whole row would fill the buffers for misses and stall.
// The width and the steps are those of the block, or numbers that are known to be.
template <class Step>
[[gnu::always_inline]] inline void each_row(const RowBlock& b, std::int64_t width, std::int64_t place_width_step,
                                            std::int64_t stream_width_step, Step step) {
  constexpr std::int64_t lines_of_tile = 4;
  std::byte *const place = b.addressed, *const stream = b.stream;
  const std::int64_t *const offsets = b.offsets, *const from = b.stream_offsets;
  const std::int64_t rows = b.rows, stream_step = b.stream_step, ahead = b.ahead, asked = ahead > 0 ? b.known - ahead : 0;
  const std::int64_t in_line = elements_in_line(place_width_step), tile = lines_of_tile * in_line;
  const std::int64_t stream_in_line = from == nullptr ? 1 : elements_in_line(stream_width_step);
  const bool is_one_tile = width <= tile;  // known where the width is
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::byte* const update = stream + (from == nullptr ? i * stream_step : from[i]);
    const auto step_tile = [&](std::int64_t begin, std::int64_t end) __attribute__((always_inline)) {
      if (i < asked) {
        ask_for_elements(place + offsets[i + ahead], place_width_step, begin, end, in_line);
        if (from != nullptr) ask_for_elements(stream + from[i + ahead], stream_width_step, begin, end, stream_in_line);
      }
      step(place + offsets[i], update, begin, end);
    };
    if (is_one_tile) {
      step_tile(0, width);
    } else if (asked <= 0) {
      step(place + offsets[i], update, 0, width);
    } else {
      for (std::int64_t begin = 0; begin < width; begin += tile) step_tile(begin, std::min(begin + tile, width));
    }
  }
}

}  // namespace strew::internal
