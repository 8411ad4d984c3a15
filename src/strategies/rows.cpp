// Groups updates by the rows of the output they go to, keeping their order, then steps the groups on all threads. A row of the
// output is loaded once for all of its updates, and the next rows of updates are known and can be fetched ahead.
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

// Bytes of a row: shorter ones cost less than sorting them. A fold of short ones is faster on accumulators, which updates reach in order.
constexpr std::int64_t least_row = 64, least_folded = 256, least_folded_alone = 1024;
constexpr std::int64_t least_work = 1 << 20;       // bytes of updates: below, waking a thread costs more than it gains
constexpr std::int64_t least_output = 1 << 21;     // bytes: what is smaller stays in a cache, and updates are best read in order
constexpr std::int64_t short_row = 128, least_output_of_short = 1 << 23;  // bytes: short rows are found fast in a larger cache, too
constexpr std::int64_t most_points = UINT32_MAX;   // positions are 32 bits
constexpr std::int64_t counters_per_point = 4;     // at most, over all tasks: bounds the scratch memory
constexpr std::int64_t bucket_bytes = 1 << 16;     // of the output
constexpr std::int64_t pieces_per_thread = 32;
constexpr std::int64_t least_column_part = 128;    // bytes of a row that one thread takes

// An update: the row it goes to, by number, and its point.
struct Entry {
  std::uint32_t target;
  std::uint32_t point;

  friend bool operator<(const Entry& a, const Entry& b) { return a.target != b.target ? a.target < b.target : a.point < b.point; }
};

constexpr std::int64_t number_bytes = sizeof(std::uint32_t);

// How the points are sorted: by bucket, which is some neighbouring rows of the output that stay in a cache together.
struct Sorting {
  Targets targets;
  std::int64_t pieces;     // that are handed out to threads, of one bucket or more
  int shift = 0;           // a bucket has 2^shift rows
  std::int64_t buckets;
  std::int64_t tasks;      // each counts a part of the points by itself
  std::int64_t per_task;

  explicit Sorting(const Job& job) : targets(targets_of(job.walk)), pieces(pieces_per_thread * threads_of(job)) {
    const std::int64_t points = job.walk.point_count, most_counters = counters_per_point * std::max<std::int64_t>(points, 1);
    // A fold wants the updates of one row together, so there rows are not joined as long as counters last.
    const auto is_small = [&] { return !job.fold && targets.unit < (bucket_bytes >> shift) && (targets.count >> shift) > 2 * pieces; };
    while (is_small() || (targets.count >> shift) >= most_counters) ++shift;
    buckets = (targets.count >> shift) + 1;
    tasks = std::clamp<std::int64_t>(most_counters / buckets, 1, threads_of(job));
    per_task = (points + tasks - 1) / tasks;
  }
};

bool accepts(const Job& job, std::string_view& why) {
  why = why_not_numbered(job);
  if (!why.empty()) return false;
  const Targets targets = targets_of(job.walk);
  if (job.walk.point_count > most_points || targets.count > most_points) {
    why = "there are more rows than 32 bits can number";
  } else if (job.counts) {
    why = "what is counted is not sorted";
  } else if (job.forced) {
    return true;
  } else if (job.executor == nullptr && !job.fold) {
    why = "there is one thread";
  } else if (job.step.properties().replaces && !job.fold) {
    why = "a row that is assigned needs no order but the last";
  } else if (!rows_are_dense(job)) {
    why = "rows are not dense";
  } else if (row_bytes(job) < (!job.fold ? least_row : job.executor != nullptr ? least_folded : least_folded_alone)) {
    why = "rows are too short to be sorted";
  } else if (targets.count * targets.unit < (row_bytes(job) > short_row ? least_output : least_output_of_short)) {
    why = "the output is small";
  } else if (saturating_mul(row_bytes(job), job.walk.point_count) < least_work) {
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
  // `memory` is as large as scratch_bytes() says.
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
    step_pieces();
    return Outcome::done;
  }

 private:
  static constexpr std::uint32_t left_out = UINT32_MAX;

  [[nodiscard]] std::uint32_t* counters_of(std::int64_t task) const { return counters_ + task * sorting_.buckets; }
  [[nodiscard]] std::int64_t begin_of(std::int64_t task) const { return std::min(task * sorting_.per_task, job_.walk.point_count); }

  // The rows that points name are written down and counted by bucket: from here on nobody reads the indices. False if one is bad.
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

  // Counts become places: the points of a bucket stand together, those of an earlier task first.
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

  // A fold wants the updates of each row together, in their order.
  void sort_buckets(std::int64_t begin, std::int64_t end) const {
    const std::uint32_t* const ends = counters_of(sorting_.tasks - 1);  // of each bucket, once all points are sorted
    for (std::int64_t bucket = begin; bucket < end; ++bucket)
      std::sort(entries_ + (bucket == 0 ? 0 : ends[bucket - 1]), entries_ + ends[bucket]);
  }

  // The first entry of the bucket in the middle of which a piece would begin.
  [[nodiscard]] Entry* piece_begin(std::int64_t piece, std::int64_t pieces) const {
    Entry *const first = entries_, *const end = first + kept_, *const at = first + kept_ * piece / pieces;
    if (at == end) return end;
    const std::uint32_t bucket = at->target >> sorting_.shift;
    return std::partition_point(first, at, [&](const Entry& entry) { return entry.target >> sorting_.shift < bucket; });
  }

  // Pieces are of about equal size and hold whole buckets. One that is large, because a row has many updates, is cut by columns.
  void step_pieces() const {
    ask_before_writing(job_);
    const std::int64_t threads = threads_of(job_), pieces = std::clamp<std::int64_t>(kept_, 1, sorting_.pieces);
    if (job_.fold && sorting_.shift > 0) {
      const std::int64_t buckets = sorting_.buckets;
      parallel(job_, pieces, [&](std::int64_t piece) { sort_buckets(buckets * piece / pieces, buckets * (piece + 1) / pieces); });
    }
    const std::int64_t parts = std::clamp<std::int64_t>(row_bytes(job_) / least_column_part, 1, threads);
    const std::int64_t large = kept_ / (2 * threads);
    parallel(job_, pieces * parts, [&](std::int64_t task) {
      const Entry *const first = piece_begin(task / parts, pieces), *const end = piece_begin(task / parts + 1, pieces);
      const std::int64_t part = task % parts, width = job_.walk.row_count;
      if (end - first > large) {
        step_entries(first, end, width * part / parts, width * (part + 1) / parts);
      } else if (part == 0) {
        step_entries(first, end, 0, width);
      }
    });
  }

  // Steps the columns [begin, end) of some updates.
  void step_entries(const Entry* first, const Entry* last, std::int64_t begin, std::int64_t end) const {
    const Targets& targets = sorting_.targets;
    const std::int64_t stream_step = job_.walk.stream_steps[0];
    const auto next_of = [&](const Entry* entry) { return entry[std::min<std::int64_t>(rows_ahead, last - 1 - entry)]; };
    if (job_.fold) {
      const RowFolder folder(job_, begin, end);
      for (const Entry *row = first, *after; row < last; row = after) {
        after = std::find_if(row, last, [&](const Entry& entry) { return entry.target != row->target; });
        folder.fold(targets.offset(row->target), after - row, [&](std::int64_t i) {
          const Entry next = next_of(row + i);
          return FoldedUpdate{row[i].point * stream_step, targets.offset(next.target), next.point * stream_step};
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
          streams[i] = entry[i].point * stream_step;
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
  if (job.memory != nullptr) return Rows(job, job.memory).run();
  const Scratch memory(scratch_bytes(job));
  return memory ? Rows(job, memory.as<std::byte>()).run() : run_without_scratch(job);
}

}  // namespace

extern const Strategy rows;
const Strategy rows{
    .name = "rows",
    .summary = "updates grouped by the row they go to, rows on all threads",
    .min_elements = 1 << 12,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
    .folds = true,
};

}  // namespace strew::internal
