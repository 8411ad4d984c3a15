// Steps one row after another and prefetches later rows meanwhile.
#pragma once

#include "kernels/one_row.h"
#include "kernels/prefetch.h"
#include "strategies/targets.h"

namespace strew::internal {

inline constexpr std::int64_t rows_ahead = 8;  // prefetch distance

inline void prefetch_bytes(const std::byte* at, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += line_bytes) prefetch(at, i);
  if (!begins_line(at)) prefetch(at, bytes - 1);  // it may extend into one more line
}

// Processes the columns [begin, end) of rows. Prefetches are spread over the row, a few lines with each tile: a burst at its start would
// exhaust the miss buffers and stall.
class RowStepper {
 public:
  RowStepper(const Job& job, std::int64_t begin, std::int64_t end)
      : addressed_stride_(job.walk.row.empty() ? 0 : job.walk.addressed_row_strides[0]),
        stream_stride_(job.walk.row.empty() ? 0 : job.walk.stream_row_strides[0]),
        addressed_(job.addressed + begin * addressed_stride_),
        stream_(job.stream + begin * stream_stride_),
        width_(end - begin),
        prefetches_(rows_are_dense(job)) {
    const std::int64_t bytes = width_ * job.stream_bytes, tiles = (bytes + tile_bytes - 1) / tile_bytes;
    tile_ = (width_ + tiles - 1) / tiles;
  }

  // Steps the row at `offset` with the updates at `stream`, both in bytes.
  void step(RowKernel kernel, std::int64_t offset, std::int64_t stream, std::int64_t next_offset, std::int64_t next_stream) const {
    for (std::int64_t at = 0; at < width_; at += tile_) {
      const std::int64_t width = at + tile_ < width_ ? tile_ : width_ - at;
      std::byte *const addressed = addressed_ + at * addressed_stride_, *const updates = stream_ + at * stream_stride_;
      if (prefetches_) prefetch_bytes(updates + next_stream, width * stream_stride_);
      if (prefetches_ && next_offset != offset) prefetch_bytes(addressed + next_offset, width * addressed_stride_);
      kernel(one_row(addressed + offset, addressed_stride_, updates + stream, stream_stride_, width));
    }
  }

 private:
  static constexpr std::int64_t tile_bytes = 256;

  std::int64_t addressed_stride_, stream_stride_;
  std::byte *addressed_, *stream_;
  std::int64_t width_, tile_ = 1;
  bool prefetches_;
};

}  // namespace strew::internal
