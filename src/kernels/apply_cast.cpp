// Row kernels between different types: casts, and steps that are computed in the wider type of the updates.
#include "kernels/apply_families.h"
#include "kernels/cast.h"
#include "kernels/each_row.h"
#include "kernels/reductions.h"

namespace strew::internal {
namespace {

// *to = cast(*from). The loops call this through a pointer: there are too many pairs of types to instantiate a loop for each.
using CastOne = void (*)(std::byte* to, const std::byte* from);
template <class To, class From>
void cast_one(std::byte* to, const std::byte* from) {
  store(to, cast<To>(load<From>(from)));
}

// Calls use(element of addressed, element of stream) for every element, in order.
template <class Use>
void each_element(const RowBlock& b, Use use) {
  each_row(b, b.width, b.addressed_width_stride, b.stream_width_stride,
           [&](std::byte* row, const std::byte* update, std::int64_t begin, std::int64_t end) {
             for (std::int64_t j = begin; j < end; ++j) use(row + j * b.addressed_width_stride, update + j * b.stream_width_stride);
           });
}

[[gnu::noinline]] void cast_each(const RowBlock& b, CastOne cast_element) { each_element(b, cast_element); }

template <class To, class From>
void assign_cast(const RowBlock& b) {
  cast_each(b, &cast_one<To, From>);
}

template <class Op, class T>
[[gnu::noinline]] void step_in(const RowBlock& b, CastOne widen, CastOne narrow) {
  each_element(b, [=](std::byte* out, const std::byte* update) {
    std::byte wide[sizeof(T)];
    widen(wide, out);
    store(wide, stepped<Op>(load<T>(wide), load<T>(update)));
    narrow(out, wide);
  });
}

// out = cast(op(cast(out), update)): the step rounds to T, the type of the updates, and the cast to Acc, the type of out
template <class Op, class Acc, class T>
void apply_wide(const RowBlock& b) {
  step_in<Op, T>(b, &cast_one<T, Acc>, &cast_one<Acc, T>);
}

// Whether steps on elements of type Acc are computed in T. Of the integers wider than Acc, only the 64-bit ones are used.
template <class T, class Acc>
constexpr bool widens() {
  constexpr bool is_whole = Integer<Acc> || std::same_as<Acc, bool>;
  if constexpr (std::same_as<T, Acc> || std::same_as<T, bool> || (Integer<T> && !is_whole)) return false;
  else if constexpr (std::same_as<Acc, bool>) return true;
  else if constexpr (ComplexLike<Acc>) return std::same_as<T, std::complex<double>>;
  else if constexpr (ComplexLike<T>) return std::same_as<Acc, typename T::value_type> || widens<typename T::value_type, Acc>();
  else if constexpr (Integer<T> && Integer<Acc>)
    return sizeof(T) == 8 && sizeof(Acc) < 8 && (std::is_signed_v<T> || !std::is_signed_v<Acc>);
  else if constexpr (Integer<Acc> || HalfLike<Acc>) return sizeof(T) > sizeof(Acc) || std::same_as<T, double>;
  else return sizeof(T) > sizeof(Acc);
}

// Whether there is a kernel for Op on elements of type Acc and updates of type T. None is needed where the low bits are the same in both
// types. Comparisons between two types always propagate NaN.
template <class Op, class Acc, class T>
constexpr bool steps_wide() {
  if constexpr (!Reduces<Op, T> || Replaces<Op> || (Integer<T> && Integer<Acc> && KeepsLowBits<Op>)) return false;
  else if constexpr (requires { Op::compare; }) return Op::compare >= FoldCompare::propagate;
  else return true;
}

template <class Acc, class T, class... Op>
RowKernel find_wide(Types<Op...>, Reduction reduction, FoldCompare compare) {
  RowKernel kernel = nullptr;
  const auto consider = [&]<class O>(Tag<O>) {
    if constexpr (steps_wide<O, Acc, T>()) {
      if (is_reduction<O>(reduction, compare)) kernel = &apply_wide<O, Acc, T>;
    }
  };
  (consider(Tag<Op>{}), ...);
  return kernel;
}

// Calls visit(Tag<T>, Tag<Acc>) for one pair of types.
template <class Visit>
void visit_pair(Dtype first, Dtype second, Visit visit) {
  visit_dtype(Numbers{}, first,
              [&]<class T>(Tag<T> t) { visit_dtype(Numbers{}, second, [&]<class Acc>(Tag<Acc> acc) { visit(t, acc); }); });
}

}  // namespace

RowKernel cast_kernel(Dtype from, Dtype to) {
  RowKernel kernel = nullptr;
  visit_pair(from, to, [&]<class From, class To>(Tag<From>, Tag<To>) { kernel = &assign_cast<To, From>; });
  return kernel;
}

RowKernel wide_step(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator) {
  RowKernel kernel = nullptr;
  visit_pair(dtype, accumulator, [&]<class T, class Acc>(Tag<T>, Tag<Acc>) {
    if constexpr (widens<T, Acc>()) {
      kernel = find_wide<Acc, T>(Reductions{}, reduction, compare);
    }
  });
  return kernel;
}

}  // namespace strew::internal
