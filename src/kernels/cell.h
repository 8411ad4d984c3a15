// One element that is stepped: alone, or as an accumulator with the count of its updates beside it.
#pragma once

#include "kernels/reductions.h"

namespace strew::internal {

// A value that takes several steps before it is put where it belongs. A NaN that is kept is settled only then: in a chain of steps even
// that takes time.
template <class Op, class T>
T step_on(T value, T update) {
  if constexpr (KeepsNan<Op, T>) {
    return Op::formula(value, update);
  } else {
    return step_alone<Op>(value, update);
  }
}
template <class Op, class T>
T settled_last(T value) {
  if constexpr (KeepsNan<Op, T>) {
    return settled(value);
  } else {
    return value;
  }
}

// `step` is to be called at least once before `put`.
template <class Op, class T>
struct Cell {
  using Update = T;
  static constexpr std::int64_t bytes = sizeof(T);
  static constexpr bool keeps_last = Replaces<Op>;  // updates before the last are as if they had not been
  T value;

  explicit Cell(const std::byte* at) : value(load<T>(at)) {}
  void step(T update) { value = step_on<Op>(value, update); }
  void put(std::byte* at) const { store(at, settled_last<Op>(value)); }
  static void step_at(std::byte* at, T update) { store(at, step_alone_at<Op>(at, update)); }
};

// The count has the size of the element.
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
    value = step_on<Op>(value, update);
    ++count;
  }
  void put(std::byte* at) const {
    store(at, settled_last<Op>(value));
    store(at + sizeof(T), count);
  }
  static void step_at(std::byte* at, T update) {
    store(at, step_alone_at<Op>(at, update));
    store(at + sizeof(T), load<Count>(at + sizeof(T)) + 1);
  }
};

// The kernel that make<Cell>() gives for a common step on single elements of a common type; null for others. Few reductions are counted.
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
