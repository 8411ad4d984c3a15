// Points sorted by bucket of the output, a block of points at a time.
#pragma once

#include "base/array.h"
#include "base/checked.h"
#include "strategies/replay.h"

namespace strew::internal {

// Points are cut into blocks, places into buckets of 2^bits. Each pair of block and bucket is a cell.
struct Grid {
  // Buckets are as large as fits `bytes`, but numerous enough to balance over threads.
  Grid(const ReplayFacts& facts, std::int64_t bytes);
  [[nodiscard]] std::int64_t cells() const { return saturating_mul(blocks, buckets + 1); }  // each costs four bytes

  std::int64_t block_points, blocks = 0;
  int bits;
  std::int64_t buckets = 0;
  bool is_coarse = false;  // there would have been more cells than points

 private:
  void cut(const ReplayFacts& facts);
};

// A cell holds the points of one block whose places lie in one bucket, in order. Blocks and buckets have at most 2^16 entries, so that
// numbers within them are 16 bits.
class Cells {
 public:
  Cells(const ReplayFacts& facts, const Grid& grid);

  // Reads the indices. Returns false if one is bad.
  bool fill(const Job& numbered);
  // Keeps the last point of each place.
  void drop_replaced(const Job& numbered);
  // Frees the memory of points that are skipped or dropped.
  void compact(const Job& numbered);

  [[nodiscard]] std::int64_t blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t buckets() const { return buckets_; }
  [[nodiscard]] std::int64_t places_count() const { return places_count_; }
  [[nodiscard]] std::int64_t kept() const { return begins_[blocks_]; }
  [[nodiscard]] std::int64_t bytes() const { return points_.bytes() + places_.bytes() + starts_.bytes() + begins_.bytes(); }

  // The points of a block are contiguous, ordered by bucket.
  [[nodiscard]] std::int64_t block_begin(std::int64_t block) const { return begins_[block]; }
  [[nodiscard]] std::int64_t cell_begin(std::int64_t bucket, std::int64_t block) const {
    return begins_[block] + starts_[bucket * blocks_ + block];
  }
  [[nodiscard]] std::int64_t cell_end(std::int64_t bucket, std::int64_t block) const { return cell_begin(bucket + 1, block); }

  // The contents of cells: numbers within the block and within the bucket.
  [[nodiscard]] const std::uint16_t* points() const { return points_.data(); }
  [[nodiscard]] const std::uint16_t* places() const { return places_.data(); }
  [[nodiscard]] std::int64_t first_point(std::int64_t block) const { return block * block_points_; }
  [[nodiscard]] std::int64_t first_place(std::int64_t bucket) const { return bucket << bucket_bits_; }

 private:
  bool sort_block(const Job& numbered, std::int64_t block, std::uint32_t* places, std::uint32_t* next);
  [[nodiscard]] std::int64_t points_in(std::int64_t block) const { return std::min(block_points_, count_ - block * block_points_); }

  std::int64_t count_, block_points_, blocks_, places_count_;
  int bucket_bits_;
  std::int64_t buckets_;
  Array<std::uint16_t> points_, places_;
  Array<std::uint32_t> starts_;  // by bucket, then by block; one extra bucket holds the ends
  Array<std::int64_t> begins_;   // of the blocks, plus the end
};

}  // namespace strew::internal
