// The reference: points in row-major order, one by one. Every other strategy must give the same bits.
#include <string_view>

#include "strategies/blocks.h"
#include "strategies/step.h"
#include "strategies/strategy.h"

namespace strew::internal {
namespace {

bool accepts_all(const Job&, std::string_view&) { return true; }

Outcome run_in_order(const Job& job) {
  const std::int64_t stream_stride = job.walk.points.empty() ? 0 : job.walk.stream_strides.back();
  const bool skips = job.walk.out_of_range == OutOfRange::skip;
  const auto step_all = prefetching_pays(job) ? &step_ahead : &step;
  const bool all_good = each_block(job, [&](const std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
    const Points points{offsets, count, job.stream + stream, stream_stride};
    if (!skips) {
      step_all(job, points);
      return;
    }
    each_kept(offsets, count, [&](std::int64_t first, std::int64_t kept) { step_all(job, points.part(first, kept)); });
  });
  return !all_good && is_one_block(job) ? Outcome::bad_index : outcome_of_writing(all_good);
}

}  // namespace

extern const Strategy serial;
const Strategy serial{
    .name = "serial",
    .summary = "one thread, points in row-major order",
    .accepts = &accepts_all,
    .run = &run_in_order,
    .validates_before_writing = &is_one_block,
    .single_threaded = true,
};

}  // namespace strew::internal
