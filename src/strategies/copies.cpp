// A small output whose updates may be combined in any grouping: each thread steps its share of the points into its own copy, which begins
// as the identity. The copies are merged into the output in the order of the points, so indices are validated as they are read.
#include <array>
#include <atomic>

#include "base/scratch.h"
#include "kernels/finish.h"
#include "kernels/one_row.h"
#include "kernels/types.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/part.h"
#include "strategies/strategy.h"

namespace strew::internal {
namespace {

constexpr std::int64_t updates_per_element = 4;   // with fewer, copying costs more than a pass over the indices
constexpr std::int64_t max_copy_bytes = 1 << 22;  // bytes: larger copies exceed the second-level cache
constexpr std::int64_t min_elements = 1 << 15;
constexpr std::int64_t min_points_per_copy = 1 << 15;  // per copy

std::int64_t copy_bytes(const Job& job) { return job.walk.columns[0].extent * job.stream_bytes; }

std::int64_t copies_of(const Job& job) {
  // If requested by name, copies take at most as many bytes as the updates.
  if (job.forced)
    return std::clamp<std::int64_t>(
        job.threads, 2, std::max<std::int64_t>(2, job.walk.point_count / std::max<std::int64_t>(1, job.walk.columns[0].extent)));
  return std::clamp<std::int64_t>(job.walk.point_count / std::max(min_points_per_copy, updates_per_element * job.walk.columns[0].extent), 1,
                                  threads_of(job));
}

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.gathers || job.stream_bytes == 0 || job.step.addressed != job.step.stream) {
    why = "updates and output must be numbers of one type";
  } else if (job.counts) {
    why = "the fold counts updates";
  } else if (walk.points.size() != 1 || walk.columns.size() != 1 || !walk.row.empty() || walk.addressed_strides[0] != 0 ||
             walk.columns[0].stride != job.stream_bytes) {
    why = "one dimension of indices must address a dense vector";
  } else if (!job.step.properties().combines() || job.step.addressed == Dtype::bool_) {
    // A bool in memory may be any byte, and merging even the identity would make it 0 or 1.
    why = "the reduction is not associative, or has no identity, for this dtype";
  } else if (!job.forced && job.executor == nullptr) {
    why = "there is one thread";
  } else if (!job.forced && (copy_bytes(job) > max_copy_bytes || copies_of(job) < 2)) {
    why = "the output is large for the number of updates";
  }
  return why.empty();
}

bool run_part(const Job& job, std::byte* copy, std::int64_t begin, std::int64_t end) {
  Job part = part_of_points(job, 0, begin, end);
  part.addressed = copy;
  return run_on_one_thread(part);
}

// Calls use(first, count) for each run of elements of a copy whose bits differ from `neutral`.
template <class Use>
void each_change(const Job& job, const std::byte* copy, const std::byte* neutral, const Use& use) {
  const auto find = [&]<class Bits>(Tag<Bits>) {
    const auto bits_at = [](const std::byte* at, std::int64_t i) { return load<Bits>(at + i * static_cast<std::int64_t>(sizeof(Bits))); };
    each_stretch(
        0, job.walk.columns[0].extent, [&](std::int64_t i) { return bits_at(copy, i) != bits_at(neutral, 0); }, use);
  };
  switch (job.stream_bytes) {
    case 1: return find(Tag<std::uint8_t>{});
    case 2: return find(Tag<std::uint16_t>{});
    case 4: return find(Tag<std::uint32_t>{});
    case 8: return find(Tag<std::uint64_t>{});
    default: return find(Tag<std::array<std::uint64_t, 2>>{});
  }
}

// Merges the changed elements of a copy into the output. Unchanged elements are not written: another thread may be writing them.
void step_changes(const Job& job, std::byte* copy, const std::byte* neutral) {
  const std::int64_t element = job.stream_bytes;
  each_change(job, copy, neutral, [&](std::int64_t first, std::int64_t count) {
    const std::int64_t offset = first * element;
    job.kernel(one_row(job.addressed + offset, element, copy + offset, element, count));
  });
}

Outcome run_on_copies(const Job& job, std::byte* memory, std::int64_t count) {
  const std::int64_t bytes = copy_bytes(job), points = job.walk.point_count;
  const IdentityKernel fill = identity_kernel(job.step.reduction, job.step.compare, job.step.addressed);
  std::byte neutral[16];
  fill(neutral, 1);
  std::atomic<bool> fine{true};
  parallel(job, count, [&](std::int64_t i) {
    fill(memory + i * bytes, job.walk.columns[0].extent);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // draft.cpp says why
    if (!run_part(job, memory + i * bytes, points * i / count, points * (i + 1) / count)) fine.store(false, std::memory_order_relaxed);
  });
  if (!fine.load(std::memory_order_relaxed)) return Outcome::bad_index;
  cancellation_point(job);
  for (std::int64_t i = 0; i < count; ++i) step_changes(job, memory + i * bytes, neutral);
  return Outcome::done;
}

std::int64_t scratch_bytes(const Job& job) { return copy_bytes(job) * copies_of(job); }
Outcome run(const Job& job) {
  if (copy_bytes(job) == 0 || job.walk.point_count == 0) return outcome_of_writing(run_on_one_thread(job));
  const Scratch memory(scratch_bytes(job));
  return memory ? run_on_copies(job, memory.as<std::byte>(), copies_of(job)) : run_without_scratch(job);
}

}  // namespace

extern const Strategy copies;
const Strategy copies{
    .name = "copies",
    .summary = "each thread applies its updates to a copy of a small output, copies are merged",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
};

}  // namespace strew::internal
