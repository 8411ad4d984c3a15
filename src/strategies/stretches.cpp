// For local updates, many per element of the output: each thread steps a range of the updates (a stretch) into its own copy of the output,
// so every index is read once. Where stretches overlap, the updates of the later one are repeated on top of the earlier one's result.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "base/checked.h"
#include "base/scratch.h"
#include "kernels/changes.h"
#include "strategies/draft.h"
#include "strategies/neighbours.h"
#include "strategies/strategy.h"

namespace strew::internal {

extern const Strategy stretches;

namespace {

constexpr std::int64_t min_elements = 1 << 16;
constexpr std::int64_t chunk_points = 1 << 12;
constexpr std::int64_t sampled_chunks = 16;  // of each stretch
constexpr std::int64_t task_elements = 1 << 16;

std::int64_t copy_bytes(const Job& job) { return saturating_mul(job.walk.columns[0].extent, job.stream_bytes); }

bool accepts(const Job& job, std::string_view& why) {
  if (!accepts_neighbours(job, why)) return false;
  const Column& column = job.walk.columns[0];
  // Between the places of a walk with gaps lies memory of others, which must not be copied.
  const bool is_dense = !job.walk.has_gaps && std::abs(column.stride) == job.stream_bytes;
  if (job.counts || job.fold || job.step.addressed != job.step.stream || !is_dense) {
    why = "the indices must address a dense vector, without a fold";
  } else if (!job.forced && !pays_as_draft(job.walk.point_count, saturating_mul(column.extent, threads_of(job)), copy_bytes(job))) {
    why = "the output is large for the number of updates";
  }
  return why.empty();
}

bool is_none(const CoordinateRange& range) { return range.low > range.high; }
bool contains(const CoordinateRange& range, std::int64_t coordinate) { return range.low <= coordinate && coordinate <= range.high; }
CoordinateRange intersection(const CoordinateRange& a, const CoordinateRange& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}
void extend(CoordinateRange& range, const CoordinateRange& by) {
  range = is_none(range) ? by : CoordinateRange{std::min(range.low, by.low), std::max(range.high, by.high)};
}

class Stretches {
 public:
  explicit Stretches(const Job& job)
      : job_(job),
        chunks_(job, chunk_points),
        count_(std::clamp<std::int64_t>(threads_of(job), 2, max_neighbour_owners)),
        bytes_(copy_bytes(job)),
        low_(std::min<std::int64_t>(job.walk.columns[0].stride, 0) * std::max<std::int64_t>(job.walk.columns[0].extent - 1, 0)) {
    ranges_.fill({0, -1});
  }

  // The original output, a copy for each stretch, and the range of each chunk.
  [[nodiscard]] std::int64_t scratch_bytes() const { return saturating_add(saturating_mul(count_ + 1, bytes_), range_bytes()); }

  // Whether the output ranges of stretches overlap little, judged by a sample of their chunks or by all of them.
  bool are_apart(bool by_all) {
    if (chunks_.count() < count_) return false;
    parallel(job_, count_, [&](std::int64_t t) {
      const std::int64_t begin = first_chunk(t), end = first_chunk(t + 1),
                         seen = by_all ? end - begin : std::min(sampled_chunks, end - begin);
      for (std::int64_t i = 0; i < seen; ++i) extend(range_of(t), chunks_.range(begin + (end - begin) * i / seen));
    });
    if (std::any_of(ranges_.begin(), ranges_.begin() + count_, [&](const CoordinateRange& range) { return chunks_.is_bad(range); }))
      return false;
    std::int64_t covered = 0;
    CoordinateRange all{0, -1};
    for (const CoordinateRange& range : ranges_) {
      if (is_none(range)) continue;
      covered += range.high - range.low + 1;
      extend(all, range);
    }
    if (is_none(all)) return false;
    const bool apart = covered - (all.high - all.low + 1) <= (all.high - all.low + 1) / shared_part;
    if (!by_all) ranges_.fill({0, -1});
    return apart;
  }

  // Steps all points into the copies. Returns false if an index is bad.
  bool step(std::byte* memory) {
    chunk_ranges_ = reinterpret_cast<CoordinateRange*>(memory);
    before_ = memory + range_bytes();
    parallel(job_, (bytes_ + copied - 1) / copied, [&](std::int64_t i) {
      std::memcpy(before_ + i * copied, job_.addressed + low_ + i * copied,
                  static_cast<std::size_t>(std::min(copied, bytes_ - i * copied)));
    });
    std::atomic<bool> fine{true};
    parallel(job_, count_, [&](std::int64_t t) {
      std::memcpy(copy_of(t), before_, static_cast<std::size_t>(bytes_));
      std::atomic_thread_fence(std::memory_order_seq_cst);  // see Draft::Draft
      for (std::int64_t i = first_chunk(t); i < first_chunk(t + 1); ++i) {
        // The range is computed after stepping: with its indices in the cache already, the loop runs so far ahead of its stores that it
        // often has to be replayed.
        const bool is_fine = chunks_.step(copy_of(t) - low_, i, i + 1);
        chunk_ranges_[i] = chunks_.range(i);
        if (!is_fine || chunks_.is_bad(chunk_ranges_[i])) {
          fine.store(false, std::memory_order_relaxed);
          return;
        }
        extend(range_of(t), chunk_ranges_[i]);
      }
    });
    return fine.load(std::memory_order_relaxed);
  }

  enum class Merge : std::uint8_t { done, bad_index, too_many };
  // Merges overlaps: in the copy of each later stretch, shared elements start from the earlier stretch's result.
  Merge merge() const {
    const auto overlaps_earlier = [&](std::int64_t t, std::int64_t chunk) {
      for (std::int64_t s = 0; s < t; ++s) {
        if (!is_none(intersection(range_of(s), chunk_ranges_[chunk]))) return true;
      }
      return false;
    };
    std::int64_t again = 0;
    for (std::int64_t t = 1; t < count_; ++t) {
      for (std::int64_t i = first_chunk(t); i < first_chunk(t + 1); ++i) again += overlaps_earlier(t, i);
    }
    if (again > chunks_.count() / shared_part) return Merge::too_many;
    for (std::int64_t t = 1; t < count_; ++t) {
      for (std::int64_t s = 0; s < t; ++s) copy_range(copy_of(t), copy_of(s), intersection(range_of(s), range_of(t)));
      const auto is_shared = [&](std::int64_t coordinate) {
        return std::any_of(ranges_.begin(), ranges_.begin() + t,
                           [&](const CoordinateRange& earlier) { return contains(earlier, coordinate); });
      };
      for (std::int64_t i = first_chunk(t); i < first_chunk(t + 1); ++i) {
        if (overlaps_earlier(t, i) && !chunks_.step_where(copy_of(t) - low_, i, is_shared)) return Merge::bad_index;
      }
    }
    return Merge::done;
  }

  // Writes the changed elements, each from the copy of the last stretch that covers it.
  void write_back() const {
    std::array<std::int64_t, 2 * max_neighbour_owners> borders;
    const auto end = borders.begin() + 2 * count_;
    for (std::size_t t = 0; t < static_cast<std::size_t>(count_); ++t) {
      borders[2 * t] = ranges_[t].low;
      borders[2 * t + 1] = ranges_[t].high + 1;
    }
    std::sort(borders.begin(), end);
    const ChangesKernel write_changes = changes_kernel(job_.stream_bytes);
    for (auto border = borders.begin(); border + 1 < end; ++border) {
      const CoordinateRange range{*border, *(border + 1) - 1};
      std::int64_t last = count_;
      while (last > 0 && !contains(range_of(last - 1), range.low)) --last;
      if (last == 0 || is_none(range)) continue;
      const std::byte* const after = copy_of(last - 1);
      parallel(job_, (range.high - range.low) / task_elements + 1, [&](std::int64_t task) {
        const std::int64_t first = range.low + task * task_elements, at = offset_of(first, std::min(range.high - first + 1, task_elements));
        write_changes(job_.addressed + low_ + at, after + at, before_ + at, std::min(range.high - first + 1, task_elements));
      });
    }
  }

 private:
  static constexpr std::int64_t copied = 1 << 18;  // bytes per task

  [[nodiscard]] std::int64_t range_bytes() const { return chunks_.count() * static_cast<std::int64_t>(sizeof(CoordinateRange)); }
  [[nodiscard]] std::int64_t first_chunk(std::int64_t stretch) const { return chunks_.count() * stretch / count_; }
  [[nodiscard]] std::byte* copy_of(std::int64_t stretch) const { return before_ + (stretch + 1) * bytes_; }
  [[nodiscard]] CoordinateRange& range_of(std::int64_t stretch) { return ranges_[static_cast<std::size_t>(stretch)]; }
  [[nodiscard]] const CoordinateRange& range_of(std::int64_t stretch) const { return ranges_[static_cast<std::size_t>(stretch)]; }
  // The offset of `elements` elements from this coordinate on; with a negative stride, the last one comes first in memory.
  [[nodiscard]] std::int64_t offset_of(std::int64_t coordinate, std::int64_t elements) const {
    const Column& column = job_.walk.columns[0];
    return (column.stride < 0 ? column.extent - coordinate - elements : coordinate) * job_.stream_bytes;
  }
  void copy_range(std::byte* to, const std::byte* from, const CoordinateRange& range) const {
    if (is_none(range)) return;
    const std::int64_t elements = range.high - range.low + 1, at = offset_of(range.low, elements);
    std::memcpy(to + at, from + at, static_cast<std::size_t>(elements * job_.stream_bytes));
  }

  const Job& job_;
  const Chunks chunks_;
  std::int64_t count_, bytes_;
  std::int64_t low_;  // bytes from coordinate 0 to the first byte of the output
  std::byte* before_ = nullptr;
  CoordinateRange* chunk_ranges_ = nullptr;
  std::array<CoordinateRange, max_neighbour_owners> ranges_;  // of the output, updated by each stretch
};

std::int64_t scratch_bytes(const Job& job) { return Stretches(job).scratch_bytes(); }

Outcome run(const Job& job) {
  if (job.walk.point_count == 0) return Outcome::done;
  Stretches parts(job);
  if (!parts.are_apart(false)) return delegate(stretches, job);
  Scratch memory(parts.scratch_bytes());
  if (!memory) return delegate(stretches, job);
  if (!parts.step(memory.as<std::byte>())) return Outcome::bad_index;
  switch (parts.merge()) {
    case Stretches::Merge::bad_index: return Outcome::bad_index;
    case Stretches::Merge::too_many: memory = Scratch(); return delegate(stretches, job);
    case Stretches::Merge::done: break;
  }
  cancellation_point(job);
  parts.write_back();
  return Outcome::done;
}

bool confirms(const Job& job, std::string_view& why) {
  if (Stretches parts(job); !parts.are_apart(false) || !parts.are_apart(true)) why = "updates of different threads overlap too much";
  return why.empty();
}

}  // namespace

const Strategy stretches{
    .name = "stretches",
    .summary = "each thread applies a range of the updates to a copy of the output, copies are merged",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
    .confirms = &confirms,
};

}  // namespace strew::internal
