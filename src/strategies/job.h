// What a strategy gets: an op after its checks and without rank, and the means to run it.
#pragma once

#include <memory>

#include "kernels/address.h"
#include "kernels/apply.h"
#include "kernels/fused.h"
#include "strew/run.h"

namespace strew {

// A column of indices along the collapsed points.
struct Column {
  const std::byte* index = nullptr;
  Dims steps;               // bytes, one per dimension of the points
  std::int64_t extent = 0;  // of the axis it addresses
  std::int64_t stride = 0;  // of that axis in bytes
  Dtype dtype = Dtype::int64;
  IndexKernels kernels = {};
};

// The loop nest. `place` is the tensor that indices address, `stream` the one that is walked in order.
// Dimensions that move together are one, and none has size 1.
struct Walk {
  Dims points;
  Dims place_steps;         // bytes per dimension of the points; the axes that follow the point's own position
  Dims stream_steps;
  Dims row;
  Dims place_row_steps;
  Dims stream_row_steps;
  SmallVector<Column, 8> columns;
  Negative negative = Negative::reject;
  OutOfRange out_of_range = OutOfRange::error;
  std::int64_t point_count = 0;
  std::int64_t row_count = 0;
};

// Counts of updates, for folds that begin or finish: one per row of dense accumulators of `row_bytes` bytes.
struct Counts {
  std::int64_t* of_row = nullptr;
  std::int64_t row_bytes = 0;
  int row_shift = -1;         // row_bytes is 2^row_shift; -1 where it is no power of two
  RowKernel first = nullptr;  // replaces instead of stepping, for the first update of a row

  [[nodiscard]] std::int64_t row_at(std::int64_t offset) const { return row_shift >= 0 ? offset >> row_shift : offset / row_bytes; }
};

// The step of a job, for strategies that look up more kernels of it.
struct Step {
  Reduction reduction = Reduction::assign;
  Compare compare = Compare::keep_out;
  Dtype place = Dtype::float32, stream = Dtype::float32;
};

class Replay;
struct Numbering;

struct Job {
  Walk walk;
  Step step;
  std::byte* place = nullptr;
  std::byte* stream = nullptr;
  std::int64_t stream_bytes = 0;       // of an element of `stream`; 0 for strings, which are never moved as bytes
  RowKernel kernel = nullptr;
  ElementKernel element = nullptr;   // the same step fused with the reading of one column; null where there is none
  Counts counts;
  std::int64_t block_points = 0;
  const Executor* executor = nullptr;  // none: there is one thread
  std::int64_t threads = 1;
  bool gathers = false;                // `stream` is written, `place` only read
  bool* began = nullptr;  // where a strategy that looks first says that it has begun to write: later bad indices are changed ones
  bool forced = false;  // the strategy was asked for by name: whether it pays is no question
  const Replay* replay = nullptr;  // the plan that knows the indices: then the walk has no columns
  std::shared_ptr<const Numbering> numbering = {};  // with a plan
};

}  // namespace strew
