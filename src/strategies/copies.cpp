// Integers that many updates go to: every thread steps a copy of its own, which begins neutral, and the copies are merged at the end.
// Integers wrap and compare without NaN, so the order of steps does not show. Nothing is written before all indices were used.
#include <atomic>
#include <cstring>

#include "base/scratch.h"
#include "kernels/finish.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/strategy.h"

namespace strew {
namespace {

constexpr std::int64_t updates_per_element = 8;       // fewer, and merging costs more than it gains
constexpr std::int64_t largest_copy = 1 << 20;        // bytes: more would leave the cache
constexpr std::int64_t least_points = 1 << 16;

std::int64_t copies_of(const Job& job) { return std::max<std::int64_t>(2, job.threads); }
std::int64_t copy_bytes(const Job& job) { return job.walk.columns[0].extent * job.stream_bytes; }

bool commutes(const Step& step) {
  return is_integer(step.place) && step.place == step.stream && step.reduction != Reduction::assign && step.reduction != Reduction::sub;
}

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.gathers || !commutes(job.step)) {
    why = "the order of steps shows";
  } else if (job.counts.of_row != nullptr) {
    why = "updates are counted";
  } else if (walk.points.size() != 1 || walk.columns.size() != 1 || !walk.row.empty() || walk.place_steps[0] != 0) {
    why = "the indices must be one run that names the elements of a vector";
  } else if (!job.forced && job.executor == nullptr) {
    why = "there is one thread";
  } else if (!job.forced && walk.point_count < least_points) {
    why = "there is too little work to share";
  } else if (!job.forced && (copy_bytes(job) > largest_copy || walk.point_count < updates_per_element * walk.columns[0].extent)) {
    why = "the output is too large for a copy per thread";
  }
  return why.empty();
}

// Steps the points [begin, end) into a copy.
bool run_part(const Job& job, std::byte* copy, std::int64_t begin, std::int64_t end) {
  Job part = job;
  part.executor = nullptr;
  part.place = copy;
  part.stream += begin * job.walk.stream_steps[0];
  part.walk.columns[0].index += begin * job.walk.columns[0].steps[0];
  part.walk.columns[0].stride = job.stream_bytes;
  part.walk.points[0] = part.walk.point_count = end - begin;
  return run_on_one_thread(part);
}

// Steps the elements of a copy that are not neutral into the output; the others may be anybody's.
void merge(const Job& job, std::byte* copy, const std::byte* neutral) {
  const std::int64_t element = job.stream_bytes, stride = job.walk.columns[0].stride, extent = job.walk.columns[0].extent;
  const auto is_neutral = [&](std::int64_t i) { return std::memcmp(copy + i * element, neutral, static_cast<std::size_t>(element)) == 0; };
  for (std::int64_t i = 0; i < extent;) {
    if (is_neutral(i)) {
      ++i;
      continue;
    }
    const std::int64_t first = i, place = i * stride;
    while (i < extent && !is_neutral(i)) ++i;
    job.kernel({job.place, &place, copy + first * element, 0, 1, i - first, stride, element});
  }
}

bool run(const Job& job) {
  const std::int64_t count = copies_of(job), bytes = copy_bytes(job), points = job.walk.point_count;
  if (points == 0) return true;
  if (bytes == 0) return run_on_one_thread(job);
  const Scratch memory(bytes * count);
  if (!memory) return indices_in_range(job) && run_on_one_thread(job);
  const IdentityKernel fill = identity_kernel(job.step.reduction, job.step.compare, job.step.place);
  std::byte neutral[16];
  fill(neutral, 1);
  std::atomic<bool> fine{true};
  parallel(job, count, [&](std::int64_t i) {
    std::byte* const copy = memory.as<std::byte>() + i * bytes;
    fill(copy, job.walk.columns[0].extent);
    if (!run_part(job, copy, points * i / count, points * (i + 1) / count)) fine.store(false, std::memory_order_relaxed);
  });
  if (!fine.load(std::memory_order_relaxed)) return false;
  for (std::int64_t i = 0; i < count; ++i) merge(job, memory.as<std::byte>() + i * bytes, neutral);
  return true;
}

std::int64_t scratch(const Job& job) { return copy_bytes(job) * copies_of(job); }
bool looks_first(const Job&) { return true; }

}  // namespace

extern const Strategy copies;
const Strategy copies{"copies", "every thread steps a copy of its own, and the copies are merged", &accepts, &run, &scratch, &looks_first};

}  // namespace strew
