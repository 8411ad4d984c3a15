// Groups updates by output row, keeping their order, then processes the groups on all threads. Each output row is loaded once for all of
// its updates, and the next rows of updates are known and can be prefetched.
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/checked.h"
#include "base/scratch.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/row_folder.h"
#include "strategies/row_queue.h"
#include "strategies/strategy.h"
#include "strategies/targets.h"

namespace strew::internal {
namespace {

// Bytes of a row: shorter ones cost less than sorting them. Folds of short rows are faster with accumulators, which updates reach in order.
constexpr std::int64_t min_row = 64, min_folded = 256, min_folded_alone = 1024;
constexpr std::int64_t min_work = 1 << 20;  // bytes of updates: below, waking a thread costs more than it gains
constexpr std::int64_t min_output = 1 << 21;  // bytes: smaller outputs stay in a cache, and updates are best read in order
constexpr std::int64_t short_row = 128, min_output_of_short = 1 << 23;  // bytes: short rows are fast to reach in a larger cache, too
constexpr std::int64_t max_points = UINT32_MAX;  // point numbers are 32 bits
constexpr std::int64_t counters_per_point = 4;  // at most, over all tasks: bounds the scratch memory
constexpr std::int64_t bucket_bytes = 1 << 16;  // of the output
constexpr std::int64_t groups_per_thread = 32;
constexpr std::int64_t min_column_part = 128;  // bytes of a row per thread

// An update: the number of its output row, and its point.
struct Entry {
  std::uint32_t target;
  std::uint32_t point;

  friend bool operator<(const Entry& a, const Entry& b) { return a.target != b.target ? a.target < b.target : a.point < b.point; }
};

constexpr std::int64_t number_bytes = sizeof(std::uint32_t);

// Points are sorted by bucket: some neighbouring rows of the output that stay in a cache together.
struct Sorting {
  Targets targets;
  std::int64_t groups;  // tasks, of one bucket or more
  int shift = 0;  // a bucket has 2^shift rows
  std::int64_t buckets;
  std::int64_t tasks;  // each has its own counters for a part of the points
  std::int64_t per_task;

  explicit Sorting(const Job& job) : targets(targets_of(job.walk)), groups(groups_per_thread * threads_of(job)) {
    const std::int64_t points = job.walk.point_count, max_counters = counters_per_point * std::max<std::int64_t>(points, 1);
    // Folds need the updates of one row together, so rows are not joined into buckets unless counters run out.
    const auto is_small = [&] { return !job.fold && targets.unit < (bucket_bytes >> shift) && (targets.count >> shift) > 2 * groups; };
    while (is_small() || (targets.count >> shift) >= max_counters) ++shift;
    buckets = (targets.count >> shift) + 1;
    tasks = std::clamp<std::int64_t>(max_counters / buckets, 1, threads_of(job));
    per_task = (points + tasks - 1) / tasks;
  }
};

bool accepts(const Job& job, std::string_view& why) {
  why = numbering_obstacle(job);
  if (!why.empty()) return false;
  const Targets targets = targets_of(job.walk);
  if (job.walk.point_count > max_points || targets.count > max_points) {
    why = "there are too many rows or points for 32 bits";
  } else if (job.counts) {
    why = "the fold counts updates";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr && !job.fold) {
    why = "there is one thread";
  } else if (job.step.properties().replaces && !job.fold) {
    why = "assignment needs only the last update";
  } else if (!rows_are_dense(job)) {
    why = "rows are not dense";
  } else if (row_bytes(job) < (!job.fold ? min_row : job.executor != nullptr ? min_folded : min_folded_alone)) {
    why = "rows are too short to be sorted";
  } else if (targets.count * targets.unit < (row_bytes(job) > short_row ? min_output : min_output_of_short)) {
    why = "the output is small";
  } else if (saturating_mul(row_bytes(job), job.walk.point_count) < min_work) {
    why = "there is too little work to share";
  }
  return why.empty();
}

std::int64_t scratch_bytes(const Job& job) {
  const Sorting sorting(job);
  return job.walk.point_count * (number_bytes + static_cast<std::int64_t>(sizeof(Entry))) + sorting.tasks * sorting.buckets * number_bytes;
}

class Rows {
 public:
  // `memory` has scratch_bytes() bytes.
  Rows(const Job& job, std::byte* memory)
      : job_(job),
        sorting_(job),
        entries_(reinterpret_cast<Entry*>(memory)),
        numbers_(reinterpret_cast<std::uint32_t*>(entries_ + job.walk.point_count)),
        counters_(numbers_ + job.walk.point_count) {}

  Outcome run() {
    std::atomic<bool> fine{true};
    parallel(job_, sorting_.tasks, [&](std::int64_t task) {
      if (!count_points(task)) fine.store(false, std::memory_order_relaxed);
    });
    if (!fine.load(std::memory_order_relaxed)) return Outcome::bad_index;
    place_buckets();
    parallel(job_, sorting_.tasks, [&](std::int64_t task) { sort_points(task); });
    step_groups();
    return Outcome::done;
  }

 private:
  static constexpr std::uint32_t left_out = UINT32_MAX;

  [[nodiscard]] std::uint32_t* counters_of(std::int64_t task) const { return counters_ + task * sorting_.buckets; }
  [[nodiscard]] std::int64_t begin_of(std::int64_t task) const { return std::min(task * sorting_.per_task, job_.walk.point_count); }

  // Records the row of each point and counts rows by bucket; the indices are not read again. Returns false if one is bad.
  bool count_points(std::int64_t task) const {
    std::uint32_t* const counters = counters_of(task);
    std::fill_n(counters, sorting_.buckets, 0);
    std::array<std::int64_t, largest_block> numbers;
    for (std::int64_t begin = begin_of(task), end = begin_of(task + 1); begin < end; begin += job_.block_points) {
      const std::int64_t count = std::min(job_.block_points, end - begin);
      if (!number_points(job_.walk, sorting_.targets, begin, count, numbers.data())) return false;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t number = numbers[static_cast<std::size_t>(i)];
        const bool kept = number != skipped;
        numbers_[begin + i] = kept ? static_cast<std::uint32_t>(number) : left_out;
        if (kept) ++counters[number >> sorting_.shift];
      }
    }
    return true;
  }

  // Prefix sum: the points of a bucket become contiguous, those of an earlier task first.
  void place_buckets() {
    std::uint32_t next = 0;
    for (std::int64_t bucket = 0; bucket < sorting_.buckets; ++bucket) {
      for (std::int64_t task = 0; task < sorting_.tasks; ++task) next += std::exchange(counters_of(task)[bucket], next);
    }
    kept_ = next;
  }

  void sort_points(std::int64_t task) const {
    std::uint32_t* const next = counters_of(task);
    for (std::int64_t point = begin_of(task), end = begin_of(task + 1); point < end; ++point) {
      const std::uint32_t number = numbers_[point];
      if (number != left_out) entries_[next[number >> sorting_.shift]++] = {number, static_cast<std::uint32_t>(point)};
    }
  }

  // Folds need the updates of each row together, in order.
  void sort_buckets(std::int64_t begin, std::int64_t end) const {
    const std::uint32_t* const ends = counters_of(sorting_.tasks - 1);  // of each bucket, after sorting
    for (std::int64_t bucket = begin; bucket < end; ++bucket)
      std::sort(entries_ + (bucket == 0 ? 0 : ends[bucket - 1]), entries_ + ends[bucket]);
  }

  // The first entry of the bucket that contains the group's nominal first entry.
  [[nodiscard]] Entry* group_begin(std::int64_t group, std::int64_t groups) const {
    Entry *const first = entries_, *const end = first + kept_, *const at = first + kept_ * group / groups;
    if (at == end) return end;
    const std::uint32_t bucket = at->target >> sorting_.shift;
    return std::partition_point(first, at, [&](const Entry& entry) { return entry.target >> sorting_.shift < bucket; });
  }

  // Groups are of about equal size and hold whole buckets. A large one, caused by a row with many updates, is divided by columns.
  void step_groups() const {
    cancellation_point(job_);
    const std::int64_t threads = threads_of(job_), groups = std::clamp<std::int64_t>(kept_, 1, sorting_.groups);
    if (job_.fold && sorting_.shift > 0) {
      const std::int64_t buckets = sorting_.buckets;
      parallel(job_, groups, [&](std::int64_t group) { sort_buckets(buckets * group / groups, buckets * (group + 1) / groups); });
    }
    const std::int64_t parts = std::clamp<std::int64_t>(row_bytes(job_) / min_column_part, 1, threads);
    const std::int64_t large = kept_ / (2 * threads);
    parallel(job_, groups * parts, [&](std::int64_t task) {
      const Entry *const first = group_begin(task / parts, groups), *const end = group_begin(task / parts + 1, groups);
      const std::int64_t part = task % parts, width = job_.walk.row_count;
      if (end - first > large) {
        step_entries(first, end, width * part / parts, width * (part + 1) / parts);
      } else if (part == 0) {
        step_entries(first, end, 0, width);
      }
    });
  }

  // Applies the columns [begin, end) of some updates.
  void step_entries(const Entry* first, const Entry* last, std::int64_t begin, std::int64_t end) const {
    const Targets& targets = sorting_.targets;
    const std::int64_t stream_stride = job_.walk.stream_strides[0];
    const auto next_of = [&](const Entry* entry) { return entry[std::min<std::int64_t>(rows_ahead, last - 1 - entry)]; };
    if (job_.fold) {
      const RowFolder folder(job_, begin, end);
      for (const Entry *row = first, *after; row < last; row = after) {
        after = std::find_if(row, last, [&](const Entry& entry) { return entry.target != row->target; });
        folder.fold(targets.offset(row->target), after - row, [&](std::int64_t i) {
          const Entry next = next_of(row + i);
          return FoldedUpdate{row[i].point * stream_stride, targets.offset(next.target), next.point * stream_stride};
        });
      }
      return;
    }
    RowQueue queue(job_, begin, end);
    for (std::int64_t done = 0, count = last - first; done < count; done += largest_block) {
      const Entry* const entry = first + done;
      const std::int64_t some = std::min(largest_block, count - done);
      queue.append([&](std::int64_t* offsets, std::int64_t* streams) {
        for (std::int64_t i = 0; i < some; ++i) {
          offsets[i] = targets.offset(entry[i].target);
          streams[i] = entry[i].point * stream_stride;
        }
        return some;
      });
    }
    queue.step_all();
  }

  const Job& job_;
  const Sorting sorting_;
  Entry* const entries_;
  std::uint32_t* const numbers_;
  std::uint32_t* const counters_;
  std::int64_t kept_ = 0;
};

Outcome run(const Job& job) {
  if (job.walk.point_count == 0 || job.walk.row_count == 0) return Outcome::done;
  if (job.scratch != nullptr) return Rows(job, job.scratch).run();
  const Scratch memory(scratch_bytes(job));
  return memory ? Rows(job, memory.as<std::byte>()).run() : run_without_scratch(job);
}

}  // namespace

extern const Strategy rows;
const Strategy rows{
    .name = "rows",
    .summary = "updates grouped by output row, rows on all threads",
    .min_elements = 1 << 12,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
    .folds = true,
};

}  // namespace strew::internal
