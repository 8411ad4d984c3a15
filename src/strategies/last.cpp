// Assignment: finds the last update of each row, then copies only those, in the order of the output.
#include <array>
#include <atomic>

#include "base/checked.h"
#include "base/scratch.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/row_stepper.h"
#include "strategies/strategy.h"
#include "strategies/targets.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_row = 64;             // bytes: shorter rows are faster to copy repeatedly than to look up
constexpr std::int64_t min_work = 1 << 20;       // bytes of updates
constexpr std::int64_t max_points = UINT32_MAX;  // point numbers are 32 bits
constexpr std::int64_t few_targets = 1 << 16;    // a table of this size is allocated for any number of points
constexpr std::int64_t targets_per_task = 1 << 12;

// Each task finds the last updates among a part of the points. Tables together are bounded by 2 entries per point.
std::int64_t tasks_of(const Job& job, const Targets& targets) {
  return std::clamp<std::int64_t>(2 * job.walk.point_count / targets.count, 1, threads_of(job));
}

bool accepts(const Job& job, std::string_view& why) {
  why = numbering_obstacle(job);
  if (!why.empty()) return false;
  const std::int64_t points = job.walk.point_count, targets = targets_of(job.walk).count;
  if (!job.step.properties().replaces || job.counts) {
    why = "only assignment drops earlier updates";
  } else if (points >= max_points) {
    why = "there are too many points for 32 bits";
  } else if (targets > std::max(points, job.forced ? few_targets : 0)) {
    why = "there are fewer updates than rows";
  } else if (!job.forced && !rows_are_dense(job)) {
    why = "rows are not dense";
  } else if (!job.forced && row_bytes(job) < min_row) {
    why = "rows are too short";
  } else if (!job.forced && saturating_mul(row_bytes(job), points) < min_work) {
    why = "there is too little work";
  }
  return why.empty();
}

std::int64_t scratch_bytes(const Job& job) {
  const Targets targets = targets_of(job.walk);
  return tasks_of(job, targets) * targets.count * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

class Last {
 public:
  explicit Last(const Job& job)
      : job_(job),
        targets_(targets_of(job.walk)),
        tasks_(tasks_of(job, targets_)),
        last_(tasks_ * targets_.count * static_cast<std::int64_t>(sizeof(std::uint32_t))) {}

  [[nodiscard]] bool is_allocated() const { return static_cast<bool>(last_); }

  [[nodiscard]] Outcome run() const {
    std::atomic<bool> fine{true};
    parallel(job_, tasks_, [&](std::int64_t task) {
      if (!find_last(task)) fine.store(false, std::memory_order_relaxed);
    });
    if (!fine.load(std::memory_order_relaxed)) return Outcome::bad_index;
    cancellation_point(job_);
    parallel(job_, (targets_.count + targets_per_task - 1) / targets_per_task,
             [&](std::int64_t task) { copy_rows(task * targets_per_task, std::min((task + 1) * targets_per_task, targets_.count)); });
    return Outcome::done;
  }

 private:
  [[nodiscard]] std::uint32_t* table_of(std::int64_t task) const { return last_.as<std::uint32_t>() + task * targets_.count; }

  // table[row] = 1 + the task's last point that addresses the row, or 0. Returns false if an index is bad.
  bool find_last(std::int64_t task) const {
    std::uint32_t* const table = table_of(task);
    std::fill_n(table, targets_.count, 0);
    std::array<std::int64_t, largest_block> numbers;
    const std::int64_t end = job_.walk.point_count * (task + 1) / tasks_;
    for (std::int64_t begin = job_.walk.point_count * task / tasks_; begin < end; begin += job_.block_points) {
      const std::int64_t count = std::min(job_.block_points, end - begin);
      if (!number_points(job_.walk, targets_, begin, count, numbers.data())) return false;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t number = numbers[static_cast<std::size_t>(i)];
        if (number != skipped) table[number] = static_cast<std::uint32_t>(begin + i + 1);
      }
    }
    return true;
  }

  // Merges the tables of the rows [begin, end) into the first, then copies their last updates.
  void copy_rows(std::int64_t begin, std::int64_t end) const {
    std::uint32_t* const last = table_of(0);
    for (std::int64_t task = 1; task < tasks_; ++task) {
      const std::uint32_t* const later = table_of(task);
      for (std::int64_t row = begin; row < end; ++row) last[row] = std::max(last[row], later[row]);
    }
    const std::int64_t stride = job_.walk.stream_strides[0];
    const RowStepper stepper(job_, 0, job_.walk.row_count);
    for (std::int64_t row = begin; row < end; ++row) {
      if (last[row] == 0) continue;
      const std::int64_t next = std::min(row + rows_ahead, end - 1);
      stepper.step(job_.kernel, targets_.offset(row), (last[row] - std::int64_t{1}) * stride, targets_.offset(next),
                   (std::max<std::int64_t>(last[next], 1) - 1) * stride);
    }
  }

  const Job& job_;
  const Targets targets_;
  const std::int64_t tasks_;
  const Scratch last_;
};

Outcome run(const Job& job) {
  if (job.walk.point_count == 0 || job.walk.row_count == 0) return Outcome::done;
  const Last work(job);
  return work.is_allocated() ? work.run() : run_without_scratch(job);
}

}  // namespace

extern const Strategy last;
const Strategy last{
    .name = "last",
    .summary = "copies only the last update of each row, rows on all threads",
    .min_elements = 1 << 12,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &always,
};

}  // namespace strew::internal
