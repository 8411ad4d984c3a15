// Folds one row of the output after another. With all updates of a row at hand, it needs accumulators only for a few columns at a time,
// which stay in the first-level cache, and no counts.
#pragma once

#include <array>

#include "kernels/one_row.h"
#include "strategies/row_stepper.h"

namespace strew::internal {

// An update of the row, and the row and update to prefetch meanwhile, as offsets in bytes.
struct FoldedUpdate {
  std::int64_t stream, next_offset, next_stream;
};

// Processes the columns [begin, end) of rows of a job with a fold.
class RowFolder {
 public:
  RowFolder(const Job& job, std::int64_t begin, std::int64_t end)
      : job_(job),
        element_(size_of(job.step.addressed)),
        addressed_stride_(job.walk.row.empty() ? 0 : job.walk.addressed_row_strides[0]),
        stream_stride_(job.walk.row.empty() ? 0 : job.walk.stream_row_strides[0]),
        addressed_(job.addressed + begin * addressed_stride_),
        stream_(job.stream + begin * stream_stride_),
        width_(end - begin),
        tile_(tile_bytes / element_),
        prefetches_(rows_are_dense(job)) {}

  // Folds the row at `offset` with `count` updates, at least one; update(i) is the i-th.
  template <class Update>
  void fold(std::int64_t offset, std::int64_t count, const Update& update) const {
    alignas(64) std::array<std::byte, tile_bytes> accumulators;
    const Folding& fold = job_.fold;
    for (std::int64_t at = 0; at < width_; at += tile_) {
      const std::int64_t width = std::min(tile_, width_ - at);
      std::byte *const addressed = addressed_ + at * addressed_stride_, *const updates = stream_ + at * stream_stride_;
      RowBlock block = one_row(accumulators.data(), element_, addressed + offset, addressed_stride_, width);
      if (!fold.from_output) {
        block.stream = const_cast<std::byte*>(fold.neutral);  // step kernels only read the stream
        block.stream_width_stride = 0;
      }
      if (fold.begin != nullptr) fold.begin(block);
      block.stream_width_stride = stream_stride_;
      for (std::int64_t i = 0; i < count; ++i) {
        const FoldedUpdate one = update(i);
        if (prefetches_) prefetch_bytes(updates + one.next_stream, width * stream_stride_);
        if (prefetches_ && one.next_offset != offset) prefetch_bytes(addressed + one.next_offset, width * addressed_stride_);
        block.stream = updates + one.stream;
        (i == 0 && fold.begin == nullptr ? fold.first : job_.kernel)(block);
      }
      fold.finish({.accumulators = accumulators.data(),
                   .stride = 0,
                   .counts = reinterpret_cast<const std::byte*>(&count),
                   .wide_counts = true,
                   .self = fold.self(),
                   .out = addressed + offset,
                   .out_stride = 0,
                   .rows = 1,
                   .width = width,
                   .out_width_stride = addressed_stride_});
    }
  }

 private:
  static constexpr std::int64_t tile_bytes = 2048;

  const Job& job_;
  std::int64_t element_, addressed_stride_, stream_stride_;
  std::byte *addressed_, *stream_;
  std::int64_t width_, tile_;
  bool prefetches_;
};

}  // namespace strew::internal
