// Threads share the updates and own the places: in turns, each splits a stretch of the updates into a list for every owner, and steps what
// the others listed for it, the stretches in their order. The lists stay in the cache.
#include <array>
#include <cstring>

#include "base/scratch.h"
#include "kernels/lists.h"
#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/part.h"
#include "strategies/row_queue.h"
#include "strategies/sample.h"
#include "strategies/step.h"
#include "strategies/strategy.h"
#include "strategies/targets.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_elements = 1 << 19;
constexpr std::int64_t largest_row = 8, most_row = 64;  // bytes that are worth moving twice: where rows have owners, and elsewhere
constexpr std::int64_t largest_stretch = 1 << 16;       // updates
constexpr std::int64_t least_stretch = 1 << 9;
constexpr std::int64_t list_bytes = 1 << 22;            // of all lists together, where stretches can be so short
constexpr std::int64_t least_span = 3 << 20;            // bytes of output; below, lists cost more than one thread's cache misses
constexpr std::int64_t most_owners = most_round_tasks;  // there are twice as many lists as their square
constexpr std::int64_t most_picking = 4;                // owners: each costs a pass over a block
constexpr std::int64_t offset_bytes = sizeof(std::uint32_t);

// How a job is cut.
struct Layout {
  Reach reach;
  std::int64_t row;      // bytes
  std::int64_t owners;   // and stretches that are split at the same time
  std::int64_t stretch;  // points
  std::int64_t rounds;

  explicit Layout(const Job& job)
      : reach(reach_of(job.walk)), row(row_bytes(job)), owners(std::clamp<std::int64_t>(job.threads, 2, most_owners)) {
    const std::int64_t points = job.walk.point_count, most = (points + owners - 1) / owners;
    const std::int64_t wanted = std::clamp(list_bytes / (2 * owners * owners * (row + offset_bytes)), least_stretch, largest_stretch);
    stretch = std::max<std::int64_t>(1, std::min(job.block_points < largest_block ? 8 * job.block_points : wanted, most));
    rounds = (points + stretch * owners - 1) / (stretch * owners);
  }

  // Two sets of lists: while one is stepped, the next is made.
  [[nodiscard]] std::int64_t lists() const { return 2 * owners * owners; }
  [[nodiscard]] std::int64_t room() const { return stretch + list_slack; }  // updates in a list
  [[nodiscard]] std::int64_t bytes() const {
    return lists() * (room() * (row + offset_bytes) + static_cast<std::int64_t>(sizeof(std::int64_t)));
  }
};

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.gathers) {
    why = "what is gathered has no owner";
  } else if (walk.points.size() != 1 || walk.columns.empty()) {
    why = "the points must be one run";
  } else if (job.stream_bytes == 0 || !updates_are_dense(job) || row_bytes(job) > most_row) {
    why = "rows are too long to be moved twice, or cannot be moved as bytes";
  } else if (reach_of(walk).span > UINT32_MAX) {
    why = "offsets do not fit 32 bits";
  } else if (!job.forced && job.executor == nullptr) {
    why = "there is one thread";
  } else if (!job.forced && row_bytes(job) > largest_row && rows_have_owners(job)) {
    why = "rows are too long to be moved twice";
  } else if (!job.forced && reach_of(walk).span < least_span) {
    why = "the output is small";
  } else if (!job.forced && sample(job).is_local()) {
    why = "neighbouring updates go to neighbouring places";
  }
  return why.empty();
}

class Exchange {
 public:
  explicit Exchange(const Job& job)
      : job_(job),
        layout_(job),
        is_far_(internal::is_far(job)),
        offsets_(layout_.lists() * layout_.room() * offset_bytes),
        rows_(layout_.lists() * layout_.room() * layout_.row),
        lengths_(layout_.lists() * static_cast<std::int64_t>(sizeof(std::int64_t))) {
    if (steps_cells(job)) step_ = list_kernel(job.step.reduction, job.step.compare, job.step.stream, static_cast<bool>(job.counts));
    if (layout_.owners <= most_picking && job.walk.out_of_range != OutOfRange::skip)
      pick_ = pick_kernel(Dtype::int64, Negative::reject, layout_.row);
  }

  [[nodiscard]] bool has_memory() const { return offsets_ && rows_ && lengths_; }

  [[nodiscard]] bool run() const {
    return parallel_rounds(job_, layout_.rounds + 1, layout_.owners, [&](std::int64_t round, std::int64_t i) {
      if (round > 0) step_own(round - 1, i);
      return round == layout_.rounds || split(round, i);
    });
  }

 private:
  // The updates of one stretch, a list for each owner.
  struct Lists {
    std::uint32_t* offsets;
    std::byte* rows;
    std::int64_t* lengths;
    std::int64_t room, row;

    [[nodiscard]] std::uint32_t* offsets_of(std::int64_t owner) const { return offsets + owner * room; }
    [[nodiscard]] std::byte* rows_of(std::int64_t owner) const { return rows + owner * room * row; }
  };
  [[nodiscard]] Lists lists_of(std::int64_t round, std::int64_t stretch) const {
    const std::int64_t first = ((round & 1) * layout_.owners + stretch) * layout_.owners, room = layout_.room();
    return {offsets_.as<std::uint32_t>() + first * room, rows_.as<std::byte>() + first * room * layout_.row,
            lengths_.as<std::int64_t>() + first, room, layout_.row};
  }

  // An index is read once, checked and kept, so nobody can change it afterwards.
  [[nodiscard]] bool split(std::int64_t round, std::int64_t stretch) const {
    const std::int64_t begin = std::min((round * layout_.owners + stretch) * layout_.stretch, job_.walk.point_count);
    const std::int64_t end = std::min(begin + layout_.stretch, job_.walk.point_count);
    const Lists lists = lists_of(round, stretch);
    std::fill_n(lists.lengths, layout_.owners, 0);
    const Job part = part_of_points(job_, 0, begin, end);
    const std::int64_t low = layout_.reach.low - begin * job_.walk.addressed_steps[0], step = part.walk.stream_steps[0];
    return each_block(part, [&](const std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
      const std::byte* const updates = part.stream + stream;
      if (pick_ != nullptr) {
        pick_for_each(lists, offsets, low, count, updates, step);
      } else {
        split_among_all(lists, offsets, low, count, updates, step);
      }
    });
  }

  // For few owners: a pass for each, with vectors.
  void pick_for_each(const Lists& lists, const std::int64_t* offsets, std::int64_t low, std::int64_t count, const std::byte* update,
                     std::int64_t step) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(offsets);
    for (std::int64_t owner = 0; owner < layout_.owners; ++owner) {
      std::int64_t& length = lists.lengths[owner];
      PickRun run{bytes,
                  sizeof(std::int64_t),
                  INT64_MAX,
                  1,
                  -low,
                  update,
                  step,
                  count,
                  owner,
                  layout_.owners,
                  lists.offsets_of(owner) + length,
                  lists.rows_of(owner) + length * layout_.row};
      pick_(run);  // offsets are known to be good
      length += run.listed;
    }
  }

  // For any number of owners.
  void split_among_all(const Lists& lists, const std::int64_t* offsets, std::int64_t low, std::int64_t count, const std::byte* update,
                       std::int64_t step) const {
    for (std::int64_t i = 0; i < count; ++i, update += step) {
      if (offsets[i] == skipped) continue;
      const auto offset = static_cast<std::uint32_t>(offsets[i] - low);
      const std::int64_t owner = owner_of(offset, layout_.owners), at = lists.lengths[owner]++;
      lists.offsets_of(owner)[at] = offset;
      std::memcpy(lists.rows_of(owner) + at * layout_.row, update, static_cast<std::size_t>(layout_.row));
    }
  }

  void step_own(std::int64_t round, std::int64_t owner) const {
    for (std::int64_t stretch = 0; stretch < layout_.owners; ++stretch) {
      const Lists lists = lists_of(round, stretch);
      step_list(lists.offsets_of(owner), lists.rows_of(owner), lists.lengths[owner]);
    }
  }

  void step_list(const std::uint32_t* listed, std::byte* rows, std::int64_t length) const {
    if (step_ != nullptr) {
      step_({job_.addressed + layout_.reach.low, listed, rows, length, length, is_far_});
      return;
    }
    const auto step_all = is_far_ ? &step_ahead : &step;
    std::array<std::int64_t, largest_block> offsets;
    for (std::int64_t begin = 0; begin < length; begin += largest_block) {
      const std::int64_t count = std::min(largest_block, length - begin);
      for (std::int64_t i = 0; i < count; ++i) offsets[static_cast<std::size_t>(i)] = listed[begin + i] + layout_.reach.low;
      step_all(job_, {offsets.data(), count, rows + begin * layout_.row, layout_.row});
    }
  }

  const Job& job_;
  const Layout layout_;
  const bool is_far_;
  PickKernel pick_ = nullptr;  // null where there is no kernel
  ListKernel step_ = nullptr;
  const Scratch offsets_, rows_, lengths_;
};

Outcome run(const Job& job) {
  if (job.walk.point_count == 0 || job.walk.row_count == 0) return Outcome::done;
  const Exchange work(job);
  return work.has_memory() ? written(work.run()) : run_without_scratch(job);
}

std::int64_t scratch_bytes(const Job& job) { return Layout(job).bytes(); }

}  // namespace

extern const Strategy exchange;
const Strategy exchange{
    .name = "exchange",
    .summary = "threads share the updates, own the places, and hand each other lists",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
};

}  // namespace strew::internal
