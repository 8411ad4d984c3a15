// A queue of rows to be stepped. Later rows are prefetched meanwhile, whatever the size of the blocks in which they arrive.
#pragma once

#include <array>

#include "strategies/blocks.h"
#include "strategies/readers.h"
#include "strategies/targets.h"

namespace strew::internal {

// Processes the columns [begin, end) of rows.
class RowQueue {
 public:
  // Whether the rows of a job can be queued.
  static bool serves(const Job& job) {
    return !job.counts && !job.fold && !job.gathers && job.stream_bytes > 0 && updates_are_dense(job) && places_are_dense(job);
  }

  RowQueue(const Job& job, std::int64_t begin, std::int64_t end) : kernel_(job.kernel) {
    const bool single = job.walk.row.empty();
    const std::int64_t addressed_stride = single ? 0 : job.walk.addressed_row_strides[0],
                       stream_stride = single ? 0 : job.walk.stream_row_strides[0];
    const std::int64_t bytes = std::max<std::int64_t>((end - begin) * job.stream_bytes, 1);
    block_ = {.addressed = job.addressed + begin * addressed_stride,
              .offsets = offsets_.data(),
              .stream = job.stream + begin * stream_stride,
              .stream_stride = 0,
              .rows = 0,
              .width = end - begin,
              .addressed_width_stride = addressed_stride,
              .stream_width_stride = stream_stride,
              .ahead = std::clamp(bytes_ahead / bytes, min_ahead, max_ahead),
              .known = 0,
              .stream_offsets = stream_offsets_.data()};
  }

  // Appends up to a block of rows: fill(offsets, streams) writes them and returns their number.
  template <class Fill>
  void append(const Fill& fill) {
    if (count_ > room) step(count_ - block_.ahead);
    count_ += fill(offsets_.data() + count_, stream_offsets_.data() + count_);
  }
  void step_all() { step(count_); }

 private:
  static constexpr std::int64_t bytes_ahead = 8192, min_ahead = 8, max_ahead = 64;
  static constexpr std::int64_t room = 1024;

  void step(std::int64_t rows) {
    block_.rows = rows;
    block_.known = count_;
    kernel_(block_);
    std::copy(offsets_.begin() + rows, offsets_.begin() + count_, offsets_.begin());
    std::copy(stream_offsets_.begin() + rows, stream_offsets_.begin() + count_, stream_offsets_.begin());
    count_ -= rows;
  }

  RowKernel kernel_;
  RowBlock block_;
  std::int64_t count_ = 0;
  std::array<std::int64_t, room + largest_block> offsets_, stream_offsets_;
};

// Whether `owners` could run the job: then rows of more than a few bytes need not be copied.
inline bool rows_have_owners(const Job& job) { return RowQueue::serves(job) && job.threads <= max_readers; }

}  // namespace strew::internal
