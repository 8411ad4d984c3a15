// Partitions the updates by part of the output, keeping their order, then applies the parts on all threads. A part fits a cache, so a large
// output is read and written once instead of a cache line at a time, and no two threads touch the same part.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/checked.h"
#include "base/scratch.h"
#include "kernels/entries.h"
#include "kernels/prefetch.h"
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

constexpr std::int64_t min_points = 1 << 18;
constexpr std::int64_t bytes_per_point = 64;  // of the output: with fewer points, most of it would be read in vain
// Bytes of output; smaller ones stay in a cache. Assignments do not stall on loads, so partitioning pays later.
constexpr std::int64_t min_span = 12 << 20, min_assigned = 20 << 20;  // on several threads
constexpr std::int64_t min_span_alone = 20 << 20, min_assigned_alone = 56 << 20;  // on one
constexpr std::int64_t part_bytes = 1 << 18;  // of the output: half of a second-level cache
constexpr std::int64_t max_parts = 1 << 9;  // more write positions are slow
constexpr std::int64_t min_parts = 256;  // for load balance
// Bytes: longest row worth copying, if `owners` could run and otherwise.
constexpr std::int64_t max_row_if_owned = 8, max_row = 12;
constexpr std::int64_t min_round = std::int64_t{1} << 23, max_round = std::int64_t{1} << 28;  // bytes of partitioned updates
constexpr std::int64_t max_chunk_slots = 32;  // longer chunks are not read faster
constexpr std::int64_t chunks_per_bucket = 4;  // at least, if there are enough slots: the last chunk stays partly empty
constexpr std::int64_t prefetched_lines = 8;  // of the next chunk; the hardware prefetcher follows
constexpr std::int64_t offset_bytes = entry_offset_bytes;

// The sizes into which a job is divided. Offsets are relative to the lowest one, in units of 2^unit bytes; a part is 2^part bytes.
struct Geometry {
  Reach reach;
  std::int64_t row, entry;  // bytes of an update, and of an entry: its offset and its row
  int unit, part;
  std::int64_t parts, tasks;
  std::int64_t round;  // points partitioned at a time
  std::int64_t per_slot;  // entries in a slot
  std::int64_t chunk_slots, chunk_bytes, chunks;
  bool places_fill_it;  // points can address every unit from the lowest offset to the highest

  explicit Geometry(const Job& job) : reach(reach_of(job.walk)), row(row_bytes(job)), entry(row + offset_bytes) {
    std::uint64_t strides = static_cast<std::uint64_t>(job.walk.addressed_strides[0]);
    for (const Column& column : job.walk.columns) strides |= column.extent > 1 ? static_cast<std::uint64_t>(column.stride) : 0;
    unit = strides == 0 ? 0 : std::countr_zero(strides);
    const std::int64_t bytes = std::min(std::max(part_bytes, reach.span / max_parts), reach.span / min_parts + 1);
    part = std::max(unit, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)) - 1));
    parts = (reach.span >> part) + 1;
    per_slot = slot_bytes / entry;
    const std::int64_t points = job.walk.point_count;
    // Each task should fill at least a slot of every part.
    tasks = std::clamp<std::int64_t>(points / (parts * per_slot), 1, 2 * threads_of(job));
    const std::int64_t output = reach.span < max_round ? parts << part : max_round;
    round = job.block_points < largest_block ? 4 * job.block_points : std::clamp(2 * output, min_round, max_round) / entry;
    round = std::min(round, points);
    chunk_slots = std::clamp<std::int64_t>(round / (per_slot * tasks * parts * chunks_per_bucket), 1, max_chunk_slots);
    // An odd number of cache lines, so that chunks that fill at the same rate use different cache sets.
    chunk_bytes = chunk_slots * slot_bytes + line_bytes;
    chunks = round / (per_slot * chunk_slots) + tasks * (parts + 1);
    places_fill_it = job.walk.addressed_strides[0] == 0 && !job.walk.has_gaps && (reach.span - 1) >> unit == places_of(job.walk) - 1;
  }

  // Whether most cache lines of the output are updated in a round. It is then faster to read a part sequentially first. This reads places
  // only: memory between them may belong to others.
  [[nodiscard]] bool is_dense() const { return places_fill_it && round >= reach.span / line_bytes; }
};

std::int64_t min_span_of(const Job& job) {
  const bool assigns = job.step.properties().replaces;
  if (job.executor != nullptr) return assigns ? min_assigned : min_span;
  return assigns ? min_assigned_alone : min_span_alone;
}

bool accepts(const Job& job, std::string_view& why) {
  if (job.gathers) {
    why = "a gather needs no sorting";
  } else if (job.walk.points.size() != 1 || job.walk.columns.empty()) {
    why = "the points must have one dimension";
  } else if (job.stream_bytes == 0 || !updates_are_dense(job) || row_bytes(job) > slot_bytes - offset_bytes) {
    why = "the updates cannot be copied as bytes";
  } else if (!job.forced && job.walk.point_count < std::max(min_points, reach_of(job.walk).span / bytes_per_point)) {
    why = "there are few updates for the size of the output";
  } else if (!job.forced && row_bytes(job) > (rows_have_owners(job) ? max_row_if_owned : max_row)) {
    why = "rows are too long to copy";
  } else if (!job.forced && reach_of(job.walk).span < min_span_of(job)) {
    why = "the output is small";
  } else if (!job.forced && sample(job).is_local()) {
    why = "neighbouring updates go to neighbouring places";
  } else if (const Geometry geometry(job); geometry.reach.span >> geometry.unit > UINT32_MAX) {
    why = "offsets do not fit 32 bits";
  }
  return why.empty();
}

// The entries of one task for one part: a list of chunks, each an array of full slots. The open slot is kept apart until the end.
struct Bucket {
  std::byte* slot = nullptr;  // of the next slot
  std::byte* end = nullptr;  // of the chunk
  std::int64_t count = 0;  // entries in full slots
  std::uint32_t first = 0, last = 0;  // chunks
};

class Partition {
 public:
  explicit Partition(const Job& job)
      : job_(job),
        geometry_(job),
        chunks_(geometry_.chunks * geometry_.chunk_bytes),
        follower_(geometry_.chunks * offset_bytes),
        open_(geometry_.tasks * geometry_.parts * slot_bytes),
        filled_(geometry_.tasks * geometry_.parts * offset_bytes),
        buckets_(geometry_.tasks * geometry_.parts * static_cast<std::int64_t>(sizeof(Bucket))) {
    // Single elements of common types have their own kernels: to apply entries, and to partition if one column names them.
    const Walk& walk = job.walk;
    if (!walk.row.empty()) return;
    if (steps_cells(job)) step_ = entry_kernel(job.step.reduction, job.step.compare, job.step.stream, static_cast<bool>(job.counts));
    if (walk.columns.size() != 1 || walk.addressed_strides[0] != 0 || walk.out_of_range != OutOfRange::error) return;
    partition_ = partition_kernel(walk.columns[0].dtype, walk.negative, job.stream_bytes);
  }

  [[nodiscard]] bool is_allocated() const { return chunks_ && follower_ && open_ && filled_ && buckets_; }
  [[nodiscard]] static std::int64_t bytes(const Geometry& geometry) {
    return geometry.chunks * (geometry.chunk_bytes + offset_bytes) +
           geometry.tasks * geometry.parts * (slot_bytes + offset_bytes + static_cast<std::int64_t>(sizeof(Bucket)));
  }

  [[nodiscard]] Outcome run() {
    const std::int64_t points = job_.walk.point_count;
    for (std::int64_t begin = 0; begin < points; begin += geometry_.round) {
      if (run_round(begin, std::min(begin + geometry_.round, points))) continue;
      return begin == 0 ? Outcome::bad_index : Outcome::bad_index_after_writing;
    }
    return Outcome::done;
  }

 private:
  // The state of a task: the open slot of each part, the write position in it (relative to the first), and the buckets.
  struct Buckets {
    std::byte* open;
    std::uint32_t* filled;
    Bucket* of_part;
  };
  [[nodiscard]] Buckets buckets_of(std::int64_t task) const {
    const std::int64_t first = task * geometry_.parts;
    return {open_.as<std::byte>() + first * slot_bytes, filled_.as<std::uint32_t>() + first, buckets_.as<Bucket>() + first};
  }
  [[nodiscard]] std::byte* chunk(std::uint32_t i) const { return chunks_.as<std::byte>() + i * geometry_.chunk_bytes; }

  bool run_round(std::int64_t begin, std::int64_t end) {
    std::atomic<bool> fine{true};
    next_chunk_.store(0, std::memory_order_relaxed);
    const std::int64_t count = end - begin, tasks = geometry_.tasks;
    parallel(job_, tasks, [&](std::int64_t task) {
      if (!partition_points(task, begin + count * task / tasks, begin + count * (task + 1) / tasks))
        fine.store(false, std::memory_order_relaxed);
      end_streaming();
    });
    if (!fine.load(std::memory_order_relaxed)) return false;
    if (begin == 0) cancellation_point(job_);
    parallel(job_, geometry_.parts, [&](std::int64_t part) { apply(part); });
    return true;
  }

  // Partitions the points [begin, end). Each index is read once, validated and kept, so that no later change of it matters.
  bool partition_points(std::int64_t task, std::int64_t begin, std::int64_t end) {
    const Buckets buckets = buckets_of(task);
    for (std::int64_t i = 0; i < geometry_.parts; ++i) buckets.filled[i] = slot_begin(i);
    std::fill_n(buckets.of_part, geometry_.parts, Bucket{});
    const Job part = part_of_points(job_, 0, begin, end);
    const std::int64_t low = geometry_.reach.low - begin * job_.walk.addressed_strides[0], stride = job_.walk.stream_strides[0];
    if (partition_ != nullptr) return partition_common(part, task);
    return each_block(part, [&](const std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
      const std::byte* const updates = part.stream + stream;
      switch (geometry_.row) {
        case 4: return put<4>(buckets, low, offsets, count, updates, stride);
        case 8: return put<8>(buckets, low, offsets, count, updates, stride);
        default: return put<0>(buckets, low, offsets, count, updates, stride);
      }
    });
  }

  bool partition_common(const Job& part, std::int64_t task) {
    const Column& column = part.walk.columns[0];
    const Buckets buckets = buckets_of(task);
    struct Context {
      Partition* self;
      Buckets buckets;
    } context{this, buckets};
    const auto close = [](void* of, std::int64_t full) {
      static_cast<Context*>(of)->self->close_slot(static_cast<Context*>(of)->buckets, full);
    };
    return partition_({column.index, column.index_strides[0], column.extent, column.stride >> geometry_.unit,
                       -geometry_.reach.low >> geometry_.unit, part.stream, part.walk.stream_strides[0], part.walk.point_count,
                       geometry_.part - geometry_.unit, buckets.open, buckets.filled, close, &context});
  }

  // Appends each update to the open slot of its part. `bytes` is the size of a row if it is known at compile time, else 0.
  template <std::int64_t bytes>
  void put(const Buckets& buckets, std::int64_t low, const std::int64_t* offsets, std::int64_t count, const std::byte* updates,
           std::int64_t stride) {
    const std::int64_t row = bytes == 0 ? geometry_.row : bytes;
    const auto entry = static_cast<std::uint32_t>(row + offset_bytes);
    const auto last = static_cast<std::uint32_t>((slot_bytes / entry - 1) * entry);
    const int unit = geometry_.unit, shift = geometry_.part;
    std::byte* const open = buckets.open;
    std::uint32_t* const filled = buckets.filled;
    for (std::int64_t i = 0; i < count; ++i, updates += stride) {
      if (offsets[i] == skipped) continue;
      const std::int64_t offset = offsets[i] - low, part = offset >> shift;
      const std::uint32_t at = filled[part];
      std::byte* const next = open + at;
      const auto kept = static_cast<std::uint32_t>(offset >> unit);
      std::memcpy(next, &kept, offset_bytes);
      std::memcpy(next + offset_bytes, updates, static_cast<std::size_t>(row));
      filled[part] = at + entry;
      if (at % slot_bytes == last) close_slot(buckets, part);
    }
  }

  [[nodiscard]] static std::uint32_t slot_begin(std::int64_t part) { return static_cast<std::uint32_t>(part * slot_bytes); }

  // Flushes the full slot of a part and begins the next one.
  void close_slot(const Buckets& buckets, std::int64_t part) {
    Bucket& bucket = buckets.of_part[part];
    if (bucket.slot == bucket.end) add_chunk(bucket);
    stream_slot(bucket.slot, buckets.open + part * slot_bytes);
    bucket.slot += slot_bytes;
    bucket.count += geometry_.per_slot;
    buckets.filled[part] = slot_begin(part);
  }

  [[gnu::noinline]] void add_chunk(Bucket& bucket) {
    const std::uint32_t added = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    (bucket.count == 0 ? bucket.first : follower_.as<std::uint32_t>()[bucket.last]) = added;
    bucket.last = added;
    bucket.slot = chunk(added);
    bucket.end = bucket.slot + geometry_.chunk_slots * slot_bytes;
  }

  // Applies the entries of one part, those of earlier points first.
  void apply(std::int64_t part) const {
    if (geometry_.is_dense()) read(part);
    for (std::int64_t task = 0; task < geometry_.tasks; ++task) {
      const Buckets buckets = buckets_of(task);
      const Bucket& bucket = buckets.of_part[part];
      const std::int64_t per_chunk = geometry_.per_slot * geometry_.chunk_slots;
      std::uint32_t at = bucket.first;
      for (std::int64_t left = bucket.count; left > 0; left -= per_chunk) {
        std::byte* const here = chunk(at);
        if (left > per_chunk) {
          at = follower_.as<std::uint32_t>()[at];
          for (std::int64_t line = 0; line < prefetched_lines; ++line) prefetch(chunk(at), line * line_bytes);
        }
        apply(here, std::min(left, per_chunk));
      }
      apply(buckets.open + part * slot_bytes, (buckets.filled[part] - slot_begin(part)) / geometry_.entry);
    }
  }

  // Reads each cache line of a part of the output. Prefetching them is slower: the processor cannot detect the sequence.
  void read(std::int64_t part) const {
    const std::int64_t begin = part << geometry_.part, end = std::min(begin + (std::int64_t{1} << geometry_.part), geometry_.reach.span);
    const std::byte* const touched = job_.addressed + geometry_.reach.low;
    const std::int64_t stride = std::max(line_bytes, std::int64_t{1} << geometry_.unit);
    for (std::int64_t at = begin; at < end; at += stride) static_cast<void>(*static_cast<const volatile std::byte*>(touched + at));
  }

  // Applies entries slot by slot; the last slot may be partly filled.
  void apply(std::byte* slots, std::int64_t count) const {
    if (step_ != nullptr) {
      step_({job_.addressed + geometry_.reach.low, slots, count, geometry_.unit, !geometry_.is_dense()});
      return;
    }
    std::array<std::int64_t, slot_bytes / offset_bytes> offsets;  // at least one per entry of a slot
    for (std::int64_t begin = 0; begin < count; begin += geometry_.per_slot, slots += slot_bytes) {
      const std::int64_t here = std::min(geometry_.per_slot, count - begin);
      for (std::int64_t i = 0; i < here; ++i) {
        std::uint32_t kept;
        std::memcpy(&kept, slots + i * geometry_.entry, offset_bytes);
        offsets[static_cast<std::size_t>(i)] = (static_cast<std::int64_t>(kept) << geometry_.unit) + geometry_.reach.low;
      }
      step(job_, {offsets.data(), here, slots + offset_bytes, geometry_.entry});
    }
  }

  const Job& job_;
  const Geometry geometry_;
  PartitionKernel partition_ = nullptr;
  EntryKernel step_ = nullptr;
  const Scratch chunks_;
  const Scratch follower_;  // of each chunk: the next one in its list
  const Scratch open_;
  const Scratch filled_;
  const Scratch buckets_;
  std::atomic<std::uint32_t> next_chunk_{0};
};

Outcome run(const Job& job) {
  if (job.walk.point_count == 0 || job.walk.row_count == 0) return Outcome::done;
  Partition work(job);
  return work.is_allocated() ? work.run() : run_without_scratch(job);
}

std::int64_t scratch_bytes(const Job& job) { return Partition::bytes(Geometry(job)); }

// With all points in one round, nothing is written before the last index was validated.
bool validates_before_writing(const Job& job) { return Geometry(job).round == job.walk.point_count; }

}  // namespace

extern const Strategy partition;
const Strategy partition{
    .name = "partition",
    .summary = "partitions updates by part of the output, parts on all threads",
    .min_elements = min_points,
    .accepts = &accepts,
    .run = &run,
    .scratch_bytes = &scratch_bytes,
    .validates_before_writing = &validates_before_writing,
};

}  // namespace strew::internal
