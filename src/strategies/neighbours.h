// Shared by `ranges` and `stretches`: both process chunks of single elements whose updates stay near each other.
#pragma once

#include <array>

#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/sample.h"

namespace strew::internal {

inline constexpr std::int64_t min_neighbours_span = 1 << 19;  // bytes of output: smaller ones stay in one thread's cache
inline constexpr std::int64_t max_neighbour_owners = 16;
inline constexpr std::int64_t shared_part = 8;  // threads gain nothing if more than 1 in 8 chunks overlaps several owners

// Whether the job has the required form and, unless it was requested by name, whether its updates are local enough for threads to gain.
inline bool accepts_neighbours(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.gathers || job.element == nullptr || job.counts.widen != nullptr || walk.points.size() != 1 || walk.columns.size() != 1 ||
      !walk.row.empty() || walk.addressed_strides[0] != 0 || walk.columns[0].index_strides[0] == 0 ||
      walk.out_of_range != OutOfRange::error) {
    why = "one dimension of int32 or int64 indices, none skipped or clamped, must address single elements of a common type";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr) {
    why = "there is one thread";
  } else if (reach_of(walk).span < min_neighbours_span) {
    why = "the output is small";
  } else if (const Sample seen = sample(job); !seen.stays_near()) {
    why = "updates do not stay near those before them";
  } else if (seen.has_runs()) {
    why = "most updates go to the same place as the one before";
  } else if (seen.returns()) {
    why = "updates return to the same places";
  }
  return why.empty();
}

// The points of a job in chunks of equal size, the last one shorter.
class Chunks {
 public:
  Chunks(const Job& job, std::int64_t points_each)
      : job_(job),
        size_(points_each),
        count_((job.walk.point_count + points_each - 1) / points_each),
        range_of_(range_kernel(job.walk.columns[0].dtype, job.walk.negative)) {}

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t first(std::int64_t chunk) const { return std::min(chunk * size_, job_.walk.point_count); }
  [[nodiscard]] CoordinateRange range(std::int64_t chunk) const { return range_of_(index_run(job_.walk, first(chunk), first(chunk + 1))); }
  [[nodiscard]] bool is_bad(const CoordinateRange& range) const { return range.low < 0 || range.high >= job_.walk.columns[0].extent; }

  // Steps the chunks [begin, end) into `addressed`, which stands for the job's output. Returns false if an index is bad.
  [[nodiscard]] bool step(std::byte* addressed, std::int64_t begin, std::int64_t end) const {
    return step_points(addressed, first(begin), first(end) - first(begin));
  }

  // The same for one chunk, restricted to points whose coordinates satisfy `is_wanted`.
  template <class IsWanted>
  [[nodiscard]] bool step_where(std::byte* addressed, std::int64_t chunk, IsWanted is_wanted) const {
    std::array<std::int64_t, largest_block> coordinates;
    bool fine = true;
    for (std::int64_t begin = first(chunk), end = first(chunk + 1); begin < end && fine; begin += largest_block) {
      IndexRun run = index_run(job_.walk, begin, std::min(begin + largest_block, end));
      run.stride = 1;
      coordinates.fill(0);
      if (job_.walk.columns[0].kernels.address(run, coordinates.data())) return false;
      each_stretch(
          0, run.count, [&](std::int64_t i) { return is_wanted(coordinates[static_cast<std::size_t>(i)]); },
          [&](std::int64_t at, std::int64_t count) { fine = fine && step_points(addressed, begin + at, count); });
    }
    return fine;
  }

 private:
  [[nodiscard]] bool step_points(std::byte* addressed, std::int64_t begin, std::int64_t count) const {
    const IndexRun run = index_run(job_.walk, begin, begin + count);
    const std::int64_t stream_stride = job_.walk.stream_strides[0];
    return job_.element({.addressed = addressed,
                         .addressed_stride = 0,
                         .index = run.index,
                         .index_stride = run.index_stride,
                         .extent = run.extent,
                         .stride = run.stride,
                         .stream = job_.stream + begin * stream_stride,
                         .stream_stride = stream_stride,
                         .count = count,
                         .is_far = false,
                         .has_runs = false});
  }

  const Job& job_;
  std::int64_t size_, count_;
  RangeKernel range_of_;
};

}  // namespace strew::internal
