// Each thread partitions a block of updates by owner, then applies the blocks addressed to it, in order. The lists stay in the cache.
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
// Bytes: longest row worth copying, if `owners` could run and otherwise.
constexpr std::int64_t max_row_if_owned = 8, max_row = 64;
constexpr std::int64_t max_block = 1 << 16;  // updates
constexpr std::int64_t min_block = 1 << 9;
constexpr std::int64_t list_bytes = 1 << 22;          // of all lists together, unless blocks would be too short
constexpr std::int64_t min_span = 3 << 20;            // bytes of output; below, lists cost more than one thread's cache misses
constexpr std::int64_t max_owners = max_round_tasks;  // there are 2 * owners^2 lists
constexpr std::int64_t max_picking_owners = 4;        // owners: each costs a pass over the block
constexpr std::int64_t offset_bytes = sizeof(std::uint32_t);

// The sizes into which a job is divided.
struct Geometry {
  Reach reach;
  std::int64_t row;     // bytes
  std::int64_t owners;  // and blocks that are partitioned in one round
  std::int64_t block;   // points
  std::int64_t rounds;

  explicit Geometry(const Job& job)
      : reach(reach_of(job.walk)), row(row_bytes(job)), owners(std::clamp<std::int64_t>(job.threads, 2, max_owners)) {
    const std::int64_t points = job.walk.point_count, most = (points + owners - 1) / owners;
    const std::int64_t wanted = std::clamp(list_bytes / (2 * owners * owners * (row + offset_bytes)), min_block, max_block);
    block = std::max<std::int64_t>(1, std::min(job.block_points < largest_block ? 8 * job.block_points : wanted, most));
    rounds = (points + block * owners - 1) / (block * owners);
  }

  // Two sets of lists: while one is applied, the next is filled.
  [[nodiscard]] std::int64_t lists() const { return 2 * owners * owners; }
  [[nodiscard]] std::int64_t room() const { return block + list_slack; }  // updates that fit a list
  [[nodiscard]] std::int64_t bytes() const {
    return lists() * (room() * (row + offset_bytes) + static_cast<std::int64_t>(sizeof(std::int64_t)));
  }
};

bool accepts(const Job& job, std::string_view& why) {
  const Walk& walk = job.walk;
  if (job.gathers) {
    why = "a gather has no owners";
  } else if (walk.points.size() != 1 || walk.columns.empty()) {
    why = "the points must have one dimension";
  } else if (job.stream_bytes == 0 || !updates_are_dense(job) || row_bytes(job) > max_row) {
    why = "rows are too long to copy, or not copied as bytes";
  } else if (reach_of(walk).span > UINT32_MAX) {
    why = "offsets do not fit 32 bits";
  } else if (!job.forced && job.executor == nullptr) {
    why = "there is one thread";
  } else if (!job.forced && row_bytes(job) > max_row_if_owned && rows_have_owners(job)) {
    why = "rows are too long to copy";
  } else if (!job.forced && reach_of(walk).span < min_span) {
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
        geometry_(job),
        prefetches_(prefetching_pays(job)),
        offsets_(geometry_.lists() * geometry_.room() * offset_bytes),
        rows_(geometry_.lists() * geometry_.room() * geometry_.row),
        lengths_(geometry_.lists() * static_cast<std::int64_t>(sizeof(std::int64_t))) {
    if (steps_cells(job)) step_ = list_kernel(job.step.reduction, job.step.compare, job.step.stream, static_cast<bool>(job.counts));
    if (geometry_.owners <= max_picking_owners && job.walk.out_of_range != OutOfRange::skip)
      pick_ = pick_kernel(Dtype::int64, Negative::reject, geometry_.row);
  }

  [[nodiscard]] bool is_allocated() const { return offsets_ && rows_ && lengths_; }

  [[nodiscard]] bool run() const {
    return parallel_rounds(job_, geometry_.rounds + 1, geometry_.owners, [&](std::int64_t round, std::int64_t i) {
      if (round > 0) step_own(round - 1, i);
      return round == geometry_.rounds || split(round, i);
    });
  }

 private:
  // The updates of one block, a list for each owner.
  struct Lists {
    std::uint32_t* offsets;
    std::byte* rows;
    std::int64_t* lengths;
    std::int64_t room, row;

    [[nodiscard]] std::uint32_t* offsets_of(std::int64_t owner) const { return offsets + owner * room; }
    [[nodiscard]] std::byte* rows_of(std::int64_t owner) const { return rows + owner * room * row; }
  };
  [[nodiscard]] Lists lists_of(std::int64_t round, std::int64_t block) const {
    const std::int64_t first = ((round & 1) * geometry_.owners + block) * geometry_.owners, room = geometry_.room();
    return {offsets_.as<std::uint32_t>() + first * room, rows_.as<std::byte>() + first * room * geometry_.row,
            lengths_.as<std::int64_t>() + first, room, geometry_.row};
  }

  // Each index is read once, validated and kept, so that no later change of it matters.
  [[nodiscard]] bool split(std::int64_t round, std::int64_t block) const {
    const std::int64_t begin = std::min((round * geometry_.owners + block) * geometry_.block, job_.walk.point_count);
    const std::int64_t end = std::min(begin + geometry_.block, job_.walk.point_count);
    const Lists lists = lists_of(round, block);
    std::fill_n(lists.lengths, geometry_.owners, 0);
    const Job part = part_of_points(job_, 0, begin, end);
    const std::int64_t low = geometry_.reach.low - begin * job_.walk.addressed_strides[0], stride = part.walk.stream_strides[0];
    return each_block(part, [&](const std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
      const std::byte* const updates = part.stream + stream;
      if (pick_ != nullptr) {
        pick_for_each(lists, offsets, low, count, updates, stride);
      } else {
        split_among_all(lists, offsets, low, count, updates, stride);
      }
    });
  }

  // For few owners: one vectorized pass for each.
  void pick_for_each(const Lists& lists, const std::int64_t* offsets, std::int64_t low, std::int64_t count, const std::byte* update,
                     std::int64_t stride) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(offsets);
    for (std::int64_t owner = 0; owner < geometry_.owners; ++owner) {
      std::int64_t& length = lists.lengths[owner];
      PickRun run{.index = bytes,
                  .index_stride = sizeof(std::int64_t),
                  .extent = INT64_MAX,
                  .stride = 1,
                  .origin = -low,
                  .stream = update,
                  .stream_stride = stride,
                  .count = count,
                  .owner = owner,
                  .owners = geometry_.owners,
                  .offsets = lists.offsets_of(owner) + length,
                  .rows = lists.rows_of(owner) + length * geometry_.row};
      pick_(run);  // offsets are valid already
      length += run.listed;
    }
  }

  // For any number of owners, in one pass.
  void split_among_all(const Lists& lists, const std::int64_t* offsets, std::int64_t low, std::int64_t count, const std::byte* update,
                       std::int64_t stride) const {
    for (std::int64_t i = 0; i < count; ++i, update += stride) {
      if (offsets[i] == skipped) continue;
      const auto offset = static_cast<std::uint32_t>(offsets[i] - low);
      const std::int64_t owner = owner_of(offset, geometry_.owners), at = lists.lengths[owner]++;
      lists.offsets_of(owner)[at] = offset;
      std::memcpy(lists.rows_of(owner) + at * geometry_.row, update, static_cast<std::size_t>(geometry_.row));
    }
  }

  void step_own(std::int64_t round, std::int64_t owner) const {
    for (std::int64_t block = 0; block < geometry_.owners; ++block) {
      const Lists lists = lists_of(round, block);
      step_list(lists.offsets_of(owner), lists.rows_of(owner), lists.lengths[owner]);
    }
  }

  void step_list(const std::uint32_t* listed, std::byte* rows, std::int64_t length) const {
    if (step_ != nullptr) {
      step_({job_.addressed + geometry_.reach.low, listed, rows, length, length, prefetches_});
      return;
    }
    const auto step_all = prefetches_ ? &step_ahead : &step;
    std::array<std::int64_t, largest_block> offsets;
    for (std::int64_t begin = 0; begin < length; begin += largest_block) {
      const std::int64_t count = std::min(largest_block, length - begin);
      for (std::int64_t i = 0; i < count; ++i) offsets[static_cast<std::size_t>(i)] = listed[begin + i] + geometry_.reach.low;
      step_all(job_, {offsets.data(), count, rows + begin * geometry_.row, geometry_.row});
    }
  }

  const Job& job_;
  const Geometry geometry_;
  const bool prefetches_;
  PickKernel pick_ = nullptr;  // null if there is no kernel
  ListKernel step_ = nullptr;
  const Scratch offsets_, rows_, lengths_;
};

Outcome run(const Job& job) {
  if (job.walk.point_count == 0 || job.walk.row_count == 0) return Outcome::done;
  const Exchange work(job);
  return work.is_allocated() ? outcome_of_writing(work.run()) : run_without_scratch(job);
}

std::int64_t scratch_bytes(const Job& job) { return Geometry(job).bytes(); }

}  // namespace

extern const Strategy exchange;
const Strategy exchange{
    .name = "exchange",
    .summary = "threads partition blocks of updates by owner, owners apply them",
    .min_elements = min_elements,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
};

}  // namespace strew::internal
