// Decides from strides whether views share memory.
#include "core/overlap.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>

#include "base/array.h"
#include "base/checked.h"

namespace strew::internal {
namespace {

struct Dimension {
  std::int64_t size, stride;

  [[nodiscard]] std::int64_t reach() const { return (size - 1) * stride; }
};
using Dimensions = SmallVector<Dimension, 8>;

// Dimensions larger than 1, smallest stride first.
Dimensions by_stride(const View& view) {
  Dimensions dims;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (view.shape[d] > 1) dims.push_back({view.shape[d], std::abs(view.strides[d])});
  }
  std::sort(dims.begin(), dims.end(), [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  return dims;
}

// Whether every byte of its range belongs to exactly one element.
bool is_dense(const View& view) {
  std::int64_t expected = 1;
  for (const Dimension& dim : by_stride(view)) {
    if (dim.stride != expected) return false;
    expected *= dim.size;
  }
  return true;
}

// The number of combinations of moves along some dimensions, forwards and backwards.
std::int64_t counts_of(std::span<const Dimension> dims) {
  std::int64_t counts = 1;
  for (const Dimension& dim : dims) counts = saturating_mul(counts, 2 * dim.size - 1);
  return counts;
}

void erase(Dimensions& dims, std::size_t at) {
  for (; at + 1 < dims.size(); ++at) dims[at] = dims[at + 1];
  dims.pop_back();
}

// Two elements overlap if the moves between them, at most size - 1 per dimension and not all zero, add up to zero. A dimension along which
// no move can be part of such a sum is dropped: its stride is longer than the reach of all others, or its moves are multiples of the
// others' gcd only beyond its size.
bool leave_one_out(Dimensions& dims) {
  for (std::size_t at = dims.size(); at-- > 0;) {
    std::int64_t others = 0, unit = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (d == at) continue;
      others += dims[d].reach();
      unit = std::gcd(unit, dims[d].stride);
    }
    if (dims[at].stride > others || unit / std::gcd(unit, dims[at].stride) >= dims[at].size) {
      erase(dims, at);
      return true;
    }
  }
  return false;
}

// Joins a dimension that continues another with it.
bool join_two(Dimensions& dims) {
  for (std::size_t inner = 0; inner < dims.size(); ++inner) {
    for (std::size_t outer = 0; outer < dims.size(); ++outer) {
      if (inner == outer || dims[outer].stride % dims[inner].size != 0) continue;
      if (dims[outer].stride / dims[inner].size != dims[inner].stride) continue;
      dims[inner].size *= dims[outer].size;
      erase(dims, outer);
      return true;
    }
  }
  return false;
}

// a * b modulo m, of numbers below m.
std::int64_t product_modulo(std::int64_t a, std::int64_t b, std::int64_t m) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) % static_cast<Wide>(m));
}

// The x with a * x = 1 modulo m, which have no common factor.
std::int64_t inverse_modulo(std::int64_t a, std::int64_t m) {
  std::int64_t old = m, now = a % m, old_factor = 0, factor = 1;
  while (now > 0) {
    const std::int64_t times = old / now;
    old = std::exchange(now, old - times * now);
    old_factor = std::exchange(factor, old_factor - times * factor);
  }
  return old_factor < 0 ? old_factor + m : old_factor;
}

// Searches for moves that add up to zero: enumerates the moves along all dimensions but the two longest, which are solved directly.
class Search {
 public:
  explicit Search(Dimensions dims) : dims_(std::move(dims)) {
    std::sort(dims_.begin(), dims_.end(), [](const Dimension& a, const Dimension& b) { return a.size > b.size; });
    unit_ = std::gcd(dims_[0].stride, dims_[1].stride);
    inverse_ = inverse_modulo(dims_[0].stride / unit_, dims_[1].stride / unit_);
    reach_.resize(dims_.size() + 1);
    for (std::size_t d = 0; d < dims_.size(); ++d) reach_[d + 1] = reach_[d] + dims_[d].reach();
  }

  // The maximal number of combinations to try.
  [[nodiscard]] std::int64_t trials() const { return counts_of({dims_.begin() + 2, dims_.end()}); }
  [[nodiscard]] bool finds() const { return tries(dims_.size() - 1, 0, false); }

 private:
  // Whether moves along dimensions up to `d` lead from `sum` to zero. Until one move is made only nonnegative counts are tried: the rest
  // is symmetric.
  [[nodiscard]] bool tries(std::size_t d, std::int64_t sum, bool moved) const {
    if (d == 1) return moved ? reaches(sum) : has_common();
    const Dimension& dim = dims_[d];
    // Only counts from which the remaining dimensions can still reach zero.
    const std::int64_t back = reach_[d], stride = dim.stride;
    const auto at_least = [&](std::int64_t n) { return n >= 0 ? (n + stride - 1) / stride : -(-n / stride); };
    const std::int64_t begin = std::max(moved ? 1 - dim.size : 0, at_least(-back - sum));
    const std::int64_t end = std::min(dim.size - 1, -at_least(-(back - sum)));
    for (std::int64_t moves = begin; moves <= end; ++moves) {
      if (tries(d - 1, sum + moves * stride, moved || moves != 0)) return true;
    }
    return false;
  }

  // Whether the first two dimensions overlap by themselves.
  [[nodiscard]] bool has_common() const { return dims_[1].stride / unit_ < dims_[0].size && dims_[0].stride / unit_ < dims_[1].size; }

  // Whether x moves of the first and y of the second dimension add up to -sum. The x with an integer y are x0 + k * m; the bounds of y give
  // an interval of x.
  [[nodiscard]] bool reaches(std::int64_t sum) const {
    if (sum % unit_ != 0) return false;
    const std::int64_t a = dims_[0].stride / unit_, m = dims_[1].stride / unit_, goal = -sum / unit_;
    const std::int64_t most = dims_[1].size - 1;
    const auto floor_of = [](std::int64_t n, std::int64_t by) { return n >= 0 ? n / by : -((by - 1 - n) / by); };
    // -most <= (goal - a * x) / m <= most
    const std::int64_t low = std::max(1 - dims_[0].size, -floor_of(-(goal - most * m), a));
    const std::int64_t high = std::min(dims_[0].size - 1, floor_of(goal + most * m, a));
    if (low > high) return false;
    const std::int64_t first = product_modulo(inverse_, (goal % m + m) % m, m);
    const std::int64_t distance = ((first - low) % m + m) % m;  // from low to the next solution
    return distance <= high - low;
  }

  Dimensions dims_;
  Dims reach_;  // of all dimensions below each
  std::int64_t unit_;  // of the strides of the first two
  std::int64_t inverse_;  // of the first stride modulo the second, in units
};

// Meet in the middle: finds equal sums in two sorted lists, of all moves along some dimensions and along the others. Every sum also occurs
// negated, so equal sums cancel.
class Halves {
 public:
  explicit Halves(Dimensions dims) {
    std::sort(dims.begin(), dims.end(), [](const Dimension& a, const Dimension& b) { return a.size > b.size; });
    for (const Dimension& dim : dims) (counts_of(first_) < counts_of(second_) ? first_ : second_).push_back(dim);
  }
  [[nodiscard]] std::int64_t sums() const { return saturating_add(counts_of(first_), counts_of(second_)); }

  [[nodiscard]] bool meet() const {
    const Array<std::int64_t> first = sums_of(first_), second = sums_of(second_);
    if (zeros_of(first) > 1 || zeros_of(second) > 1) return true;
    const std::int64_t *a = first.data(), *const a_end = a + first.size(), *b = second.data(), *const b_end = b + second.size();
    while (a < a_end && b < b_end) {
      if (*a == *b && *a != 0) return true;
      if (*a <= *b) {
        ++a;
      } else {
        ++b;
      }
    }
    return false;
  }

 private:
  // Sorted.
  static Array<std::int64_t> sums_of(const Dimensions& dims) {
    Array<std::int64_t> sums(counts_of(dims));
    std::int64_t count = 1;
    sums[0] = 0;
    for (const Dimension& dim : dims) {
      for (std::int64_t moves = 1; moves < dim.size; ++moves) {
        for (std::int64_t i = 0; i < count; ++i) {
          sums[(2 * moves - 1) * count + i] = sums[i] + moves * dim.stride;
          sums[2 * moves * count + i] = sums[i] - moves * dim.stride;
        }
      }
      count *= 2 * dim.size - 1;
    }
    std::sort(sums.data(), sums.data() + count);
    return sums;
  }
  static std::int64_t zeros_of(const Array<std::int64_t>& sums) {
    const auto [begin, end] = std::equal_range(sums.data(), sums.data() + sums.size(), 0);
    return end - begin;
  }

  Dimensions first_, second_;
};

}  // namespace

bool same_view(const View& a, const View& b) {
  return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

Overlap overlap(const View& a, const View& b) {
  return same_view(a, b) || (is_dense(a) && is_dense(b)) ? Overlap::certain : Overlap::unknown;
}

bool overlaps_itself(const View& view) {
  if (is_empty(view.shape)) return false;
  Dimensions dims = by_stride(view);
  std::int64_t reach = 0;  // of all dimensions with smaller strides
  bool nested = true;
  for (const Dimension& dim : dims) {
    if (dim.stride == 0) return true;
    nested = nested && dim.stride > reach;
    reach += dim.reach();
  }
  if (nested) return false;
  while (join_two(dims) || leave_one_out(dims)) {
  }
  if (dims.size() < 2) return false;
  std::int64_t count = 1, span = 1, unit = 0;
  for (const Dimension& dim : dims) unit = std::gcd(unit, dim.stride);
  for (const Dimension& dim : dims) {
    count = saturating_mul(count, dim.size);
    span += dim.reach() / unit;
  }
  if (count > span) return true;  // more elements than places: two must share one
  const Search search(dims);
  const Halves halves(dims);
  return search.trials() <= halves.sums() ? search.finds() : halves.meet();
}

}  // namespace strew::internal
