// Points sorted by the part of the output that they go to, a block of points at a time.
#pragma once

#include "base/array.h"
#include "base/checked.h"
#include "strategies/replay.h"

namespace strew::internal {

// How points and places are cut: into blocks of points, and buckets of 2^bits places. Each pair of the two is a cell.
struct Grid {
  // Buckets are the largest whose places take at most `bytes`, and of which there are enough to share.
  Grid(const ReplayFacts& facts, std::int64_t bytes);
  [[nodiscard]] std::int64_t cells() const { return saturating_mul(blocks, buckets + 1); }  // each costs four bytes

  std::int64_t block_points, blocks = 0;
  int bits;
  std::int64_t buckets = 0;
  bool is_coarse = false;  // than would be best: there were more cells than points to fill them

 private:
  void cut(const ReplayFacts& facts);
};

// A cell holds the points of one block whose places lie in one bucket, in order. Blocks and buckets have at most 2^16 points and
// places, so that a number within one has 16 bits.
class Cells {
 public:
  Cells(const ReplayFacts& facts, const Grid& grid);

  // Reads the indices. False when one is bad.
  bool fill(const Job& numbered);
  // Keeps the last point of each place.
  void drop_replaced(const Job& numbered);
  // Gives back what points that are left out would take.
  void compact(const Job& numbered);

  [[nodiscard]] std::int64_t blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t buckets() const { return buckets_; }
  [[nodiscard]] std::int64_t places_count() const { return places_count_; }
  [[nodiscard]] std::int64_t kept() const { return begins_[blocks_]; }
  [[nodiscard]] std::int64_t bytes() const { return points_.bytes() + places_.bytes() + starts_.bytes() + begins_.bytes(); }

  // The points of a block stand together: those of its first bucket, of its second, and so on.
  [[nodiscard]] std::int64_t block_begin(std::int64_t block) const { return begins_[block]; }
  [[nodiscard]] std::int64_t cell_begin(std::int64_t bucket, std::int64_t block) const {
    return begins_[block] + starts_[bucket * blocks_ + block];
  }
  [[nodiscard]] std::int64_t cell_end(std::int64_t bucket, std::int64_t block) const { return cell_begin(bucket + 1, block); }

  // What stands there: numbers within the block and within the bucket.
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
  Array<std::uint32_t> starts_;  // by bucket, then by block; one more bucket than there are, for the ends
  Array<std::int64_t> begins_;   // of the blocks, and the end
};

}  // namespace strew::internal
