// Judges the derivatives of hand-made ops.
#include "ops/gradient_judge.h"

#include <cmath>
#include <cstring>

#include "ops/gradient_loop.h"
#include "ops/loop.h"
#include "strew/gradient.h"

namespace strew::ops {
namespace {

bool is_differentiable(Dtype dtype) {
  const DtypeKind kind = dtype_info(dtype).kind;
  return kind == DtypeKind::floating || kind == DtypeKind::complex;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * size_of(a.dtype()))) == 0);
}
bool same_bytes(const std::optional<Tensor>& a, const std::optional<Tensor>& b) { return a ? b && same_bytes(*a, *b) : !b; }

// How far a quotient may be from the exact one: rounding, also to a number below the smallest normal one.
struct Tolerance {
  double relative = 0, absolute = 0;
};

bool same_part(double a, double b, const Tolerance& tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance.relative * std::abs(b) + tolerance.absolute;
}
bool agree(const Tensor& got, const Numbers& expected, const Tolerance& tolerance) {
  const Numbers numbers = numbers_in(got);
  const bool is_complex = dtype_info(got.dtype()).kind == DtypeKind::complex;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!same_part(numbers[i].real(), expected[i].real(), tolerance)) return false;
    if (is_complex && !same_part(numbers[i].imag(), expected[i].imag(), tolerance)) return false;
  }
  return numbers.size() == expected.size();
}

// Whether each element's cotangent is only selected, negated or divided, so that the loop knows it.
bool is_known(const ScatterOp& op) {
  const bool is_plain = !op.scale && !op.scalar && op.updates.dtype == op.out.dtype && op.fold.finish == FoldFinish::keep;
  return is_plain && op.fold.step != Reduction::mul;
}

Tolerance tolerance_of(const ScatterOp& op) {
  if (op.fold.step != Reduction::min && op.fold.step != Reduction::max) return {};
  switch (op.out.dtype) {
    case Dtype::float16: return {0x1p-9, 0x1p-24};
    case Dtype::bfloat16: return {0x1p-6, 0x1p-133};
    case Dtype::float32:
    case Dtype::complex64: return {0x1p-21, 0x1p-149};
    default: return {0x1p-50, 0x1p-1074};
  }
}

// cotangent * weight, for parts of weight +-1 and 1 / count, without products of NaN and 0 in the parts of a complex number
void vjp_by_selection(const Jacobian& jacobian, const Numbers& cotangent, Numbers& base, Numbers& updates) {
  for (std::size_t e = 0; e < jacobian.by_element.size(); ++e) {
    for (const Part& part : jacobian.by_element[e]) {
      auto& to = part.update < 0 ? base[e] : updates[static_cast<std::size_t>(part.update)];
      to = {cotangent[e].real() * part.weight.real(), cotangent[e].imag() * part.weight.real()};
    }
  }
}

std::string judge_winners(const ScatterOp& op, const RunOptions& other) {
  const Tensor got = winners(op, {.threads = 1});
  if (!same_bytes(got, winners(op, other))) return "winners depend on the options";
  const auto reached = reached_by(op.where, op.out.shape.empty() && op.where.axes.size() == 1 ? Dims{1} : op.out.shape);
  std::int64_t row = 1;
  for (const std::int64_t size : op.where.row) row *= size;
  if (row == 0 || !reached) return {};
  std::vector<std::int64_t> last(static_cast<std::size_t>(element_count(op.out.shape)), -1);
  for (const Reached& one : *reached) {
    if (one.addressed >= 0) last[static_cast<std::size_t>(one.addressed)] = one.stream;
  }
  for (const Reached& one : *reached) {
    const bool stays = one.addressed >= 0 && last[static_cast<std::size_t>(one.addressed)] == one.stream;
    if (stays != got.values<bool>()[static_cast<std::size_t>(one.stream / row)]) return "another winner";
  }
  return {};
}

}  // namespace

std::string wrong_with_gradient(const ScatterOp& op, const RunOptions& other) {
  if (op.fold.step == Reduction::assign) {
    if (const std::string wrong = judge_winners(op, other); !wrong.empty()) return wrong;
  }
  const Dtype updates_dtype = op.scalar ? op.scalar->dtype : op.updates.dtype;
  if (!is_differentiable(op.out.dtype) || !is_differentiable(updates_dtype)) return {};
  const Tensor cotangent = Tensor::copy_of(op.out);
  const ScatterGradient got = vjp(op, cotangent, {}, {.threads = 1, .strategy = "serial"});
  const ScatterGradient again = vjp(op, cotangent, {.result = compute(op)}, other);
  if (!same_bytes(got.base, again.base) || !same_bytes(got.updates, again.updates)) return "a gradient depends on the options";
  const ScatterTangents tangents{.updates = *got.updates};
  if (!same_bytes(jvp(op, tangents, {}, {.threads = 1}), jvp(op, tangents, {}, other))) return "a tangent depends on the options";
  const ScatterGradient second = vjp_jvp(op, cotangent, {}, tangents, {}, {.threads = 1}),
                        twice = vjp_jvp(op, cotangent, {}, tangents, {}, other);
  if (!same_bytes(second.base, twice.base) || !same_bytes(second.updates, twice.updates))
    return "a second derivative depends on the options";
  if (!is_known(op)) return {};
  const auto jacobian = jacobian_of(op);
  if (!jacobian) return "a gradient of a bad index";
  Numbers base(static_cast<std::size_t>(cotangent.size())), updates(static_cast<std::size_t>(got.updates->size()));
  vjp_by_selection(*jacobian, numbers_in(cotangent), base, updates);
  if (got.base && !agree(*got.base, base, tolerance_of(op))) return "another gradient of the base";
  return agree(*got.updates, updates, tolerance_of(op)) ? "" : "another gradient of the updates";
}

std::string wrong_with_gradient(const GatherOp& op, const RunOptions& other) {
  if (!is_differentiable(op.from.dtype)) return {};
  const Tensor cotangent = Tensor::copy_of(op.out);
  const Tensor got = vjp(op, cotangent, {.threads = 1, .strategy = "serial"});
  if (!same_bytes(got, vjp(op, cotangent, other))) return "a gradient depends on the options";
  // The sum of the same points.
  Tensor sums = Tensor::zeros(op.from.dtype, op.from.shape);
  ScatterOp sum{.where = op.where, .out = sums, .updates = cotangent};
  sum.fold = {.step = Reduction::add, .round = FoldRound::at_finish};
  if (run_loop(sum) == Judgement::done && !agree(got, numbers_in(sums), {})) return "another gradient of the source";
  return {};
}

}  // namespace strew::ops
