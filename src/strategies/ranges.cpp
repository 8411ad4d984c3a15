// For local updates: each thread owns a range of the output and applies the chunks of the updates that go there. The pass that computes the
// range of each chunk validates every index.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/scratch.h"
#include "strategies/neighbours.h"
#include "strategies/strategy.h"

namespace strew::internal {

extern const Strategy ranges;

namespace {

constexpr std::int64_t min_elements = 1 << 16;
constexpr std::int64_t min_chunk = 1 << 9, max_chunk = 1 << 12, max_chunks = 1 << 8;  // points; small enough to stay in a cache
constexpr std::int64_t chunks_per_task = 1 << 5;

// Assigns a range of the output to each thread.
class Ranges {
 public:
  explicit Ranges(const Job& job)
      : job_(job),
        chunks_(job, std::clamp(job.walk.point_count / max_chunks, min_chunk, max_chunk)),
        count_(chunks_.count()),
        owners_(std::clamp<std::int64_t>(threads_of(job), 2, max_neighbour_owners)) {}

  [[nodiscard]] std::int64_t scratch() const { return count_ * static_cast<std::int64_t>(sizeof(CoordinateRange) + sizeof(std::int64_t)); }

  // Reads every index and records the range of each chunk. Returns false if an index is bad.
  bool validate(const Scratch& memory) {
    ranges_ = memory.as<CoordinateRange>();
    std::atomic<bool> fine{true};
    parallel(job_, (count_ + chunks_per_task - 1) / chunks_per_task, [&](std::int64_t task) {
      const std::int64_t end = std::min((task + 1) * chunks_per_task, count_);
      for (std::int64_t i = task * chunks_per_task; i < end; ++i) {
        ranges_[i] = chunks_.range(i);
        if (chunks_.is_bad(ranges_[i])) fine.store(false, std::memory_order_relaxed);
      }
    });
    return fine.load(std::memory_order_relaxed);
  }

  // Divides the output into ranges with equal numbers of chunks. Returns false if too many chunks overlap several ranges, or one owner
  // would have more than 1.5 times its share.
  bool cut() {
    std::int64_t* const middles = reinterpret_cast<std::int64_t*>(ranges_ + count_);
    for (std::int64_t i = 0; i < count_; ++i) middles[i] = ranges_[i].low + (ranges_[i].high - ranges_[i].low) / 2;
    for (std::int64_t owner = 1; owner < owners_; ++owner) {
      std::int64_t* const border = middles + count_ * owner / owners_;
      std::nth_element(middles, border, middles + count_);
      borders_[static_cast<std::size_t>(owner)] = *border;
    }
    borders_[static_cast<std::size_t>(owners_)] = job_.walk.columns[0].extent;
    std::int64_t whole = 0, busiest = 0;
    for (std::int64_t owner = 0; owner < owners_; ++owner) {
      std::int64_t own = 0;
      for (std::int64_t i = 0; i < count_; ++i) {
        own += goes_to(i, owner);
        whole += goes_only_to(i, owner);
      }
      busiest = std::max(busiest, own);
    }
    return count_ - whole <= count_ / shared_part && 2 * busiest * owners_ <= 3 * count_;
  }

  // Applies the updates to each range.
  bool step() const {
    std::atomic<bool> fine{true};
    parallel(job_, owners_, [&](std::int64_t owner) {
      if (!step_own(owner)) fine.store(false, std::memory_order_relaxed);
    });
    return fine.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] std::int64_t low(std::int64_t owner) const { return borders_[static_cast<std::size_t>(owner)]; }
  [[nodiscard]] std::int64_t high(std::int64_t owner) const { return borders_[static_cast<std::size_t>(owner) + 1]; }
  [[nodiscard]] bool goes_to(std::int64_t chunk, std::int64_t owner) const {
    return ranges_[chunk].low < high(owner) && ranges_[chunk].high >= low(owner);
  }
  [[nodiscard]] bool goes_only_to(std::int64_t chunk, std::int64_t owner) const {
    return ranges_[chunk].low >= low(owner) && ranges_[chunk].high < high(owner);
  }

  bool step_own(std::int64_t owner) const {
    for (std::int64_t i = 0; i < count_;) {
      std::int64_t end = i;
      while (end < count_ && goes_only_to(end, owner)) ++end;
      if (end > i) {
        if (!chunks_.step(job_.addressed, i, end)) return false;
        i = end;
      } else {
        if (goes_to(i, owner) && !step_part_of(i, owner)) return false;
        ++i;
      }
    }
    return true;
  }

  // Applies the points of a chunk that go to this owner's range; others apply the rest.
  bool step_part_of(std::int64_t chunk, std::int64_t owner) const {
    return chunks_.step_where(job_.addressed, chunk,
                              [&](std::int64_t coordinate) { return coordinate >= low(owner) && coordinate < high(owner); });
  }

  const Job& job_;
  const Chunks chunks_;
  std::int64_t count_, owners_;
  CoordinateRange* ranges_ = nullptr;  // of each chunk
  std::array<std::int64_t, max_neighbour_owners + 1> borders_ = {};  // the beginning of each owner's range, and the end of the last
};

std::int64_t scratch_bytes(const Job& job) { return Ranges(job).scratch(); }

Outcome run(const Job& job) {
  if (job.walk.point_count == 0) return Outcome::done;
  Ranges owned(job);
  const Scratch memory(owned.scratch());
  if (!memory) return run_without_scratch(job);
  if (!owned.validate(memory)) return Outcome::bad_index;
  if (!owned.cut() && !job.forced) return delegate_validated(ranges, job);
  cancellation_point(job);
  return outcome_of_writing(owned.step());
}

bool confirms(const Job& job, std::string_view& why) {
  Ranges owned(job);
  const Scratch memory(owned.scratch());
  if (memory && owned.validate(memory) && !owned.cut()) why = "updates of different threads overlap too much";
  return why.empty();
}

}  // namespace

const Strategy ranges{
    .name = "ranges",
    .summary = "each thread applies the updates to a range of the output",
    .min_elements = min_elements,
    .accepts = &accepts_neighbours,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
    .confirms = &confirms,
};

}  // namespace strew::internal
