// A scatter that has begun and is stepped several times before it finishes.
#pragma once

#include <string>

#include "base/scratch.h"
#include "core/core.h"

namespace strew::internal {

class Accumulators;
class Inputs;

// Steps a copy of the output, or accumulators, so that the output is not written before finish(). The output is borrowed.
class UnfinishedScatter {
 public:
  // `narrow_points`: with fewer points in all, counts of updates have 32 bits, unless accumulators are wider.
  UnfinishedScatter(const ScatterOp& op, const RunOptions& options, std::int64_t narrow_points = UINT32_MAX);
  UnfinishedScatter(const UnfinishedScatter&) = delete;
  UnfinishedScatter& operator=(const UnfinishedScatter&) = delete;

  // Steps the points of an op of the same form. Throws an Error before anything is stepped, or of code `changed`; after that every call
  // throws.
  void step(ScatterOp piece, const RunOptions& options);
  // Writes the output; an Error comes before the first write.
  void finish(const RunOptions& options);

  [[nodiscard]] std::int64_t nbytes() const;
  // What nbytes() will be once pieces of this form have been stepped.
  [[nodiscard]] static std::int64_t planned_nbytes(const ScatterOp& op, const RunOptions& options);
  // The form with other points, whose updates are a number if `number` is given.
  [[nodiscard]] ScatterOp piece(std::span<const ConstTensorRef> columns, const ConstTensorRef* updates, const Scalar* number) const;

 private:
  [[nodiscard]] OpNames names() const { return {op_.c_str(), input_.c_str(), updates_.c_str(), overlap_}; }
  [[nodiscard]] bool accumulates() const { return needs_accumulators(form_.fold, form_.out.dtype); }
  [[nodiscard]] TensorRef begun();
  void take_form(const ScatterOp& op);
  void adopt(const ScatterOp& op, const RunOptions& options);
  template <class Use>
  void with_accumulators(bool wide, const RunOptions& options, const Use& use);
  void allocate_accumulators(const RunOptions& options);
  void widen_counts(const RunOptions& options);
  void require_same_form(const ScatterOp& piece) const;
  void require_whole() const;
  void step_copy(ScatterOp piece, const RunOptions& options);
  void step_accumulators(ScatterOp& piece, Inputs& inputs, const RunOptions& options);

  std::string op_, input_, updates_;  // the op's names
  const OverlapWords* overlap_;
  ScatterOp form_;                    // without columns and data, but with the output
  bool in_place_ = true;
  bool has_form_ = false;  // the rest of `form_` is known
  Tensor copy_;           // of what the output starts from; none if accumulators are stepped in place of the output itself
  Scratch accumulators_;  // one for each element that points can address
  std::int64_t accumulator_bytes_ = 0, points_ = 0;
  std::int64_t narrow_points_;
  bool is_wide_ = false;    // counts have 64 bits
  bool is_broken_ = false;  // a part of a piece may have been stepped
};

// The message of an error with the number of the piece after the operator, and the error with that message.
[[nodiscard]] std::string in_piece(std::string_view message, const char* op, std::int64_t piece);
[[noreturn]] void throw_in_piece(const Error& error, const char* op, std::int64_t piece);

}  // namespace strew::internal
