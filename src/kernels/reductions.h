// The reductions, one struct each. `step` applies one update; a reduction is defined for the types for which `step` compiles. Every other
// property that kernels, strategies and plans may rely on is a member too, and false for types for which the struct does not declare it:
//
//   identity<T>()    what FoldBegin::identity starts from
//   associative<T>   step(step(a, x), y) and step(a, step(x, y)) have the same bits, and so have a, step(a, identity()) and
//                    step(identity(), a): updates of an element may be combined, in their order, before they are applied to it
//   commutative<T>   step(step(a, x), y) and step(step(a, y), x) have the same bits: updates of an element may be reordered
//   replaces         step(a, x) is x: only the last update of an element counts
//   selects          step(a, x) is a or x, so nothing is rounded and a wider accumulator gains nothing
//   keeps_low_bits   integers: the low bits of step(a, x) depend on those of a and x alone, so a wider type gains nothing
//   keeps_nan        floats: step(a, x) is NaN if a or x is; `formula` is the step before that NaN is `settled`
//   loops            which specialised kernels are instantiated for it
//
// `tests/reduction_laws_test.cpp` tests the declared properties of every reduction in the list `Reductions`, with every strategy.
#pragma once

#include <limits>

#include "kernels/first_of.h"
#include "kernels/types.h"
#include "strew/op.h"

namespace strew::internal {

// Arithmetic that wraps. Types smaller than int convert to unsigned first, because they would be promoted to int, which can overflow.
template <Integer T>
struct Modular {
  using U = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
  static T add(T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); }
  static T sub(T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); }
  static T mul(T a, T b) { return static_cast<T>(static_cast<U>(a) * static_cast<U>(b)); }
};

// Replaces any NaN by the canonical one. The compiler chooses the order of operands, which decides which of two NaNs an instruction
// returns.
template <std::floating_point T>
T settled(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}
template <ComplexLike T>
T settled(T value) {
  return {settled(value.real()), settled(value.imag())};
}

// Which kernels are instantiated: the ordinary ones, those for single elements of common types too, or all.
enum class Loops : std::uint8_t { ordinary, elements, all };

struct Assign {
  static constexpr Reduction reduction = Reduction::assign;
  static constexpr bool replaces = true, selects = true;
  template <class T>
  static T step(T, T update) {
    return update;
  }
};

// For floats, `formula` equals `step` unless `meets_nan` holds for the old element, the value of the formula and the update. In arithmetic
// a NaN always shows in the value.
struct Arithmetic {
  template <std::floating_point T>
  static bool meets_nan(T, T value, T) {
    return value != value;
  }
};

struct Add : Arithmetic {
  static constexpr Reduction reduction = Reduction::add;
  static constexpr Loops loops = Loops::all;
  static constexpr bool keeps_low_bits = true, keeps_nan = true;
  template <Integer T>
  static constexpr bool associative = true;
  template <Integer T>
  static constexpr bool commutative = true;
  static bool step(bool out, bool update) { return out || update; }
  template <Integer T>
  static T step(T out, T update) {
    return Modular<T>::add(out, update);
  }
  template <class T>
    requires(std::floating_point<T> || ComplexLike<T>)
  static T formula(T out, T update) {
    return out + update;
  }
  template <class T>
    requires(std::floating_point<T> || ComplexLike<T>)
  static T step(T out, T update) {
    return settled(formula(out, update));
  }
  template <class T>
  static T identity() {
    return T(0);
  }
};

struct Sub : Arithmetic {
  static constexpr Reduction reduction = Reduction::sub;
  static constexpr Loops loops = Loops::elements;
  static constexpr bool keeps_low_bits = true, keeps_nan = true;
  template <Integer T>
  static constexpr bool commutative = true;
  template <Integer T>
  static T step(T out, T update) {
    return Modular<T>::sub(out, update);
  }
  template <class T>
    requires(std::floating_point<T> || ComplexLike<T>)
  static T formula(T out, T update) {
    return out - update;
  }
  template <class T>
    requires(std::floating_point<T> || ComplexLike<T>)
  static T step(T out, T update) {
    return settled(formula(out, update));
  }
  template <class T>
  static T identity() {
    return T(0);
  }
};

struct Mul : Arithmetic {
  static constexpr Reduction reduction = Reduction::mul;
  static constexpr Loops loops = Loops::elements;
  static constexpr bool keeps_low_bits = true, keeps_nan = true;
  template <Integer T>
  static constexpr bool associative = true;
  template <Integer T>
  static constexpr bool commutative = true;
  static bool step(bool out, bool update) { return out && update; }
  template <Integer T>
  static T step(T out, T update) {
    return Modular<T>::mul(out, update);
  }
  template <std::floating_point T>
  static T formula(T out, T update) {
    return out * update;
  }
  // The plain formula: no fused products, no recovery of infinities.
  template <ComplexLike T>
  static T formula(T out, T update) {
    return T(out.real() * update.real() - out.imag() * update.imag(), out.real() * update.imag() + out.imag() * update.real());
  }
  template <class T>
    requires(std::floating_point<T> || ComplexLike<T>)
  static T step(T out, T update) {
    return settled(formula(out, update));
  }
  template <class T>
  static T identity() {
    return T(1);
  }
};

// Types with an order. The formulas differ for NaN and for ties.
template <class T>
concept Ordered = std::same_as<T, bool> || Integer<T> || std::floating_point<T>;

// Whether a rule of comparison is defined for T.
template <FoldCompare rule, class T>
concept Compared = (rule == FoldCompare::lexical && ComplexLike<T>) || (rule == FoldCompare::propagate_late && std::floating_point<T>) ||
                   (rule <= FoldCompare::propagate && Ordered<T>);

// Whether `out` precedes or equals `update`, by the real part, then the imaginary part. False if either has a NaN.
template <class Less, ComplexLike T>
bool not_after(T out, T update) {
  const bool is_number = out.imag() == out.imag() && update.imag() == update.imag();
  return (Less()(out.real(), update.real()) && is_number) ||
         (out.real() == update.real() && !Less()(update.imag(), out.imag()) && is_number);
}

// The formulas of FoldCompare.
template <FoldCompare rule, class Less, class T>
T extreme(T out, T update) {
  if constexpr (rule == FoldCompare::keep_out) return Less()(update, out) ? update : out;
  if constexpr (rule == FoldCompare::take_update) return Less()(out, update) ? out : update;
  if constexpr (rule == FoldCompare::propagate) return Less()(update, out) || update != update ? update : out;
  if constexpr (rule == FoldCompare::propagate_late) return Less()(out, update) || out != out ? out : update;
  if constexpr (rule == FoldCompare::lexical) return out != out || not_after<Less>(out, update) ? out : update;
}
// The same in one instruction for floats; NaN is handled by meets_nan() and step().
template <FoldCompare rule, class Less, std::floating_point T>
T scalar_extreme(T out, T update) {
  constexpr bool prefers_update = rule == FoldCompare::take_update || rule == FoldCompare::propagate_late;
  return prefers_update ? first_of<Less>(out, update) : first_of<Less>(update, out);
}

// What Min and Max share. Where NaN always wins, floats are associative too; they are not commutative, because the order decides between
// two zeros or two NaNs.
template <FoldCompare rule>
struct Extreme {
  static constexpr FoldCompare compare = rule;
  static constexpr bool selects = true;
  static constexpr Loops loops = rule == FoldCompare::lexical ? Loops::ordinary : Loops::elements;
  template <class T>
    requires(Integer<T> || (std::floating_point<T> && (rule == FoldCompare::propagate || rule == FoldCompare::propagate_late)))
  static constexpr bool associative = true;
  template <Integer T>
  static constexpr bool commutative = true;
  template <std::floating_point T>
  static bool meets_nan(T out, T value, T update) {
    if constexpr (rule == FoldCompare::propagate_late) return std::isunordered(out, value);
    return rule == FoldCompare::propagate && update != update;
  }
};

template <FoldCompare rule>
struct Min : Extreme<rule> {
  static constexpr Reduction reduction = Reduction::min;
  template <class T>
    requires Compared<rule, T>
  static T step(T out, T update) {
    return extreme<rule, Below>(out, update);
  }
  template <std::floating_point T>
    requires(rule <= FoldCompare::propagate_late)
  static T formula(T out, T update) {
    return scalar_extreme<rule, Below>(out, update);
  }
  template <Ordered T>
  static T identity() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
};

template <FoldCompare rule>
struct Max : Extreme<rule> {
  static constexpr Reduction reduction = Reduction::max;
  template <class T>
    requires Compared<rule, T>
  static T step(T out, T update) {
    return extreme<rule, Above>(out, update);
  }
  template <std::floating_point T>
    requires(rule <= FoldCompare::propagate_late)
  static T formula(T out, T update) {
    return scalar_extreme<rule, Above>(out, update);
  }
  template <Ordered T>
  static T identity() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }
};

using Reductions =
    Types<Assign, Add, Sub, Mul, Min<FoldCompare::keep_out>, Min<FoldCompare::take_update>, Min<FoldCompare::propagate>,
          Min<FoldCompare::propagate_late>, Min<FoldCompare::lexical>, Max<FoldCompare::keep_out>, Max<FoldCompare::take_update>,
          Max<FoldCompare::propagate>, Max<FoldCompare::propagate_late>, Max<FoldCompare::lexical>>;

// The types that have specialised loops for single elements, and for indices.
using CommonElements = Types<float, double, std::int32_t, std::int64_t>;
using CommonIndices = Types<std::int32_t, std::int64_t>;

// Whether `Op` is defined for T. Other pairs have no kernel, and the error names both.
template <class Op, class T>
concept Reduces = requires(computing_t<T> x) { Op::step(x, x); };

// The declared properties of a reduction, for kernels; strategies call properties_of (kernels/properties.h).
template <class Op, class T>
concept HasIdentity = Reduces<Op, T> && requires { Op::template identity<computing_t<T>>(); };
template <class Op, class T>
concept Associative = Reduces<Op, T> && requires { requires Op::template associative<T>; };
template <class Op, class T>
concept Commutative = Reduces<Op, T> && requires { requires Op::template commutative<T>; };
template <class Op>
concept Replaces = requires { requires Op::replaces; };
template <class Op>
concept Selects = requires { requires Op::selects; };
template <class Op>
concept KeepsLowBits = requires { requires Op::keeps_low_bits; };
template <class Op, class T>
concept KeepsNan = std::floating_point<T> && requires(T x) {
  requires Op::keeps_nan;
  Op::formula(x, x);
};
template <class Op, Loops least>
concept HasLoops = requires { requires Op::loops >= least; };

// op(out, update), computed in computing_t<Acc>. Acc is the type of `out`, T that of the updates.
template <class Op, class Acc, class T>
Acc stepped(Acc out, T update) {
  return Computing<Acc>::narrow(Op::step(Computing<Acc>::widen(out), static_cast<computing_t<Acc>>(Computing<T>::widen(update))));
}

// Not inlined, so that compilers keep the branch around the call.
template <class Op, class T>
[[gnu::cold, gnu::noinline]] T step_with_nan(T out, T update) {
  return Op::step(out, update);
}

// Op::step outside of vector loops. Tests for NaN by a branch, which is predicted and so adds no latency to a chain of steps.
template <class Op, class T>
T scalar_step(T out, T update) {
  if constexpr (std::floating_point<T> && requires { Op::formula(out, update); }) {
    const T value = Op::formula(out, update);
    return Op::meets_nan(out, value, update) ? step_with_nan<Op>(out, update) : value;
  } else {
    return Op::step(out, update);
  }
}

template <class Op, class T>
[[gnu::cold, gnu::noinline]] T step_with_nan_at(const std::byte* at, T update) {
  return Op::step(load<T>(at), update);
}

// The same for an element in memory. The NaN branch loads the element again: keeping it would take a register copy, and on some processors
// a copy of a value that was just loaded costs as much as everything else here.
template <class Op, class T>
T scalar_step_at(const std::byte* at, T update) {
  if constexpr (std::floating_point<T> && requires(T out) { Op::formula(out, update); }) {
    const T out = load<T>(at), value = Op::formula(out, update);
    return Op::meets_nan(out, value, update) ? step_with_nan_at<Op>(at, update) : value;
  } else {
    return Op::step(load<T>(at), update);
  }
}

// Whether Op implements this reduction under this rule; a reduction that does not compare has any rule.
template <class Op>
constexpr bool is_reduction(Reduction reduction, FoldCompare compare) {
  if constexpr (requires { Op::compare; }) {
    return Op::reduction == reduction && Op::compare == compare;
  } else {
    return Op::reduction == reduction;
  }
}

// Returns make<I, wrap>() for a common index type; null for others.
template <class Kernel, class Make>
Kernel find_by_index(Dtype index, Negative negative, Make make) {
  Kernel kernel{};
  visit_dtype(CommonIndices{}, index, [&]<class I>(Tag<I>) {
    kernel = negative == Negative::wrap ? make.template operator()<I, true>() : make.template operator()<I, false>();
  });
  return kernel;
}

// Returns make<Op, T>() for a common element type and a reduction with at least these loops; null for others. For assignments only the size
// of an element matters.
template <class Kernel, Loops least, class Make>
Kernel find_common(Reduction reduction, FoldCompare compare, Dtype dtype, Make make) {
  Kernel kernel = nullptr;
  const auto consider = [&]<class Op>(Tag<Op>) {
    if (!is_reduction<Op>(reduction, compare)) return;
    if constexpr (Replaces<Op> && least == Loops::elements) {
      if (dtype == Dtype::string) return;
      if (size_of(dtype) == 4) kernel = make.template operator()<Assign, std::uint32_t>();
      if (size_of(dtype) == 8) kernel = make.template operator()<Assign, std::uint64_t>();
    } else if constexpr (HasLoops<Op, least>) {
      visit_dtype(CommonElements{}, dtype, [&]<class T>(Tag<T>) {
        if constexpr (Reduces<Op, T>) kernel = make.template operator()<Op, T>();
      });
    }
  };
  [&]<class... Op>(Types<Op...>) { (consider(Tag<Op>{}), ...); }(Reductions{});
  return kernel;
}

}  // namespace strew::internal
