// Assignment to few places by many short updates: iterates backwards, writes each place at most once, and stops when all are written.
#include <array>
#include <cmath>

#include "base/scratch.h"
#include "strategies/blocks.h"
#include "strategies/step.h"
#include "strategies/strategy.h"
#include "strategies/targets.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_points = 1 << 13;
constexpr std::int64_t max_row = 64;           // bytes: longer rows are left to `last`
constexpr std::int64_t few_targets = 1 << 16;  // a bitmap of this size is allocated for any number of points
constexpr double min_overwritten_ratio = 4;    // updates per one that is needed; below, it is faster to store all of them in order
constexpr std::int64_t bits = 64;

// Expected number of random updates until every place is addressed (coupon collector).
double points_to_meet_all(std::int64_t places) { return static_cast<double>(places) * std::log(static_cast<double>(places) + 1); }

bool accepts(const Job& job, std::string_view& why) {
  why = numbering_obstacle(job);
  if (!why.empty()) return false;
  const std::int64_t points = job.walk.point_count, targets = targets_of(job.walk).count;
  if (!job.step.properties().replaces || job.counts) {
    why = "only assignment drops earlier updates";
  } else if (targets > (job.forced ? std::max(points, few_targets) : points)) {
    why = "there are fewer updates than places";
  } else if (!job.forced && row_bytes(job) > max_row) {
    why = "rows are too long";
  } else if (!job.forced && min_overwritten_ratio * points_to_meet_all(targets) > static_cast<double>(points)) {
    why = "too few updates are overwritten";
  }
  return why.empty();
}

std::int64_t map_words(const Job& job) { return targets_of(job.walk).count / bits + 1; }
std::int64_t scratch_bytes(const Job& job) { return map_words(job) * static_cast<std::int64_t>(sizeof(std::uint64_t)); }

Outcome run(const Job& job) {
  const Walk& walk = job.walk;
  if (walk.point_count == 0 || walk.row_count == 0) return Outcome::done;
  const Scratch map(scratch_bytes(job));
  if (!map) return run_without_scratch(job);
  auto* const written = map.as<std::uint64_t>();
  std::fill_n(written, map_words(job), 0);
  if (!indices_in_range(job)) return Outcome::bad_index;
  cancellation_point(job);
  const Targets targets = targets_of(walk);
  std::array<std::int64_t, largest_block> numbers;
  std::int64_t left = targets.count;
  for (std::int64_t end = walk.point_count; end > 0 && left > 0;) {
    const std::int64_t begin = std::max<std::int64_t>(end - job.block_points, 0);
    if (!number_points(walk, targets, begin, end - begin, numbers.data())) return Outcome::bad_index_after_writing;
    for (std::int64_t i = end; i-- > begin;) {
      const std::int64_t number = numbers[static_cast<std::size_t>(i - begin)];
      if (number == skipped) continue;
      std::uint64_t& word = written[number / bits];
      const std::uint64_t bit = std::uint64_t{1} << (number % bits);
      if ((word & bit) != 0) continue;
      word |= bit;
      --left;
      const std::int64_t offset = targets.offset(number);
      step(job, {&offset, 1, job.stream + i * walk.stream_strides[0], 0});
    }
    end = begin;
  }
  return Outcome::done;
}

}  // namespace

extern const Strategy backwards;
const Strategy backwards{
    .name = "backwards",
    .summary = "one thread, last updates first, until every place is written",
    .min_elements = min_points,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
    .single_threaded = true,
};

}  // namespace strew::internal
