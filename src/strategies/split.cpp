// Splits one dimension of the loop nest over threads: one in which each coordinate addresses different elements of the output, so that each
// element still gets its updates in the order of the points.
#include <atomic>
#include <optional>

#include "base/checked.h"
#include "strategies/accumulators.h"
#include "strategies/parallel.h"
#include "strategies/part.h"
#include "strategies/strategy.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_elements = 1 << 14;  // below, waking a thread costs more than it gains
constexpr std::int64_t min_elements_in_rows = 1 << 16;  // with fewer points than that: rows are fast
constexpr std::int64_t min_run = 16;  // elements of the innermost loop per thread
constexpr std::int64_t part_bytes = 1 << 18;  // of accumulators: half of a second-level cache

// The dimension to split.
struct Cut {
  bool of_row;
  std::size_t dimension;
  std::int64_t extent;
};

// Points that differ in a dimension that an axis follows address different elements, and so do the elements of a row. A gather writes every
// point to a different place.
std::optional<Cut> find_cut(const Job& job) {
  const Walk& walk = job.walk;
  for (std::size_t d = 0; d < walk.points.size(); ++d) {
    if (job.gathers || walk.addressed_strides[d] != 0) return Cut{false, d, walk.points[d]};
  }
  if (!walk.row.empty()) return Cut{true, 0, walk.row[0]};
  return std::nullopt;
}

// The part [begin, end) of the dimension.
Job part_of(const Job& job, const Cut& cut, std::int64_t begin, std::int64_t end) {
  const std::size_t d = cut.dimension;
  if (!cut.of_row) return part_of_points(job, d, begin, end);
  Job part = job;
  part.executor = nullptr;
  part.may_stop = false;
  part.addressed += begin * job.walk.addressed_row_strides[d];
  part.stream += begin * job.walk.stream_row_strides[d];
  part.walk.row[d] = end - begin;
  part.walk.row_count = job.walk.row_count / cut.extent * (end - begin);
  return part;
}

// The number of elements per coordinate of the dimension.
std::int64_t inner_elements(const Walk& walk, const Cut& cut) {
  std::int64_t count = cut.of_row ? 1 : walk.row_count;
  const Dims& extents = cut.of_row ? walk.row : walk.points;
  for (std::size_t d = cut.dimension + 1; d < extents.size(); ++d) count *= extents[d];
  return count;
}

// An outer loop is split finely, for load balance and so that the accumulators of a fold fit a cache; the innermost loop only as far as
// runs stay long.
std::int64_t parts_of(const Job& job, const Cut& cut) {
  const std::int64_t inner = inner_elements(job.walk, cut);
  if (!cut.of_row && inner >= min_run) {
    const std::int64_t fitting = job.fold ? Accumulators(job).bytes() / part_bytes : 0;
    return std::min(cut.extent, std::max(4 * job.threads, fitting));
  }
  return std::clamp<std::int64_t>(cut.extent * inner / min_run, 1, std::min(cut.extent, job.threads));
}

bool accepts(const Job& job, std::string_view& why) {
  const std::optional<Cut> cut = find_cut(job);
  if (!job.forced && job.executor == nullptr && !(job.fold && Accumulators(job).bytes() > part_bytes)) {
    why = "there is one thread";
  } else if (!job.forced && job.walk.point_count < min_elements &&
             saturating_mul(job.walk.point_count, job.walk.row_count) < min_elements_in_rows) {
    why = "there is too little work to share";
  } else if (!cut || (!job.forced && parts_of(job, *cut) < 2)) {
    why = "no dimension can be split";
  } else if (cut->of_row && job.counts) {
    why = "a row shares one count of updates";
  }
  return why.empty();
}

// For folds: each lane has accumulators for one part, and claims parts until none is left.
struct Lanes {
  std::int64_t count, bytes;

  Lanes(const Job& job, const Cut& cut) {
    const std::int64_t parts = parts_of(job, cut), longest = (cut.extent + parts - 1) / parts;
    count = std::min(parts, threads_of(job));
    const Job part = part_of(job, cut, 0, longest);
    bytes = (Accumulators(part).bytes() + 63) / 64 * 64;
  }
};

std::int64_t scratch_bytes(const Job& job) {
  const Cut cut = *find_cut(job);
  if (!job.fold || cut.extent == 0) return 0;
  const Lanes lanes(job, cut);
  return saturating_mul(lanes.count, lanes.bytes);
}

bool fold_part(const Job& part, std::byte* memory) {
  Accumulators accumulators(part);
  accumulators.begin(memory);
  if (!run_on_one_thread(accumulators.job())) return false;
  accumulators.finish();
  return true;
}

Outcome run(const Job& job) {
  const Cut cut = *find_cut(job);
  if (cut.extent == 0) return Outcome::done;
  const std::int64_t parts = parts_of(job, cut);
  std::atomic<bool> fine{true};
  const auto part = [&](std::int64_t i) { return part_of(job, cut, cut.extent * i / parts, cut.extent * (i + 1) / parts); };
  if (job.fold) {
    const Lanes lanes(job, cut);
    std::atomic<std::int64_t> next{0};
    parallel(job, lanes.count, [&](std::int64_t lane) {
      for (std::int64_t i = next++; i < parts; i = next++) {
        if (!fold_part(part(i), job.scratch + lane * lanes.bytes)) fine.store(false, std::memory_order_relaxed);
      }
    });
  } else {
    parallel(job, parts, [&](std::int64_t i) {
      if (!run_on_one_thread(part(i))) fine.store(false, std::memory_order_relaxed);
    });
  }
  return outcome_of_writing(fine.load(std::memory_order_relaxed));
}

}  // namespace

extern const Strategy split;
const Strategy split{
    .name = "split",
    .summary = "splits a dimension of the loop over threads",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .folds = true,
};

}  // namespace strew::internal
