// Updates that stay near those before them: every thread has a range of the output, and steps the pieces of the updates that go there. The
// pass that finds out where each piece goes checks every index.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/scratch.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/sample.h"
#include "strategies/strategy.h"

namespace strew::internal {

extern const Strategy ranges;

namespace {

constexpr std::int64_t least_elements = 1 << 16;
constexpr std::int64_t least_span = 1 << 19;  // bytes of output: what is smaller is near one thread as well
constexpr std::int64_t least_piece = 1 << 9, largest_piece = 1 << 12, most_pieces = 1 << 8;  // points; small enough to stay in a cache
constexpr std::int64_t pieces_per_task = 1 << 5;
constexpr std::int64_t most_owners = 16;
constexpr std::int64_t shared_part = 8;  // one in so many pieces may go to several ranges

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.gathers || job.element == nullptr || job.counts.widen != nullptr || walk.points.size() != 1 || walk.columns.size() != 1 ||
      !walk.row.empty() || walk.place_steps[0] != 0 || walk.columns[0].steps[0] == 0 || walk.out_of_range != OutOfRange::error) {
    why = "one run of int32 or int64 indices, of which every one counts, must name single elements of a common type";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr) {
    why = "there is one thread";
  } else if (reach_of(walk).span < least_span) {
    why = "the output is small";
  } else if (const Sample seen = sample(job); !seen.stays_near()) {
    why = "updates do not stay near those before them";
  } else if (seen.has_runs()) {
    why = "most updates go where the one before them went";
  } else if (seen.returns()) {
    why = "updates come back to the same places";
  }
  return why.empty();
}

// The points of a job in pieces, and where each goes.
class Pieces {
 public:
  explicit Pieces(const Job& job)
      : job_(job),
        points_(job.walk.point_count),
        size_(std::clamp(points_ / most_pieces, least_piece, largest_piece)),
        count_((points_ + size_ - 1) / size_),
        owners_(std::clamp<std::int64_t>(threads_of(job), 2, most_owners)) {}

  [[nodiscard]] std::int64_t scratch() const { return count_ * static_cast<std::int64_t>(sizeof(CoordinateRange) + sizeof(std::int64_t)); }

  // Looks at every index. False if one is bad.
  bool look(const Scratch& memory) {
    ranges_ = memory.as<CoordinateRange>();
    const RangeKernel range_of = range_kernel(job_.walk.columns[0].dtype, job_.walk.negative);
    const std::int64_t extent = job_.walk.columns[0].extent;
    std::atomic<bool> fine{true};
    parallel(job_, (count_ + pieces_per_task - 1) / pieces_per_task, [&](std::int64_t task) {
      const std::int64_t end = std::min((task + 1) * pieces_per_task, count_);
      for (std::int64_t i = task * pieces_per_task; i < end; ++i) {
        ranges_[i] = range_of(index_run(job_.walk, first(i), first(i + 1)));
        if (ranges_[i].low < 0 || ranges_[i].high >= extent) fine.store(false, std::memory_order_relaxed);
      }
    });
    return fine.load(std::memory_order_relaxed);
  }

  // Cuts the output into ranges to which as many pieces go. False if too many go to several, or one owner would have half as much again as
  // its share.
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

  // Steps what goes to the range of each owner.
  bool step() const {
    std::atomic<bool> fine{true};
    parallel(job_, owners_, [&](std::int64_t owner) {
      if (!step_own(owner)) fine.store(false, std::memory_order_relaxed);
    });
    return fine.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] std::int64_t first(std::int64_t piece) const { return std::min(piece * size_, points_); }
  [[nodiscard]] std::int64_t low(std::int64_t owner) const { return borders_[static_cast<std::size_t>(owner)]; }
  [[nodiscard]] std::int64_t high(std::int64_t owner) const { return borders_[static_cast<std::size_t>(owner) + 1]; }
  [[nodiscard]] bool goes_to(std::int64_t piece, std::int64_t owner) const {
    return ranges_[piece].low < high(owner) && ranges_[piece].high >= low(owner);
  }
  [[nodiscard]] bool goes_only_to(std::int64_t piece, std::int64_t owner) const {
    return ranges_[piece].low >= low(owner) && ranges_[piece].high < high(owner);
  }

  bool step_points(std::int64_t begin, std::int64_t count) const {
    const IndexRun run = index_run(job_.walk, begin, begin + count);
    const std::int64_t stream_step = job_.walk.stream_steps[0];
    return job_.element(
        {job_.place, 0, run.index, run.step, run.extent, run.stride, job_.stream + begin * stream_step, stream_step, count, false, false});
  }

  bool step_own(std::int64_t owner) const {
    for (std::int64_t i = 0; i < count_;) {
      std::int64_t end = i;
      while (end < count_ && goes_only_to(end, owner)) ++end;
      if (end > i) {
        if (!step_points(first(i), first(end) - first(i))) return false;
        i = end;
      } else {
        if (goes_to(i, owner) && !step_part_of(i, owner)) return false;
        ++i;
      }
    }
    return true;
  }

  // Of a piece that goes to other ranges as well, the points that go to this one.
  bool step_part_of(std::int64_t piece, std::int64_t owner) const {
    std::array<std::int64_t, largest_block> coordinates;
    bool fine = true;
    for (std::int64_t begin = first(piece); begin < first(piece + 1) && fine; begin += largest_block) {
      IndexRun run = index_run(job_.walk, begin, std::min(begin + largest_block, first(piece + 1)));
      run.stride = 1;
      coordinates.fill(0);
      if (job_.walk.columns[0].kernels.address(run, coordinates.data())) return false;
      const auto is_own = [&](std::int64_t i) {
        const std::int64_t at = coordinates[static_cast<std::size_t>(i)];
        return at >= low(owner) && at < high(owner);
      };
      each_stretch(0, run.count, is_own, [&](std::int64_t at, std::int64_t count) { fine &= step_points(begin + at, count); });
    }
    return fine;
  }

  const Job& job_;
  std::int64_t points_, size_, count_, owners_;
  CoordinateRange* ranges_ = nullptr;  // of each piece
  std::array<std::int64_t, most_owners + 1> borders_ = {};  // where the range of each owner begins, and the end of the last
};

std::int64_t scratch(const Job& job) { return Pieces(job).scratch(); }

bool run(const Job& job) {
  if (job.walk.point_count == 0) return true;
  Pieces pieces(job);
  const Scratch memory(pieces.scratch());
  if (!memory) return run_without_scratch(job);
  if (!pieces.look(memory)) return false;
  if (!pieces.cut() && !job.forced) return run_checked_by_next(ranges, job);
  begin_writing(job);
  return pieces.step();
}

bool looks_first(const Job&) { return true; }

bool holds(const Job& job, std::string_view& why) {
  Pieces pieces(job);
  const Scratch memory(pieces.scratch());
  if (memory && pieces.look(memory) && !pieces.cut()) why = "the updates of different threads would go to the same places";
  return why.empty();
}

}  // namespace

const Strategy ranges{"ranges",       "threads step the updates to ranges of the output that they own",
                      least_elements, &accepts,
                      &run,           &scratch,
                      &looks_first,   false,
                      nullptr,        false,
                      &holds};

}  // namespace strew::internal
