// One element to step: a plain one, or an accumulator with the count of its updates beside it.
#pragma once

#include "kernels/reductions.h"

namespace strew::internal {

// Steps of a value in a register. Reductions that keep NaN settle it once, after the last step: in a dependent chain of steps every
// instruction costs latency.
template <class Op, class T>
T chain_step(T value, T update) {
  if constexpr (KeepsNan<Op, T>) {
    return Op::formula(value, update);
  } else {
    return scalar_step<Op>(value, update);
  }
}
template <class Op, class T>
T chain_result(T value) {
  if constexpr (KeepsNan<Op, T>) {
    return settled(value);
  } else {
    return value;
  }
}

// An element in a register: loaded by the constructor, stored by `put` after at least one `step`.
template <class Op, class T>
struct Cell {
  using Update = T;
  static constexpr std::int64_t bytes = sizeof(T);
  static constexpr bool keeps_last = Replaces<Op>;  // only the last update counts
  T value;

  explicit Cell(const std::byte* at) : value(load<T>(at)) {}
  void step(T update) { value = chain_step<Op>(value, update); }
  void put(std::byte* at) const { store(at, chain_result<Op>(value)); }
  static void step_at(std::byte* at, T update) { store(at, scalar_step_at<Op>(at, update)); }
};

// As Cell, with the number of updates after the value, of the same size. Counts every step.
template <class Op, class T>
struct CountedCell {
  using Update = T;
  using Count = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr std::int64_t bytes = 2 * sizeof(T);
  static constexpr bool keeps_last = false;
  T value;
  Count count;

  explicit CountedCell(const std::byte* at) : value(load<T>(at)), count(load<Count>(at + sizeof(T))) {}
  void step(T update) {
    value = chain_step<Op>(value, update);
    ++count;
  }
  void put(std::byte* at) const {
    store(at, chain_result<Op>(value));
    store(at + sizeof(T), count);
  }
  static void step_at(std::byte* at, T update) {
    store(at, scalar_step_at<Op>(at, update));
    store(at + sizeof(T), load<Count>(at + sizeof(T)) + 1);
  }
};

// Returns make<Cell>() for the cell of this reduction and type; null if they have no loops for single elements. With `counted`, only
// reductions with Loops::all have one.
template <class Kernel, class Make>
Kernel find_cell(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted, Make make) {
  if (!counted) {
    return find_common<Kernel, Loops::elements>(reduction, compare, dtype,
                                                [&]<class Op, class T>() -> Kernel { return make.template operator()<Cell<Op, T>>(); });
  }
  return find_common<Kernel, Loops::all>(reduction, compare, dtype,
                                         [&]<class Op, class T>() -> Kernel { return make.template operator()<CountedCell<Op, T>>(); });
}

}  // namespace strew::internal
