// Begins, counts and finishes folds in scratch memory.
#include "strategies/accumulators.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/checked.h"
#include "kernels/one_row.h"
#include "strategies/parallel.h"
#include "strategies/replay.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_task_bytes = 1 << 16;  // bytes of accumulators: smaller tasks cost more than they gain

std::int64_t rounded_up(std::int64_t size, std::int64_t unit) { return (size + unit - 1) / unit * unit; }

// A dimension of the rows that points can address: its size, its stride in the output, and where to store its stride in the accumulators.
struct AddressedDimension {
  std::int64_t extent, out_stride;
  std::int64_t* stride;
};
using AddressedDimensions = SmallVector<AddressedDimension, 2 * max_rank>;

AddressedDimensions dimensions_addressed_by(Walk& walk) {
  AddressedDimensions named;
  for (Column& column : walk.columns) {
    if (column.extent != 1) named.push_back({column.extent, column.stride, &column.stride});
  }
  for (std::size_t d = 0; d < walk.points.size(); ++d) {
    if (walk.addressed_strides[d] != 0) named.push_back({walk.points[d], walk.addressed_strides[d], &walk.addressed_strides[d]});
  }
  // Accumulators are in the order of the output.
  std::sort(named.begin(), named.end(),
            [](const AddressedDimension& a, const AddressedDimension& b) { return std::abs(a.out_stride) > std::abs(b.out_stride); });
  return named;
}

}  // namespace

Accumulators::Accumulators(const Job& job, bool wide) : folded_(job), stepped_(job) {
  Walk& walk = stepped_.walk;
  const std::int64_t element = size_of(job.step.addressed);
  std::int64_t row = element;
  for (std::size_t d = walk.row.size(); d-- > 0; row = saturating_mul(row, walk.row[d])) walk.addressed_row_strides[d] = row;
  row = std::min(row, INT64_MAX / 4);  // larger than any memory, without overflow in the sums below
  row_bytes_ = row;
  Counts& counts = stepped_.counts;
  counts.wide = wide || element >= 8 || walk.point_count >= UINT32_MAX;  // plus one for the output's own value
  counts.at = rounded_up(std::max<std::int64_t>(row, 1), counts.bytes());
  counts.first = job.fold.begin == nullptr ? job.fold.first : nullptr;
  counts.widen = job.step.addressed != job.step.stream ? job.fold.first : nullptr;
  if (!counts.is_common(element)) stepped_.element = nullptr;
  row_stride_ = counts.at + counts.bytes();

  const auto add = [&](std::int64_t extent, std::int64_t out_stride) {
    if (!extents_.empty() && wrapping_mul(extent, out_stride) == out_strides_.back()) {
      extents_.back() = saturating_mul(extents_.back(), extent);
      out_strides_.back() = out_stride;
    } else {
      extents_.push_back(extent);
      out_strides_.push_back(out_stride);
    }
    rows_ = saturating_mul(rows_, extent);
  };
  if (job.numbering != nullptr) {
    const Lattice& places = job.numbering->places;
    for (std::size_t d = 0; d < places.extents.size(); ++d) add(places.extents[d], places.strides[d]);
    stepped_.numbering = std::make_shared<const Numbering>(Numbering{job.numbering->points, {{rows_}, {row_stride_}}, job.numbering->move});
  } else {
    const AddressedDimensions named = dimensions_addressed_by(walk);
    for (const AddressedDimension& dimension : named) add(dimension.extent, dimension.out_stride);
    std::int64_t stride = row_stride_;
    for (std::size_t i = named.size(); i-- > 0; stride = wrapping_mul(stride, named[i].extent)) *named[i].stride = stride;
  }
  bytes_ = saturating_mul(rows_, row_stride_);
  stepped_.fold = {};
  stepped_.addressed = nullptr;
}

// Rows that are evenly spaced in the output.
struct Accumulators::RowRun {
  std::byte* accumulators;
  std::byte* out;
  std::int64_t out_stride;
  std::int64_t rows;
};

// Calls use(run) for all rows, on the threads of the job.
template <class Use>
void Accumulators::each_run_of_rows(Use use) const {
  if (rows_ == 0 || folded_.walk.row_count == 0) return;  // the accumulators may be empty
  const std::int64_t tasks = std::clamp<std::int64_t>(bytes_ / min_task_bytes, 1, std::min(rows_, 8 * threads_of(folded_)));
  const std::int64_t length = extents_.empty() ? 1 : extents_.back(), stride = extents_.empty() ? 0 : out_strides_.back();
  parallel(folded_, tasks, [&](std::int64_t task) {
    const std::int64_t end = rows_ / tasks * (task + 1) + std::min(rows_ % tasks, task + 1);
    for (std::int64_t number = rows_ / tasks * task + std::min(rows_ % tasks, task); number < end;) {
      const std::int64_t within = number % length, count = std::min(length - within, end - number);
      std::int64_t outer = number / length, offset = within * stride;
      for (std::size_t d = extents_.size(); d-- > 1; outer /= extents_[d - 1]) offset += outer % extents_[d - 1] * out_strides_[d - 1];
      use(RowRun{stepped_.addressed + number * row_stride_, folded_.addressed + offset, stride, count});
      number += count;
    }
  });
}

void Accumulators::begin(std::byte* memory) {
  stepped_.addressed = memory;
  const Walk& walk = stepped_.walk;
  const Folding& fold = folded_.fold;
  const std::int64_t element = size_of(stepped_.step.addressed);
  // One run of accumulators: copied from the output, or filled with the neutral element.
  const auto begin_run = [&](std::byte* to, std::int64_t to_stride, std::byte* out, std::int64_t out_stride, std::int64_t width) {
    std::byte* const from = fold.from_output ? out : const_cast<std::byte*>(fold.neutral);  // kernels of steps only read it
    fold.begin(one_row(to, to_stride, from, fold.from_output ? out_stride : 0, width));
  };
  const RowKernel spread = step_kernel(Reduction::assign, FoldCompare::keep_out, stepped_.step.addressed, stepped_.step.addressed);
  // Counts lie between single elements: these are converted in a dense block, then spread.
  const auto begin_elements = [&](const RowRun& all) {
    alignas(64) std::array<std::byte, largest_block * 16> dense;
    for (std::int64_t i = 0; i < all.rows; i += largest_block) {
      const std::int64_t some = std::min(largest_block, all.rows - i);
      begin_run(dense.data(), element, all.out + i * all.out_stride, all.out_stride, some);
      spread(one_row(all.accumulators + i * row_stride_, row_stride_, dense.data(), element, some));
    }
  };
  each_run_of_rows([&](const RowRun& run) {
    if (walk.row.empty()) {
      std::memset(run.accumulators, 0, static_cast<std::size_t>(run.rows * row_stride_));
      if (fold.begin != nullptr) begin_elements(run);
      return;
    }
    for (std::int64_t i = 0; i < run.rows; ++i) {
      std::byte *const row = run.accumulators + i * row_stride_, *const out = run.out + i * run.out_stride;
      stepped_.counts.set(row, 0);
      if (fold.begin == nullptr) continue;
      each_run(walk.row, [&](const Coordinates& at) {
        begin_run(row + dot(at, walk.addressed_row_strides), walk.addressed_row_strides.back(),
                  out + dot(at, folded_.walk.addressed_row_strides), folded_.walk.addressed_row_strides.back(), walk.row.back());
        return true;
      });
    }
  });
}

void Accumulators::begin_from(const Accumulators& other, std::byte* memory) {
  stepped_.addressed = memory;
  each_run_of_rows([&](const RowRun& run) {
    for (std::int64_t i = 0; i < run.rows; ++i) {
      std::byte* const row = run.accumulators + i * row_stride_;
      const std::byte* const from = other.stepped_.addressed + (row - memory) / row_stride_ * other.row_stride_;
      std::memcpy(row, from, static_cast<std::size_t>(row_bytes_));
      stepped_.counts.set(row, other.stepped_.counts.of(from));
    }
  });
}

void Accumulators::finish() const {
  const Walk &walk = stepped_.walk, &out_walk = folded_.walk;
  const bool single = walk.row.empty();
  each_run_of_rows([&](const RowRun& run) {
    each_run(walk.row, [&](const Coordinates& at) {
      folded_.fold.finish({.accumulators = run.accumulators + dot(at, walk.addressed_row_strides),
                           .stride = row_stride_,
                           .counts = run.accumulators + stepped_.counts.at,
                           .wide_counts = stepped_.counts.wide,
                           .self = folded_.fold.self(),
                           .out = run.out + dot(at, out_walk.addressed_row_strides),
                           .out_stride = run.out_stride,
                           .rows = run.rows,
                           .width = single ? 1 : walk.row.back(),
                           .out_width_stride = single ? 0 : out_walk.addressed_row_strides.back()});
      return true;
    });
  });
}

}  // namespace strew::internal
