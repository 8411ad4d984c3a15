// Rows that wait to be stepped, one after the other: those that come later are asked for meanwhile, whatever the size of the blocks in
// which they arrive.
#pragma once

#include <array>

#include "strategies/blocks.h"
#include "strategies/targets.h"

namespace strew {

// A row and its updates, as offsets in bytes.
struct QueuedRow {
  std::int64_t offset, stream;
  bool kept = true;
};

// The columns [begin, end) of rows.
class RowQueue {
 public:
  // Whether rows of a job can wait here.
  static bool serves(const Job& job) {
    return !job.counts && !job.fold && !job.gathers && job.stream_bytes > 0 && updates_are_dense(job) && places_are_dense(job);
  }

  // Updates that do not come in order are asked for as well.
  RowQueue(const Job& job, std::int64_t begin, std::int64_t end, bool updates_in_order) : kernel_(job.kernel) {
    const bool single = job.walk.row.empty();
    const std::int64_t place_step = single ? 0 : job.walk.place_row_steps[0], stream_step = single ? 0 : job.walk.stream_row_steps[0];
    const std::int64_t bytes = std::max<std::int64_t>((end - begin) * job.stream_bytes, 1);
    block_ = {job.place + begin * place_step,
              offsets_.data(),
              job.stream + begin * stream_step,
              0,
              0,
              end - begin,
              place_step,
              stream_step,
              std::clamp(bytes_ahead / bytes, least_ahead, most_ahead),
              0,
              stream_offsets_.data(),
              !updates_in_order};
  }

  // Appends row(0), ..., row(count - 1), at most a block: those that are kept. No branch is taken on that.
  template <class Row>
  void add(std::int64_t count, const Row& row) {
    if (count_ > room) step(count_ - block_.ahead);
    auto next = static_cast<std::size_t>(count_);
    for (std::int64_t i = 0; i < count; ++i) {
      const QueuedRow one = row(i);
      offsets_[next] = one.offset;
      stream_offsets_[next] = one.stream;
      next += one.kept ? 1 : 0;
    }
    count_ = static_cast<std::int64_t>(next);
  }
  void step_all() { step(count_); }

 private:
  static constexpr std::int64_t bytes_ahead = 4096, least_ahead = 8, most_ahead = 64;
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
  std::array<std::int64_t, room + largest_block + 1> offsets_, stream_offsets_;  // one more is written when it is not kept
};

}  // namespace strew
