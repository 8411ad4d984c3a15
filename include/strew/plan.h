// Plans: scatters whose indices are read and validated once and applied many times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0 {

// The cotangents to compute. `result`: the output of the op; without it, min and max run the op again.
struct GradientOf {
  bool base = true, updates = true;
  std::optional<ConstTensorRef> result = {};
};

// The cotangents of the inputs of a scatter. None: not asked for, or a base that does not exist because the op starts from zeros.
struct ScatterGradient {
  std::optional<Tensor> base = {}, updates = {};
};

// An immutable, prepared form of the indices of an op. It borrows no memory: the tensors of the op may change or be freed. Copies share the
// same state. All members are const and may be called from several threads at once.
class STREW_API Plan {
 public:
  // A move copies, so that no plan is ever empty.
  Plan(const Plan& other) = default;
  Plan& operator=(const Plan& other) = default;

  // Scatters `updates` into `out` in place, as run() would with the op of the plan; `out` is zeroed first if that op starts from zeros.
  // Shapes and types must be those of the op's updates and output, strides may differ. Throws an Error; all or nothing, as run().
  void apply(const ConstTensorRef& updates, const TensorRef& out, const RunOptions& options = {}) const;
  // The same with one number as the value of every update.
  void apply(const Scalar& number, const TensorRef& out, const RunOptions& options = {}) const;

  // Returns the result on a copy of `base`. The form without `base` is for ops that start from zeros, the other form for all others; the
  // wrong one throws an Error of code `shape`.
  [[nodiscard]] Tensor compute(const ConstTensorRef& base, const ConstTensorRef& updates, const RunOptions& options = {}) const;
  [[nodiscard]] Tensor compute(const ConstTensorRef& updates, const RunOptions& options = {}) const;

  // Runs an op with the plan's indices in place of its own, which are not read. Its points, rows, types and fold must be those of the op of
  // the plan:
  void apply(ScatterOp op, const RunOptions& options = {}) const;
  [[nodiscard]] Tensor compute(ScatterOp op, const RunOptions& options = {}) const;

  // The cotangents of base and updates from that of the output, as vjp() of the op of the plan (strew/gradient.h). The first call
  // stores a form of the indices that later calls reuse. The form without an op is for folds whose gradient reads no values: all but mul,
  // min and max.
  [[nodiscard]] ScatterGradient gradient(const ConstTensorRef& cotangent, const GradientOf& of = {}, const RunOptions& options = {}) const;
  [[nodiscard]] ScatterGradient gradient(const ScatterOp& op, const ConstTensorRef& cotangent, const GradientOf& of = {},
                                         const RunOptions& options = {}) const;

  // The memory of the plan in bytes.
  [[nodiscard]] std::int64_t nbytes() const;
  // The row of the output that each point addresses, by its number in row-major order: the input of plan_from_places() with the same fold.
  // Skipped points, and those that a later point replaces, may have the number of all rows instead. int32, or int64 if numbers need it.
  [[nodiscard]] Tensor places() const;
  // Describes the plan for people: its layout, why other layouts were declined, and its size.
  [[nodiscard]] std::string describe() const;

  // The shapes and types that apply() requires:
  [[nodiscard]] const Dims& updates_shape() const;
  [[nodiscard]] Dtype updates_dtype() const;
  [[nodiscard]] const Dims& out_shape() const;
  [[nodiscard]] Dtype out_dtype() const;
  // Whether the output starts from zeros instead of its own values.
  [[nodiscard]] bool starts_from_zeros() const;

 private:
  struct State;
  explicit Plan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static Plan made(const ScatterOp& op, const ConstTensorRef* places, const RunOptions& options);
  friend Plan plan(const ScatterOp& op, const RunOptions& options);
  friend Plan plan_from_places(const ScatterOp& op, const ConstTensorRef& places, const RunOptions& options);

  std::shared_ptr<const State> state_;
};

// Makes a plan. Validates the op and all of its indices and throws the Errors of run(). Does not read the updates or the output; the output
// needs no memory. options.strategy forces a layout by name.
[[nodiscard]] STREW_API Plan plan(const ScatterOp& op, const RunOptions& options = {});

// Like plan(), but returns the Error instead of throwing it. To apply a plan this way: try_call().
STREW_API Expected<Plan> try_plan(const ScatterOp& op, const RunOptions& options = {});

// Makes a plan from the places() of an earlier one, for example after it was stored; the indices of the op are not read. `places` is an
// int32 or int64 vector with one entry per point in row-major order: the number of the row that the point addresses, or the number of all
// rows for a point that addresses none. It is empty if rows have no elements. Throws an Error unless all entries are valid.
[[nodiscard]] STREW_API Plan plan_from_places(const ScatterOp& op, const ConstTensorRef& places, const RunOptions& options = {});

}  // namespace strew::inline v0
