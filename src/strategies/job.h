// The input of a strategy: a validated op with dimensions collapsed, its kernels and its threads.
#pragma once

#include <cstring>
#include <memory>

#include "kernels/address.h"
#include "kernels/apply.h"
#include "kernels/finish.h"
#include "kernels/fused.h"
#include "kernels/properties.h"
#include "strew/run.h"

namespace strew::internal {

// A column of indices along the collapsed points.
struct Column {
  const std::byte* index = nullptr;
  Dims index_strides;       // bytes, one per dimension of the points
  std::int64_t extent = 0;  // of the axis it addresses
  std::int64_t stride = 0;  // of that axis in bytes
  Dtype dtype = Dtype::int64;
  IndexKernels kernels = {};
};

// The loop nest. Indices address one tensor (the output, or the source of a gather), the stream is traversed in order. Dimensions that
// every tensor traverses alike are collapsed into one, and none has size 1.
struct Walk {
  Dims points;
  Dims addressed_strides;  // bytes per dimension of the points; nonzero where an axis follows the point's own position
  Dims stream_strides;
  Dims row;
  Dims addressed_row_strides;
  Dims stream_row_strides;
  SmallVector<Column, 8> columns;
  Negative negative = Negative::reject;
  OutOfRange out_of_range = OutOfRange::error;
  std::int64_t point_count = 0;
  std::int64_t row_count = 0;
  bool has_gaps = false;  // some coordinates of its only column name no place, and that memory may belong to others
};

// Turns the innermost dimension of the points, along which indices do not change, into the row: only the first index of each run is read.
inline void make_innermost_row(Walk& walk) {
  walk.row = {walk.points.back()};
  walk.addressed_row_strides = {walk.addressed_strides.back()};
  walk.stream_row_strides = {walk.stream_strides.back()};
  walk.row_count = walk.points.back();
  walk.point_count = walk.row_count == 0 ? 0 : walk.point_count / walk.row_count;
  for (Dims* const dims : {&walk.points, &walk.addressed_strides, &walk.stream_strides}) dims->resize(dims->size() - 1);
  for (Column& column : walk.columns) column.index_strides.resize(walk.points.size());
}

// A fold that begins, finishes or rounds differently from a plain step: it steps accumulators, and writes the output at the end.
struct Folding {
  FinishKernel finish = nullptr;  // null: a plain step
  RowKernel begin = nullptr;      // accumulators = the output's values or `neutral`; null if the first update replaces
  RowKernel first = nullptr;      // accumulators = updates
  bool from_output = false;
  alignas(16) std::byte neutral[16] = {};

  explicit operator bool() const { return finish != nullptr; }
  // The output's own value counts in a mean.
  [[nodiscard]] std::int64_t self() const { return from_output ? 1 : 0; }
};

// Counts of updates, each beside its row of accumulators.
struct Counts {
  std::int64_t at = 0;        // bytes from a row to its count; 0: updates are not counted
  bool wide = false;          // 64 bits instead of 32
  RowKernel first = nullptr;  // used for the first update of a row, which replaces
  RowKernel widen = nullptr;  // accumulators = updates, if the types differ

  explicit operator bool() const { return at != 0; }
  // Whether an element of so many bytes and its count have the same size, for which fused kernels exist.
  [[nodiscard]] bool is_common(std::int64_t element) const { return first == nullptr && at == element && bytes() == element; }
  [[nodiscard]] std::int64_t bytes() const { return wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t); }
  void set(std::byte* row, std::int64_t count) const {
    if (wide) {
      std::memcpy(row + at, &count, sizeof count);
    } else {
      const auto small = static_cast<std::uint32_t>(count);
      std::memcpy(row + at, &small, sizeof small);
    }
  }
  [[nodiscard]] std::int64_t of(const std::byte* row) const {
    std::int64_t count = 0;  // numbers are little-endian
    std::memcpy(&count, row + at, static_cast<std::size_t>(bytes()));
    return count;
  }
  // Increments the count of a row; returns whether it was zero.
  bool add(std::byte* row) const {
    const std::int64_t before = of(row);
    set(row, before + 1);
    return before == 0;
  }
};

// The step of a job, for strategies that need further kernels of it.
struct Step {
  Reduction reduction = Reduction::assign;
  FoldCompare compare = FoldCompare::keep_out;
  Dtype addressed = Dtype::float32;  // of the output, or of its accumulators
  Dtype stream = Dtype::float32;

  [[nodiscard]] Properties properties() const { return properties_of(reduction, compare, addressed); }
};

class Replay;
struct Numbering;

struct Job {
  Walk walk;
  Step step;
  std::byte* addressed = nullptr;
  std::byte* stream = nullptr;
  std::int64_t stream_bytes = 0;  // of an element of `stream`; 0 for strings, which cannot be copied bytewise
  RowKernel kernel = nullptr;
  ElementKernel element = nullptr;  // the same step fused with reading one column of indices; null if there is none
  Folding fold;                     // if set, `addressed` is the output and the kernels step accumulators
  Counts counts;                    // if set, `addressed` holds accumulators
  std::byte* scratch = nullptr;     // scratch of a strategy that folds: as many bytes as its scratch_bytes()
  std::int64_t block_points = 0;
  const Executor* executor = nullptr;  // null: one thread
  std::int64_t threads = 1;
  bool gathers = false;                             // `stream` is written, `addressed` only read
  bool may_stop = false;  // the call can be cancelled between the validation of all indices and the first write
  bool forced = false;  // the strategy was requested by name: heuristics are skipped
  const Replay* replay = nullptr;  // of a plan; the walk then has no columns
  std::shared_ptr<const Numbering> numbering = {};  // with a plan
};

}  // namespace strew::internal
