// Single elements: each index is read, validated and used in one loop along the last dimension of the points.
#include <algorithm>
#include <array>
#include <optional>

#include "kernels/fused.h"
#include "kernels/one_row.h"
#include "kernels/prefetch.h"
#include "strategies/blocks.h"
#include "strategies/sample.h"
#include "strategies/strategy.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_sampled = 1 << 12;     // points: with fewer, sampling costs more than it gains
constexpr std::int64_t max_prefetched_run = 256;  // elements of a run that is prefetched as a whole

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.element == nullptr) {
    why = "it has no kernel for this operator, dtype and index dtype";
  } else if (walk.columns.size() != 1 || !walk.row.empty()) {
    why = "one column of indices must address single elements";
  } else if (walk.out_of_range != OutOfRange::error) {
    why = "indices out of range are not errors";
  }
  return why.empty();
}

// Updates whose type differs from the accumulators are converted first, a block at a time.
bool widen_and_step(const Job& job, const ElementRun& all) {
  alignas(64) std::array<float, largest_block> wide;
  auto* const buffer = reinterpret_cast<std::byte*>(wide.data());
  ElementRun some = all;
  some.stream = buffer;
  some.stream_stride = sizeof(float);
  for (std::int64_t begin = 0; begin < all.count; begin += largest_block) {
    some.count = std::min(largest_block, all.count - begin);
    auto* const updates = const_cast<std::byte*>(all.stream) + begin * all.stream_stride;  // step kernels only read the stream
    job.counts.widen(one_row(buffer, sizeof(float), updates, all.stream_stride, some.count));
    if (!job.element(some)) return false;
    some.addressed += some.count * all.addressed_stride;
    some.index += some.count * all.index_stride;
  }
  return true;
}

// Prefetches the places of a run.
void prefetch_places(const Column& column, const ElementRun& run) {
  std::array<std::int64_t, max_prefetched_run> offsets;
  for (std::int64_t i = 0; i < run.count; ++i) offsets[static_cast<std::size_t>(i)] = i * run.addressed_stride;
  column.kernels.address({run.index, run.index_stride, run.count, run.extent, run.stride}, offsets.data());
  for (std::int64_t i = 0; i < run.count; ++i) prefetch(run.addressed, offsets[static_cast<std::size_t>(i)]);
}

bool step_run(const Job& job, const ElementRun& run) { return job.counts.widen == nullptr ? job.element(run) : widen_and_step(job, run); }

Outcome run(const Job& job) {
  const Walk& walk = job.walk;
  const Column& column = walk.columns[0];
  if (walk.row_count == 0) return Outcome::done;
  const bool single = walk.points.empty();
  const Sample seen = walk.point_count >= min_sampled ? sample(job) : Sample{};
  ElementRun elements{.addressed = job.addressed,
                      .addressed_stride = single ? 0 : walk.addressed_strides.back(),
                      .index = column.index,
                      .index_stride = single ? 0 : column.index_strides.back(),
                      .extent = column.extent,
                      .stride = column.stride,
                      .stream = job.stream,
                      .stream_stride = single ? 0 : walk.stream_strides.back(),
                      .count = single ? 1 : walk.points.back(),
                      .is_far = prefetching_pays(job) && !seen.stays_near(),
                      .has_runs = seen.has_runs()};
  const auto move_to = [&](const Coordinates& at) {
    elements.addressed = job.addressed + dot(at, walk.addressed_strides);
    elements.index = column.index + dot(at, column.index_strides);
    elements.stream = job.stream + dot(at, walk.stream_strides);
  };
  const bool is_short = elements.count <= max_prefetched_run && elements.count < walk.point_count;
  // Stores do not stall, so for short runs of assignments prefetching costs more than it gains.
  if (is_short && !job.gathers && job.step.properties().replaces) elements.is_far = false;
  if (!elements.is_far || !is_short) {
    return outcome_of_writing(each_run(walk.points, [&](const Coordinates& at) {
      move_to(at);
      return step_run(job, elements);
    }));
  }
  // Runs are shorter than the prefetch distance, so each is processed after the next one was prefetched.
  elements.is_far = false;
  std::optional<ElementRun> before;
  const bool fine = each_run(walk.points, [&](const Coordinates& at) {
    move_to(at);
    prefetch_places(column, elements);
    const bool is_fine = !before || step_run(job, *before);
    before = elements;
    return is_fine;
  });
  return outcome_of_writing(fine && (!before || step_run(job, *before)));
}

}  // namespace

extern const Strategy elements;
const Strategy elements{
    .name = "elements",
    .summary = "one thread, one loop that reads, validates and applies",
    .accepts = &accepts,
    .run = &run,
    .single_threaded = true,
};

}  // namespace strew::internal
