// Steps a list of places and points in the order of the list.
#pragma once

#include <array>

#include "kernels/prefetch.h"
#include "strategies/blocks.h"
#include "strategies/replay.h"
#include "strategies/row_stepper.h"
#include "strategies/step.h"

namespace strew {

// With each row the start of a row further on is asked for; the processor finds the rest itself, and more could not be on its way.
inline constexpr std::int64_t asked_bytes = 256;

// Rows, one after the other.
template <class N>
void step_rows(const Job& job, const N* places, const N* points, std::int64_t count) {
  const Numbering& numbering = *job.numbering;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t place = numbering.places.offset(static_cast<std::int64_t>(places[i]));
    const std::int64_t ahead = numbering.points.offset(static_cast<std::int64_t>(points[std::min(i + rows_ahead, count - 1)]));
    for (std::int64_t line = 0; line < asked_bytes; line += 64) prefetch(job.stream, ahead + line);
    step(job, {&place, 1, job.stream + numbering.points.offset(static_cast<std::int64_t>(points[i])), 0});
  }
}

// Single elements pass through a buffer, so that one call of the kernel steps many.
template <class N>
void step_elements(const Job& job, const N* places, const N* points, std::int64_t count) {
  std::array<std::int64_t, largest_block> from, offsets;
  alignas(64) std::array<std::byte, largest_block * 16> buffer;
  for (std::int64_t i = 0; i < count; i += job.block_points) {
    const std::int64_t some = std::min(job.block_points, count - i);
    job.numbering->points.offsets(0, points + i, some, from.data());
    job.numbering->places.offsets(0, places + i, some, offsets.data());
    job.numbering->move({job.stream, from.data(), buffer.data(), job.stream_bytes, some, 1, 0, 0});
    step(job, {offsets.data(), some, buffer.data(), job.stream_bytes});
  }
}

template <class N>
void step_pairs(const Job& job, const N* places, const N* points, std::int64_t count) {
  if (job.walk.row.empty() && job.stream_bytes > 0) {
    step_elements(job, places, points, count);
  } else {
    step_rows(job, places, points, count);
  }
}

}  // namespace strew
