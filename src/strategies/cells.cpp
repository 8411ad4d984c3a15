// A counting sort of each block by bucket. Blocks are independent, so they are sorted on all threads.
#include "strategies/cells.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "strategies/blocks.h"
#include "strategies/parallel.h"

namespace strew::internal {
namespace {

constexpr std::int64_t max_points = 1 << 16;  // of a block: their numbers are 16 bits
constexpr int max_bits = 16;
constexpr int enough_bits = 6;               // 32 to 64 buckets balance well over threads
constexpr std::int64_t few_cells = 1 << 16;  // this many are cheap for any number of points
constexpr std::uint32_t none = UINT32_MAX;   // the place of a skipped point

int bits_of(std::int64_t count) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, count)))) - 1;
}

}  // namespace

Grid::Grid(const ReplayFacts& facts, std::int64_t bytes) {
  if (facts.block_points < largest_block) {
    // Tests request small blocks; their buckets are small too.
    block_points = facts.block_points;
    bits = bits_of(facts.block_points);
  } else {
    block_points = max_points;
    const std::int64_t row = std::max<std::int64_t>(1, facts.place_row());
    bits = std::clamp(std::min(bits_of(bytes / row), bits_of(facts.places) - enough_bits), 0, max_bits);
  }
  cut(facts);
  const std::int64_t most = std::max(facts.points, few_cells);
  while (cells() > most && (block_points < max_points || bits < max_bits)) {
    is_coarse = true;
    if (bits == max_bits || (block_points < max_points && blocks > buckets)) {
      block_points = std::min(2 * block_points, max_points);
    } else {
      ++bits;
    }
    cut(facts);
  }
}

void Grid::cut(const ReplayFacts& facts) {
  blocks = facts.points / block_points + (facts.points % block_points > 0 ? 1 : 0);
  buckets = (facts.places >> bits) + 1;
}

Cells::Cells(const ReplayFacts& facts, const Grid& grid)
    : count_(facts.points),
      block_points_(grid.block_points),
      blocks_(grid.blocks),
      places_count_(facts.places),
      bucket_bits_(grid.bits),
      buckets_(grid.buckets),
      points_(count_),
      places_(count_),
      starts_((buckets_ + 1) * blocks_),
      begins_(blocks_ + 1) {
  for (std::int64_t block = 0; block <= blocks_; ++block) begins_[block] = std::min(block * block_points_, count_);
}

bool Cells::fill(const Job& numbered) {
  // Each lane sorts its blocks one by one, in scratch that stays in its cache.
  const std::int64_t lanes = std::min(blocks_, 4 * numbered.threads), counters = buckets_ + 1;
  Array<std::uint32_t> places(lanes * block_points_), next(lanes * counters);
  std::atomic<bool> fine{true};
  parallel(numbered, lanes, [&](std::int64_t lane) {
    const std::int64_t end = blocks_ * (lane + 1) / lanes;
    for (std::int64_t block = blocks_ * lane / lanes; block < end; ++block) {
      if (!sort_block(numbered, block, places.data() + lane * block_points_, next.data() + lane * counters)) {
        fine.store(false, std::memory_order_relaxed);
        return;
      }
    }
  });
  return fine.load(std::memory_order_relaxed);
}

bool Cells::sort_block(const Job& numbered, std::int64_t block, std::uint32_t* places, std::uint32_t* next) {
  const std::int64_t first = block * block_points_, count = points_in(block);
  const int bits = bucket_bits_;
  std::fill_n(next, buckets_ + 1, 0);
  std::uint32_t* to = places;
  const bool fine = each_block_between(numbered, first, first + count, [&](const std::int64_t* offsets, std::int64_t some) {
    for (std::int64_t i = 0; i < some; ++i) {
      to[i] = offsets[i] == skipped ? none : static_cast<std::uint32_t>(offsets[i]);
      next[offsets[i] == skipped ? buckets_ : offsets[i] >> bits]++;
    }
    to += some;
  });
  if (!fine) return false;
  std::uint32_t sum = 0;
  for (std::int64_t bucket = 0; bucket <= buckets_; ++bucket) {
    starts_[bucket * blocks_ + block] = sum;
    sum += std::exchange(next[bucket], sum);
  }
  std::uint16_t* const point = points_.data() + first;
  std::uint16_t* const place = places_.data() + first;
  const auto mask = (std::uint32_t{1} << bits) - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (places[i] == none) continue;
    const std::uint32_t at = next[places[i] >> bits]++;
    point[at] = static_cast<std::uint16_t>(i);
    place[at] = static_cast<std::uint16_t>(places[i] & mask);
  }
  return true;
}

void Cells::drop_replaced(const Job& numbered) {
  // Iterates from the last point of a bucket to the first: a point whose place is taken is dropped, others move to the end of their cell.
  Array<std::uint32_t> sizes(buckets_ * blocks_);
  parallel(numbered, buckets_, [&](std::int64_t bucket) {
    std::array<std::uint64_t, (1 << max_bits) / 64> taken;
    std::fill_n(taken.begin(), ((std::int64_t{1} << bucket_bits_) + 63) / 64, 0);
    for (std::int64_t block = blocks_; block-- > 0;) {
      const std::int64_t begin = cell_begin(bucket, block), end = cell_end(bucket, block);
      std::int64_t to = end;
      for (std::int64_t i = end; i-- > begin;) {
        std::uint64_t& word = taken[places_[i] >> 6];
        const std::uint64_t bit = std::uint64_t{1} << (places_[i] & 63);
        if ((word & bit) != 0) continue;
        word |= bit;
        --to;
        points_[to] = points_[i];
        places_[to] = places_[i];
      }
      sizes[bucket * blocks_ + block] = static_cast<std::uint32_t>(end - to);
    }
  });
  // Compacts the cells of each block. A start is overwritten only after it was read as the end of the previous cell.
  parallel(numbered, blocks_, [&](std::int64_t block) {
    std::int64_t to = begins_[block];
    for (std::int64_t bucket = 0; bucket < buckets_; ++bucket) {
      const std::int64_t size = sizes[bucket * blocks_ + block], end = cell_end(bucket, block), from = end - size;
      std::copy(points_.data() + from, points_.data() + end, points_.data() + to);
      std::copy(places_.data() + from, places_.data() + end, places_.data() + to);
      starts_[bucket * blocks_ + block] = static_cast<std::uint32_t>(to - begins_[block]);
      to += size;
    }
    starts_[buckets_ * blocks_ + block] = static_cast<std::uint32_t>(to - begins_[block]);
  });
}

void Cells::compact(const Job& numbered) {
  Array<std::int64_t> begins(blocks_ + 1);
  begins[0] = 0;
  for (std::int64_t block = 0; block < blocks_; ++block) begins[block + 1] = begins[block] + starts_[buckets_ * blocks_ + block];
  if (begins[blocks_] == count_) return;
  Array<std::uint16_t> points(begins[blocks_]), places(begins[blocks_]);
  parallel(numbered, blocks_, [&](std::int64_t block) {
    const std::int64_t from = begins_[block], to = begins[block], size = begins[block + 1] - to;
    std::copy_n(points_.data() + from, size, points.data() + to);
    std::copy_n(places_.data() + from, size, places.data() + to);
  });
  points_ = std::move(points);
  places_ = std::move(places);
  begins_ = std::move(begins);
}

}  // namespace strew::internal
