// The reductions, one struct each. `step` applies one update; a type for which it does not compile has no such reduction. Everything else
// that kernels, strategies and plans may rely on is a member as well, and off where the struct does not have it for a type:
//
//   identity<T>()    what FoldBegin::identity starts from
//   associative<T>   step(step(a, x), y) and step(a, step(x, y)) have the same bits, and so have a, step(a, identity()) and
//                    step(identity(), a): updates of an element may be combined before they reach it, in their order
//   commutative<T>   step(step(a, x), y) and step(step(a, y), x) have the same bits: updates of an element may change places
//   replaces         step(a, x) is x: only the last update of an element counts
//   selects          step(a, x) is a or x, so nothing is rounded and a wider accumulator gains nothing
//   keeps_low_bits   of integers: the low bits of step(a, x) follow from those of a and x, so a wider type gains nothing
//   keeps_nan        of floats: step(a, x) is NaN if a or x is; then `formula` is the step before that NaN is `settled`
//   loops            how many kernels of its own it gets
//
// `tests/reduction_laws_test.cpp` holds every reduction of the list at the end to what it says here, with every strategy.
#pragma once

#include <limits>

#include "kernels/first_of.h"
#include "kernels/types.h"
#include "strew/op.h"

namespace strew::internal {

// Integers wrap; unsigned arithmetic says so without overflow. Types smaller than int are widened to unsigned first.
template <Integer T>
struct Modular {
  using U = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
  static T add(T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); }
  static T sub(T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); }
  static T mul(T a, T b) { return static_cast<T>(static_cast<U>(a) * static_cast<U>(b)); }
};

// One NaN for all: which of two NaNs a processor hands on depends on the order of operands, and that is the compiler's.
template <std::floating_point T>
T settled(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}
template <ComplexLike T>
T settled(T value) {
  return {settled(value.real()), settled(value.imag())};
}

// Which kernels are instantiated: the ordinary ones; those for single elements of common types as well; or all that there are.
enum class Loops : std::uint8_t { ordinary, elements, all };

struct Assign {
  static constexpr Reduction reduction = Reduction::assign;
  static constexpr bool replaces = true, selects = true;
  template <class T>
  static T step(T, T update) {
    return update;
  }
};

// `formula` of floats is the step unless its value and the update `meet_nan`. Here a NaN that the step settles shows in the value.
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
  // The plain one: no fused products, no rescue of infinities.
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

// Types with an order. NaN is where the formulas part.
template <class T>
concept Ordered = std::same_as<T, bool> || Integer<T> || std::floating_point<T>;

template <FoldCompare rule, class T>
concept Compared = (rule == FoldCompare::lexical && ComplexLike<T>) || (rule == FoldCompare::propagate_late && std::floating_point<T>) ||
                   (rule <= FoldCompare::propagate && Ordered<T>);

// Whether `out` comes first, or is the same, by the real part and then the imaginary one. A NaN in `update` never follows.
template <class Less, ComplexLike T>
bool not_after(T out, T update) {
  const bool is_number = out.imag() == out.imag() && update.imag() == update.imag();
  return (Less()(out.real(), update.real()) && is_number) ||
         (out.real() == update.real() && !Less()(update.imag(), out.imag()) && is_number);
}

template <FoldCompare rule, class Less, class T>
T extreme(T out, T update) {
  if constexpr (rule == FoldCompare::keep_out) return Less()(update, out) ? update : out;
  if constexpr (rule == FoldCompare::take_update) return Less()(out, update) ? out : update;
  if constexpr (rule == FoldCompare::propagate) return Less()(update, out) || update != update ? update : out;
  if constexpr (rule == FoldCompare::propagate_late) return Less()(out, update) || out != out ? out : update;
  if constexpr (rule == FoldCompare::lexical) return out != out || not_after<Less>(out, update) ? out : update;
}
template <FoldCompare rule, class Less, std::floating_point T>
T extreme_alone(T out, T update) {
  constexpr bool prefers_update = rule == FoldCompare::take_update || rule == FoldCompare::propagate_late;
  return prefers_update ? first_of<Less>(out, update) : first_of<Less>(update, out);
}

// Only one rule of these asks for more than a comparison says. Where NaN always wins, floats are associative too; which of two zeros or of
// two NaNs is chosen still depends on their order.
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
    return extreme_alone<rule, Below>(out, update);
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
    return extreme_alone<rule, Above>(out, update);
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

// The types that have loops of their own for single elements.
using CommonElements = Types<float, double, std::int32_t, std::int64_t>;
using CommonIndices = Types<std::int32_t, std::int64_t>;

// Whether `Op` can combine values of T. A pair that does not reduce has no kernel, and the error names both.
template <class Op, class T>
concept Reduces = requires(computing_t<T> x) { Op::step(x, x); };

// What a reduction says about itself, for kernels; strategies ask properties_of (kernels/properties.h).
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

// out = op(out, update) in the type that computes; Acc is the type of `out`, T that of the updates.
template <class Op, class Acc, class T>
Acc stepped(Acc out, T update) {
  return Computing<Acc>::narrow(Op::step(Computing<Acc>::widen(out), static_cast<computing_t<Acc>>(Computing<T>::widen(update))));
}

// A call, so that compilers keep the branch to it.
template <class Op, class T>
[[gnu::cold, gnu::noinline]] T step_with_nan(T out, T update) {
  return Op::step(out, update);
}

// Op::step outside of vector loops: NaN is told by a branch, which takes no time in a chain of steps on one element.
template <class Op, class T>
T step_alone(T out, T update) {
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

// The same for an element in memory. Where NaN is met it is read again: to keep it for that takes a copy of a register, and on some
// processors a copy of what was just loaded takes as long as all the rest.
template <class Op, class T>
T step_alone_at(const std::byte* at, T update) {
  if constexpr (std::floating_point<T> && requires(T out) { Op::formula(out, update); }) {
    const T out = load<T>(at), value = Op::formula(out, update);
    return Op::meets_nan(out, value, update) ? step_with_nan_at<Op>(at, update) : value;
  } else {
    return Op::step(load<T>(at), update);
  }
}

template <class Op>
constexpr bool is_reduction(Reduction reduction, FoldCompare compare) {
  if constexpr (requires { Op::compare; }) {
    return Op::reduction == reduction && Op::compare == compare;
  } else {
    return Op::reduction == reduction;
  }
}

// The kernel that make<I, wrap>() gives for a common type of indices; null for others.
template <class Kernel, class Make>
Kernel find_by_index(Dtype index, Negative negative, Make make) {
  Kernel kernel{};
  visit_dtype(CommonIndices{}, index, [&]<class I>(Tag<I>) {
    kernel = negative == Negative::wrap ? make.template operator()<I, true>() : make.template operator()<I, false>();
  });
  return kernel;
}

// The kernel that make<Op, T>() gives for single elements of a common type, by a reduction that has as many loops as that; null for others.
// Of what replaces, only the size of an element counts.
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
