// The law: points in row-major order, one after the other. Every other strategy must give these bits.
#include <string_view>

#include "strategies/blocks.h"
#include "strategies/strategy.h"

namespace strew {
namespace {

bool accepts_all(const Job&, std::string_view&) { return true; }

// Calls use(first, count) for each stretch of points that are not left out.
template <class Use>
void each_kept(const std::int64_t* offsets, std::int64_t count, Use use) {
  for (std::int64_t i = 0; i < count;) {
    if (offsets[i] == skipped) {
      ++i;
      continue;
    }
    const std::int64_t first = i;
    while (i < count && offsets[i] != skipped) ++i;
    use(first, i - first);
  }
}

// Steps one block, counting the updates of each row where the fold needs it.
void step_block(const Job& job, const std::int64_t* offsets, std::int64_t count, std::int64_t stream, std::int64_t stream_step) {
  const Counts& counts = job.counts;
  if (counts.of_row == nullptr) {
    each_row_run(job, job.kernel, offsets, count, stream);
    return;
  }
  if (counts.first == nullptr) {
    for (std::int64_t i = 0; i < count; ++i) ++counts.of_row[offsets[i] / counts.row_bytes];
    each_row_run(job, job.kernel, offsets, count, stream);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_first = counts.of_row[offsets[i] / counts.row_bytes]++ == 0;
    each_row_run(job, is_first ? counts.first : job.kernel, offsets + i, 1, stream + i * stream_step);
  }
}

bool run_in_order(const Job& job) {
  const std::int64_t stream_step = job.walk.points.empty() ? 0 : job.walk.stream_steps.back();
  const bool skips = job.walk.out_of_range == OutOfRange::skip;
  return each_block(job, [&](const std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
    if (!skips) {
      step_block(job, offsets, count, stream, stream_step);
      return;
    }
    each_kept(offsets, count, [&](std::int64_t first, std::int64_t kept) {
      step_block(job, offsets + first, kept, stream + first * stream_step, stream_step);
    });
  });
}

}  // namespace

extern const Strategy serial;
const Strategy serial{"serial", "one thread, points in row-major order", &accepts_all, &run_in_order};

}  // namespace strew
