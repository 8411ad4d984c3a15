// A scatter whose indices are read once and applied many times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0 {

// What was learned about the indices of an op, and nobody's memory: the tensors it was made from may change or go.
// It never changes, so copies share it, and any number of threads may apply it at once.
class STREW_API Plan {
 public:
  // Moving one copies it, so that every plan there is can be applied.
  Plan(const Plan& other) = default;
  Plan& operator=(const Plan& other) = default;

  // Steps `updates` into `out`, as run() does with the op that the plan was made from; only an op that starts from zeros clears
  // `out` first. Shapes and element types are those of op.updates and op.out, strides may be others. All or nothing, as run().
  void apply(const ConstTensorRef& updates, const TensorRef& out, const RunOptions& options = {}) const;
  // One number that stands for every update.
  void apply(const Scalar& number, const TensorRef& out, const RunOptions& options = {}) const;

  // The same on a copy of `base`; an op that starts from zeros takes none.
  [[nodiscard]] Tensor compute(const ConstTensorRef& base, const ConstTensorRef& updates, const RunOptions& options = {}) const;
  [[nodiscard]] Tensor compute(const ConstTensorRef& updates, const RunOptions& options = {}) const;

  // The op described again with other memory: its output, base, updates and number count, its indices are not read. It must have
  // the form of the op that the plan was made from.
  void apply(ScatterOp op, const RunOptions& options = {}) const;
  [[nodiscard]] Tensor compute(ScatterOp op, const RunOptions& options = {}) const;

  // Bytes that the plan holds.
  [[nodiscard]] std::int64_t nbytes() const;
  // The place of each point, for plan_from_places() with the same fold: points that a later one replaces may have none. int64 if there are
  // more places than int32 counts.
  [[nodiscard]] Tensor places() const;
  // In words: the layout, why earlier ones declined, its bytes.
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] const Dims& updates_shape() const;
  [[nodiscard]] Dtype updates_dtype() const;
  [[nodiscard]] const Dims& out_shape() const;
  [[nodiscard]] Dtype out_dtype() const;
  // Whether the output starts from zeros, not from what it holds.
  [[nodiscard]] bool starts_from_zeros() const;

 private:
  struct State;
  explicit Plan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static Plan made(const ScatterOp& op, const ConstTensorRef* places, const RunOptions& options);
  friend Plan plan(const ScatterOp& op, const RunOptions& options);
  friend Plan plan_from_places(const ScatterOp& op, const ConstTensorRef& places, const RunOptions& options);

  std::shared_ptr<const State> state_;
};

// Checks the op and all its indices, as run() would. Neither its updates nor its output are read, and the output needs no memory.
// options.strategy forces a layout by name.
[[nodiscard]] STREW_API Plan plan(const ScatterOp& op, const RunOptions& options = {});

// The same from what places() of such a plan said, after it was stored or sent: the op's indices are not read. For each point in
// row-major order it has the number of the row that the point chooses, in row-major order as well, or the number of all rows if it
// chooses none. It has no elements if the rows have none. All of it is checked.
[[nodiscard]] STREW_API Plan plan_from_places(const ScatterOp& op, const ConstTensorRef& places, const RunOptions& options = {});

}  // namespace strew::inline v0
