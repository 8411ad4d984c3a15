// Derivatives one element at a time.
#include "ops/gradient_loop.h"

#include <cmath>
#include <cstring>

#include "ops/loop.h"

namespace strew::ops {
namespace {

using Number = std::complex<double>;

bool is_nan(Number x) { return std::isnan(x.real()) || std::isnan(x.imag()); }

// One value that an element is made of.
struct Value {
  std::int64_t update;  // -1: the old value
  Number value;
};

// Whether the formula of a minimum (or maximum) replaces `out` by `update`.
bool takes(const Fold& fold, Number out, Number update, bool is_complex) {
  const double sign = fold.step == Reduction::min ? 1 : -1;
  const auto before = [&](Number a, Number b) {
    if (is_nan(a) || is_nan(b)) return false;
    if (a.real() != b.real()) return sign * a.real() < sign * b.real();
    return is_complex && sign * a.imag() < sign * b.imag();
  };
  switch (fold.compare) {
    case FoldCompare::keep_out: return before(update, out);
    case FoldCompare::take_update: return !before(out, update);
    case FoldCompare::propagate: return before(update, out) || is_nan(update);
    case FoldCompare::propagate_late: return !(before(out, update) || is_nan(out));
    case FoldCompare::lexical: return !(is_nan(out) || before(out, update) || out == update);
  }
  return false;
}

// The values that tie with the result: steps replace them all, add to them, or leave them.
std::vector<std::int64_t> tied(const Fold& fold, const std::vector<Value>& values, bool is_complex) {
  std::vector<std::int64_t> chosen;
  bool has_identity = fold.begin == FoldBegin::identity;
  const double infinity = fold.step == Reduction::min ? INFINITY : -INFINITY;
  Number out = has_identity ? Number(infinity) : Number();
  for (const Value& next : values) {
    const bool is_first = chosen.empty() && !has_identity;
    if (is_first || (next.value != out && takes(fold, out, next.value, is_complex))) {
      chosen = {next.update};
      out = next.value;
      has_identity = false;
    } else if (next.value == out) {
      chosen.push_back(next.update);
    }
  }
  return chosen;
}

std::vector<Part> parts_of(const Fold& fold, const std::vector<Value>& values, Number scale, bool is_complex) {
  std::vector<Part> parts;
  const auto factor = [&](const Value& value) { return value.update < 0 ? Number(1) : scale; };
  const double count = fold.finish == FoldFinish::mean
                           ? static_cast<double>(values.size()) + (fold.begin == FoldBegin::current && values[0].update >= 0 ? 1 : 0)
                           : 1;
  switch (fold.step) {
    case Reduction::assign: parts.push_back({values.back().update, factor(values.back())}); break;
    case Reduction::add:
      for (const Value& value : values) parts.push_back({value.update, factor(value)});
      break;
    case Reduction::sub:
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_start = i == 0 && fold.begin != FoldBegin::identity;
        parts.push_back({values[i].update, is_start ? factor(values[i]) : -factor(values[i])});
      }
      break;
    case Reduction::mul:
      for (std::size_t i = 0; i < values.size(); ++i) {
        Number others = factor(values[i]);
        for (std::size_t j = 0; j < values.size(); ++j) {
          if (j != i) others *= values[j].value;
        }
        parts.push_back({values[i].update, others});
      }
      break;
    case Reduction::min:
    case Reduction::max: {
      const std::vector<std::int64_t> chosen = tied(fold, values, is_complex);
      for (const std::int64_t update : chosen)
        parts.push_back({update, (update < 0 ? Number(1) : scale) / static_cast<double>(chosen.size())});
      break;
    }
  }
  for (Part& part : parts) part.weight /= count;
  return parts;
}

Number scalar_value(const Scalar& scalar) { return numbers_in({scalar.bytes, scalar.dtype, Dims{}})[0]; }

}  // namespace

std::optional<Jacobian> jacobian_of(const ScatterOp& op) {
  const Dims shape = op.out.shape;
  const auto reached = reached_by(op.where, shape);
  if (!reached) return {};
  const bool is_complex = op.out.dtype == Dtype::complex64 || op.out.dtype == Dtype::complex128;
  const Number scale = op.scale ? scalar_value(*op.scale) : Number(1);
  const Numbers updates = op.scalar ? Numbers() : numbers_in(op.updates);
  const auto size = static_cast<std::size_t>(element_count(shape));
  Numbers base(size);
  if (const auto* tensor = std::get_if<ConstTensorRef>(&op.base)) base = numbers_in(*tensor);
  if (std::holds_alternative<InPlace>(op.base)) base = numbers_in(op.out);
  std::vector<std::vector<Value>> values(size);
  for (const Reached& one : *reached) {
    if (one.addressed < 0) continue;
    std::vector<Value>& of = values[static_cast<std::size_t>(one.addressed)];
    if (of.empty() && op.fold.begin == FoldBegin::current && op.fold.step != Reduction::assign)
      of.push_back({-1, base[static_cast<std::size_t>(one.addressed)]});
    Number value = op.scalar ? scalar_value(*op.scalar) : updates[static_cast<std::size_t>(one.stream)];
    if (op.scale) value *= scale;  // 1 + 0i would turn infinities into NaN
    of.push_back({one.stream, is_complex ? value : Number(value.real())});
  }
  Jacobian jacobian{std::vector<std::vector<Part>>(size)};
  for (std::size_t e = 0; e < size; ++e) {
    jacobian.by_element[e] = values[e].empty() ? std::vector<Part>{{-1, 1}} : parts_of(op.fold, values[e], scale, is_complex);
  }
  return jacobian;
}

void Jacobian::vjp(const Numbers& cotangent, Numbers& base, Numbers& updates) const {
  for (std::size_t e = 0; e < by_element.size(); ++e) {
    for (const Part& part : by_element[e])
      (part.update < 0 ? base[e] : updates[static_cast<std::size_t>(part.update)]) += std::conj(part.weight) * cotangent[e];
  }
}

Numbers Jacobian::jvp(const Numbers& base, const Numbers& updates) const {
  Numbers out(by_element.size());
  for (std::size_t e = 0; e < by_element.size(); ++e) {
    for (const Part& part : by_element[e])
      out[e] += part.weight * (part.update < 0 ? base[e] : updates[static_cast<std::size_t>(part.update)]);
  }
  return out;
}

}  // namespace strew::ops
