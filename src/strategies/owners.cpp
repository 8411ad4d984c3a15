// Every thread reads all indices and steps only the points whose place it owns. Reading costs each thread a little, so the step must be
// worth more: short rows, or several columns.
#include <atomic>
#include <cstring>

#include "strategies/blocks.h"
#include "strategies/parallel.h"
#include "strategies/step.h"
#include "strategies/strategy.h"
#include "strategies/targets.h"

namespace strew {
namespace {

constexpr std::int64_t least_points = 1 << 16;
constexpr std::int64_t least_row = 32;      // bytes of a row whose step is worth more than reading its index
constexpr std::int64_t largest_copied = 64; // bytes of a row that is copied rather than stepped alone

// Places in the same 128 bytes have the same owner, so that threads do not pull one line back and forth. Rows that begin at the same
// offset are the same elements, and others have none in common.
std::int64_t owner_of(std::int64_t offset, std::int64_t owners) {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(offset) >> 7) * 0x9E3779B97F4A7C15u;
  return static_cast<std::int64_t>((mixed >> 32) * static_cast<std::uint64_t>(owners) >> 32);
}

std::int64_t owners_of(const Job& job) { return std::max<std::int64_t>(2, job.threads); }

bool accepts(const Job& job, std::string_view& why) {
  if (job.gathers) {
    why = "what is gathered has no owner";
  } else if (job.stream_bytes == 0) {
    why = "strings are stepped by one thread";
  } else if (!job.forced && job.executor == nullptr) {
    why = "there is one thread";
  } else if (!job.forced && job.walk.point_count < least_points) {
    why = "there is too little work to share";
  } else if (!job.forced && row_bytes(job) < least_row && job.walk.columns.size() < 2) {
    why = "a step costs no more than reading its index";
  } else if (!job.forced && (row_bytes(job) > largest_copied || !updates_are_dense(job))) {
    why = "rows are too long to be copied";
  }
  return why.empty();
}

// Keeps the points of one owner, and copies their rows so that they lie together.
Points copy_own(const Job& job, const Points& all, std::int64_t owner, std::int64_t* offsets, std::byte* rows) {
  const std::int64_t owners = owners_of(job), row = row_bytes(job);
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < all.count; ++i) {
    const std::int64_t offset = all.offsets[i];
    offsets[kept] = offset;
    std::memcpy(rows + kept * row, all.stream + i * all.stream_step, static_cast<std::size_t>(row));
    kept += offset != skipped && owner_of(offset, owners) == owner;
  }
  return {offsets, kept, rows, row};
}

bool run_own(const Job& job, std::int64_t owner) {
  const std::int64_t owners = owners_of(job), stream_step = job.walk.points.empty() ? 0 : job.walk.stream_steps.back();
  const bool copies = row_bytes(job) <= largest_copied && updates_are_dense(job);
  const auto step_all = is_far(job) ? &step_ahead : &step;
  std::array<std::int64_t, largest_block> own;
  std::array<std::byte, largest_block * largest_copied> rows;
  return each_block(job, [&](std::int64_t* offsets, std::int64_t count, std::int64_t stream) {
    const Points points{offsets, count, job.stream + stream, stream_step};
    if (copies) {
      step_all(job, copy_own(job, points, owner, own.data(), rows.data()));
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (offsets[i] != skipped && owner_of(offsets[i], owners) != owner) offsets[i] = skipped;
    }
    each_kept(offsets, count, [&](std::int64_t first, std::int64_t kept) { step_all(job, points.part(first, kept)); });
  });
}

bool run(const Job& job) {
  std::atomic<bool> fine{true};
  parallel(job, owners_of(job), [&](std::int64_t owner) {
    if (!run_own(job, owner)) fine.store(false, std::memory_order_relaxed);
  });
  return fine.load(std::memory_order_relaxed);
}

}  // namespace

extern const Strategy owners;
const Strategy owners{"owners", "every thread reads all indices and steps the places that it owns", 1 << 13, &accepts, &run};

}  // namespace strew
