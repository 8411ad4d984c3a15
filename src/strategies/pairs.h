// Steps a list of places and points in the order of the list.
#pragma once

#include <array>

#include "strategies/blocks.h"
#include "strategies/replay.h"
#include "strategies/row_queue.h"
#include "strategies/row_stepper.h"
#include "strategies/step.h"

namespace strew::internal {

// Rows one by one; later ones are prefetched if rows are dense.
template <class N>
void step_rows(const Job& job, const N* places, const N* points, std::int64_t count) {
  const Numbering& numbering = *job.numbering;
  if (!RowQueue::serves(job)) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t offset = numbering.places.offset(static_cast<std::int64_t>(places[i]));
      prefetch(job.stream, numbering.points.offset(static_cast<std::int64_t>(points[std::min(i + rows_ahead, count - 1)])));
      step(job, {&offset, 1, job.stream + numbering.points.offset(static_cast<std::int64_t>(points[i])), 0});
    }
    return;
  }
  RowQueue queue(job, 0, job.walk.row_count);
  for (std::int64_t i = 0; i < count; i += largest_block) {
    const std::int64_t some = std::min(largest_block, count - i);
    queue.append([&](std::int64_t* offsets, std::int64_t* streams) {
      numbering.places.offsets(0, places + i, some, offsets);
      numbering.points.offsets(0, points + i, some, streams);
      return some;
    });
  }
  queue.step_all();
}

// Single elements are gathered into a buffer, so that one kernel call steps many.
template <class N>
void step_elements(const Job& job, const N* places, const N* points, std::int64_t count) {
  std::array<std::int64_t, largest_block> from, offsets;
  alignas(64) std::array<std::byte, largest_block * 16> buffer;
  for (std::int64_t i = 0; i < count; i += job.block_points) {
    const std::int64_t some = std::min(job.block_points, count - i);
    job.numbering->points.offsets(0, points + i, some, from.data());
    job.numbering->places.offsets(0, places + i, some, offsets.data());
    job.numbering->move({.addressed = job.stream,
                         .offsets = from.data(),
                         .stream = buffer.data(),
                         .stream_stride = job.stream_bytes,
                         .rows = some,
                         .width = 1,
                         .addressed_width_stride = 0,
                         .stream_width_stride = 0});
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

}  // namespace strew::internal
