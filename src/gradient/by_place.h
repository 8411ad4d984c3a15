// Points by the numbers of their places, and tensors as one dense row per place or per point, for loops that are not ops.
#pragma once

#include <array>
#include <atomic>

#include "base/cancellation.h"
#include "base/scratch.h"
#include "gradient/elementwise.h"
#include "gradient/problem.h"
#include "strategies/blocks.h"
#include "strategies/readers.h"

namespace strew::internal {

// A dense tensor in scratch memory, which is reused by later calls. Throws std::bad_alloc.
class Temporary {
 public:
  Temporary(Dtype dtype, const Dims& shape);

  [[nodiscard]] std::byte* data() const { return memory_.as<std::byte>(); }
  [[nodiscard]] Dtype dtype() const { return view_.dtype; }
  [[nodiscard]] const Dims& shape() const { return view_.shape; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  operator TensorRef() const { return view_; }
  operator ConstTensorRef() const { return view_; }

 private:
  TensorRef view_;
  std::int64_t bytes_;
  Scratch memory_;
};

// A tensor like the output, one dense row per place.
struct ByPlace {
  std::byte* rows = nullptr;
  TensorRef view;  // with the axes of the output, as far as rows reach
  std::optional<Temporary> own;
};
// Uninitialised; a copy; or the tensor itself if its memory is laid out so.
[[nodiscard]] ByPlace new_by_place(const Problem& problem, Dtype dtype);
[[nodiscard]] ByPlace copy_by_place(const Problem& problem, Dtype dtype, const ConstTensorRef& from);
[[nodiscard]] ByPlace read_by_place(const Problem& problem, const ConstTensorRef& from);

// A tensor of points ++ row as dense, aligned rows: its own memory, or a copy.
struct ByPoint {
  const std::byte* rows;
  std::optional<Temporary> own;
};
[[nodiscard]] ByPoint read_by_point(const Problem& problem, const ConstTensorRef& from);

// The points of a problem.
class PlacedPoints {
 public:
  explicit PlacedPoints(const Problem& problem);

  [[nodiscard]] std::int64_t count() const { return job_.walk.point_count; }
  [[nodiscard]] std::int64_t places() const { return places_; }
  [[nodiscard]] std::int64_t row() const { return row_; }  // elements
  [[nodiscard]] bool is_empty() const { return count() == 0 || row_ == 0; }
  // Throws the error of a bad index unless `fine`.
  void require(bool fine) const;
  void require_in_range() const { require(indices_in_range(job_)); }

  // Calls use(place numbers, first, count) for blocks of the points [begin, end); skipped points have a negative number. Returns false at a
  // bad index.
  template <class Use>
  bool each(std::int64_t begin, std::int64_t end, const Use& use) const {
    return each_block_between(job_, begin, end, [&](const std::int64_t* places, std::int64_t some) {
      use(places, begin, some);
      begin += some;
    });
  }
  // The same for all points, the last blocks first.
  template <class Use>
  bool each_backwards(const Use& use) const {
    std::array<std::int64_t, largest_block> places;
    for (std::int64_t end = count(); end > 0;) {
      const std::int64_t begin = std::max<std::int64_t>(end - job_.block_points, 0);
      const bool good = each(begin, end, [&](const std::int64_t* some, std::int64_t first, std::int64_t number) {
        std::copy_n(some, number, places.data() + (first - begin));
      });
      if (!good) return false;
      use(places.data(), begin, end - begin);
      end = begin;
    }
    return true;
  }

  // What a task may change: a part of every row, or of the places.
  struct Part {
    std::int64_t begin, end;  // elements of a row
    std::int64_t low, high;  // places
  };
  // Calls work(part) for parts that cover everything, on several threads; work returns false at a bad index. Each part reads all indices,
  // so parts are few, or have long parts of the rows.
  template <class Work>
  void by_parts(bool may_split_rows, const Work& work) const {
    constexpr std::int64_t long_row = 64;
    const bool splits_rows = may_split_rows && row_ >= long_row;
    const std::int64_t tasks = std::min(tasks_(), splits_rows ? std::max(max_readers, row_ / long_row) : max_readers);
    std::atomic<bool> fine{true};
    cancellation_point();
    parallel(job_, tasks, [&](std::int64_t task) {
      const Part part{splits_rows ? portion(row_, task, tasks) : 0, splits_rows ? portion(row_, task + 1, tasks) : row_,
                      splits_rows ? 0 : portion(places_, task, tasks), splits_rows ? places_ : portion(places_, task + 1, tasks)};
      if (!work(part)) fine.store(false, std::memory_order_relaxed);
    });
    require(fine.load(std::memory_order_relaxed));
  }
  // Calls use(place numbers, first, count) for all points, on several threads.
  template <class Use>
  void by_points(const Use& use) const {
    const std::int64_t tasks = tasks_();
    std::atomic<bool> fine{true};
    cancellation_point();
    parallel(job_, tasks, [&](std::int64_t task) {
      if (!each(portion(count(), task, tasks), portion(count(), task + 1, tasks), use)) fine.store(false, std::memory_order_relaxed);
    });
    require(fine.load(std::memory_order_relaxed));
  }

 private:
  [[nodiscard]] std::int64_t tasks_() const {
    constexpr std::int64_t per_task = 1 << 15;  // elements
    return std::clamp<std::int64_t>(saturating_mul(count(), row_) / per_task, 1, threads_of(job_));
  }

  const Problem& problem_;
  std::int64_t places_, row_;
  Job job_;
};

}  // namespace strew::internal
