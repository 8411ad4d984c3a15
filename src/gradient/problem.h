// A scatter as the rules of its derivatives see it, and the ops that the rules are made of. Everything here writes only into new memory, or
// into memory that nobody sees if an error is thrown.
#pragma once

#include <optional>
#include <vector>

#include "core/core.h"
#include "core/differentiable.h"
#include "strew/gradient.h"

namespace strew::internal {

// The rules of derivatives. Throws an Error of code `unsupported` for a reduction that has none.
enum class Rule : std::uint8_t { assign, linear, product, extreme };
[[nodiscard]] Rule rule_of(const char* op, Reduction reduction);

// Facts about the indices that a plan keeps.
struct IndexFacts {
  std::optional<Tensor> last;  // last_numbers()
  std::optional<Tensor> counts;  // counts()
};

class Problem {
 public:
  // Validates the op, but not its indices. Reads values only where a rule needs them. Facts that are given are used.
  enum class Types : std::uint8_t { differentiable, any };
  Problem(const ScatterOp& op, const RunOptions& options, const IndexFacts* facts = nullptr, Types types = Types::differentiable);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  [[nodiscard]] const ScatterOp& op() const { return op_; }
  [[nodiscard]] const Fold& fold() const { return op_.fold; }
  [[nodiscard]] Rule rule() const { return rule_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] Dtype dtype() const { return op_.out.dtype; }
  [[nodiscard]] const Dims& updates_shape() const { return op_.updates.shape; }
  // Whether the old values take part in the result of an element that updates reach.
  [[nodiscard]] bool keeps_base() const { return op_.fold.begin == FoldBegin::current && op_.fold.step != Reduction::assign; }
  [[nodiscard]] bool is_mean() const { return op_.fold.finish == FoldFinish::mean; }

  [[noreturn]] void throw_bad_index() const;
  // Of a cotangent or tangent.
  void require_like(const char* argument, const ConstTensorRef& given, Dtype dtype, const Dims& shape) const {
    internal::require_like(op_.name, argument, given, dtype, shape);
  }
  // A view of a cotangent or tangent of the output or the base, as the op addresses it.
  template <class Ref>
  [[nodiscard]] Ref addressed(Ref view) const {
    promote_rank_zero(view, op_.where);
    return view;
  }

  // The old values, as the op addresses them; zeros if it starts from those. The updates in the type of the output, scaled.
  [[nodiscard]] ConstTensorRef old_values() const;
  [[nodiscard]] ConstTensorRef values();
  // The output without the division of a mean.
  [[nodiscard]] ConstTensorRef folded(const std::optional<ConstTensorRef>& result);
  // The factor that the updates are multiplied with, for cotangents.
  [[nodiscard]] std::optional<Scalar> cotangent_factor() const;

  // The part of a view of the output that rows can reach.
  template <class Ref>
  [[nodiscard]] Ref reachable(Ref view) const {
    for (std::size_t d = 0; d < view.rank(); ++d) {
      if (op_.where.axes[d].from == Axis::row) view.shape[d] = op_.where.row[op_.where.axes[d].at];
    }
    return view;
  }

  // The addressing of places, without rows.
  [[nodiscard]] Addressing places_only() const;

  // into = the elements of `from` that each point addresses; zero for skipped points
  void gather(const TensorRef& into, const ConstTensorRef& from) const;
  // The same, of another type if need be.
  [[nodiscard]] Tensor gathered(const ConstTensorRef& from) const;
  // into = base with updates stepped in by a reduction; `into` itself is the base if that has no memory
  void scatter(const TensorRef& into, const std::optional<ConstTensorRef>& base, const ConstTensorRef& updates, Reduction step) const;
  // into = from, and `value` where an update lands
  void fill_touched(const TensorRef& into, const std::optional<ConstTensorRef>& from, const Scalar& value) const;

  // By place: the number of its updates, plus one for the old value if that takes part. As a view of the shape of the reachable output.
  [[nodiscard]] ConstTensorRef counts();
  [[nodiscard]] Tensor counts_by_place() const;
  // By point: its own number, counted from 1, and that of the last or the first point of its place, 0 if it is skipped.
  [[nodiscard]] ConstTensorRef point_numbers();
  [[nodiscard]] ConstTensorRef last_numbers();
  [[nodiscard]] Tensor first_numbers();
  // A tensor of one element per point, repeated along the rows; and one of one element per place, as the output is reached.
  [[nodiscard]] ConstTensorRef over_rows(const ConstTensorRef& by_point) const;
  [[nodiscard]] ConstTensorRef over_places(const ConstTensorRef& by_place) const;
  // Whether a plan keeps facts about the indices.
  [[nodiscard]] bool is_planned() const { return given_ != nullptr; }

  // from / counts, where updates land
  [[nodiscard]] Tensor divided(const ConstTensorRef& from);

  // Keeps a tensor as long as this.
  ConstTensorRef keep(Tensor tensor) { return kept_.emplace_back(std::move(tensor)); }

 private:
  [[nodiscard]] Dtype numbers_dtype() const;
  [[nodiscard]] Tensor numbers_by_place(Reduction step);
  [[nodiscard]] Tensor gathered_numbers(const Tensor& by_place) const;

  void make_shared_points_row();
  // run_on_fresh(), with the error of a bad index in terms of the op as it was described.
  template <class Op>
  void run(const Op& op) const;

  ScatterOp op_;
  std::optional<Addressing> described_;  // if the points of op_ are others
  RunOptions options_;
  Rule rule_ = Rule::assign;
  IndexFacts facts_;  // made here
  const IndexFacts* const given_;
  std::optional<ConstTensorRef> values_, point_numbers_;
  std::vector<Tensor> kept_;
};

// Rules, one file for each kind of step. The cotangent and the tangents are those of the output without the division of a mean; outputs are
// null where nobody asks. `into` of an updates cotangent has the type of the output and points ++ row as its shape.
struct Cotangents {
  const TensorRef* base = nullptr;
  const TensorRef* updates = nullptr;
};
struct Tangents {
  const ConstTensorRef* base = nullptr;
  const ConstTensorRef* updates = nullptr;
};
void assign_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into);
void linear_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into);
void extreme_vjp(Problem& problem, const ConstTensorRef& cotangent, const std::optional<ConstTensorRef>& result, const Cotangents& into);
void extreme_jvp(Problem& problem, const Tangents& tangents, const std::optional<ConstTensorRef>& result, const TensorRef& into);
void product_vjp(Problem& problem, const ConstTensorRef& cotangent, const Cotangents& into);
void product_jvp(Problem& problem, const Tangents& tangents, const TensorRef& into);
// The derivative of product_vjp along the tangents and that of the cotangent.
void product_second(Problem& problem, const ConstTensorRef& cotangent, const ConstTensorRef* cotangent_tangent, const Tangents& tangents,
                    const Cotangents& into);

// One element of zeros, or another value, for every position of a shape.
[[nodiscard]] ConstTensorRef repeated(const Scalar& value, const Dims& shape);
[[nodiscard]] const Scalar& zero_of(Dtype dtype);
[[nodiscard]] const Scalar& one_of_type(Dtype dtype);

}  // namespace strew::internal
