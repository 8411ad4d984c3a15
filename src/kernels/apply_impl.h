// The loops behind step_kernel, instantiated by one file per family of types. Include after kernels/instruction_sets.h.
// The guard toggles, because Highway includes the file once per instruction set.
#if defined(STREW_KERNELS_APPLY_IMPL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STREW_KERNELS_APPLY_IMPL_H
#undef STREW_KERNELS_APPLY_IMPL_H
#else
#define STREW_KERNELS_APPLY_IMPL_H
#endif

#include <algorithm>
#include <array>
#include <iterator>

#include "kernels/apply.h"
#include "kernels/each_row.h"
#include "kernels/halves.h"
#include "kernels/reductions.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {

// row[j] = op(row[j], update[j])    for j < count, float16: conversions and steps in separate loops, which both vectorize
template <class Op, class Acc>
void step_halves(std::byte* __restrict row, const std::byte* __restrict update, std::int64_t count) {
  constexpr bool is_wide = std::same_as<Acc, float>;
  if constexpr (Replaces<Op> && is_wide) {
    widen_all<Half>(update, row, count);
  } else {
    constexpr std::int64_t tile = 64, bytes = sizeof(float);
    alignas(64) std::byte outs[tile * bytes], updates[tile * bytes];
    for (std::int64_t begin = 0; begin < count; begin += tile) {
      const std::int64_t length = std::min(tile, count - begin);
      std::byte* const at = row + begin * static_cast<std::int64_t>(sizeof(Acc));
      std::byte* const out = is_wide ? at : outs;
      if constexpr (!is_wide) widen_all<Half>(at, outs, length);
      widen_all<Half>(update + begin * static_cast<std::int64_t>(sizeof(Half)), updates, length);
      for (std::int64_t j = 0; j < length; ++j)
        store(out + j * bytes, Op::step(load<float>(out + j * bytes), load<float>(updates + j * bytes)));
      if constexpr (!is_wide) narrow_all<Half>(outs, at, length);
    }
  }
}

// row[j] = op(row[j], update[j])    for begin <= j < end, contiguous
template <class Op, class Acc, class T>
[[gnu::always_inline]] inline void step_contiguous(std::byte* __restrict row, const std::byte* __restrict update, std::int64_t begin,
                                                   std::int64_t end) {
  if constexpr (std::same_as<T, Half>) {
    step_halves<Op, Acc>(row + begin * static_cast<std::int64_t>(sizeof(Acc)), update + begin * static_cast<std::int64_t>(sizeof(T)),
                         end - begin);
  } else {
#pragma GCC unroll 1  // g++ vectorizes the loop, but not its unrolled steps
    for (std::int64_t j = begin; j < end; ++j) {
      std::byte* const at = row + j * static_cast<std::int64_t>(sizeof(Acc));
      store(at, stepped<Op>(load<Acc>(at), load<T>(update + j * static_cast<std::int64_t>(sizeof(T)))));
    }
  }
}

// Contiguous rows. A width other than 0 is a compile-time constant, which saves the loop overhead per row.
template <class Op, class Acc, class T, std::int64_t width>
void apply_dense(const RowBlock& b) {
  each_row(b, width == 0 ? b.width : width, sizeof(Acc), sizeof(T),
           [](std::byte* row, const std::byte* update, std::int64_t begin, std::int64_t end) {
             step_contiguous<Op, Acc, T>(row, update, begin, end);
           });
}

template <class Op, class Acc, class T>
constexpr RowKernel dense_kernel(std::int64_t width) {
  if constexpr (std::same_as<Acc, T> && (std::same_as<T, float> || std::same_as<T, double>)) {
    if (width == 2) return &apply_dense<Op, T, T, 2>;
    if (width == 3) return &apply_dense<Op, T, T, 3>;
    if (width == 4) return &apply_dense<Op, T, T, 4>;
    if (width == 8) return &apply_dense<Op, T, T, 8>;
    if constexpr (HasLoops<Op, Loops::all>) {
      if (width == 16) return &apply_dense<Op, T, T, 16>;
      if (width == 32) return &apply_dense<Op, T, T, 32>;
      if (width == 64) return &apply_dense<Op, T, T, 64>;
    }
  }
  return &apply_dense<Op, Acc, T, 0>;
}

// addressed[offsets[i] + j] = op(addressed[offsets[i] + j], stream[i, j])    for i < rows, j < width, in order of i
template <class Op, class Acc, class T>
void apply(const RowBlock& b) {
  const std::int64_t width = b.width, addressed_width_stride = b.addressed_width_stride, stream_width_stride = b.stream_width_stride;
  if (width == 1) {
    each_row(b, 1, 0, 0, [](std::byte* at, const std::byte* update, std::int64_t, std::int64_t) {
      store(at, stepped<Op>(load<Acc>(at), load<T>(update)));
    });
    return;
  }
  if (addressed_width_stride == sizeof(Acc) && stream_width_stride == sizeof(T)) {
    dense_kernel<Op, Acc, T>(width)(b);
    return;
  }
  // No prefetching of strided rows here: callers do that.
  for (std::int64_t i = 0; i < b.rows; ++i) {
    std::byte* const row = b.addressed + b.offsets[i];
    const std::byte* const update = b.stream + b.stream_offset(i);
    for (std::int64_t j = 0; j < width; ++j) {
      std::byte* const at = row + j * addressed_width_stride;
      store(at, stepped<Op>(load<Acc>(at), load<T>(update + j * stream_width_stride)));
    }
  }
}

template <class Op, class Acc, class T>
constexpr RowKernel kernel_of() {
  // A reduction that selects does not round and gains nothing from a wider accumulator; only Assign writes first updates into one.
  constexpr bool gains = std::same_as<Acc, T> || Replaces<Op> || !Selects<Op>;
  if constexpr (Reduces<Op, T> && gains) {
    return &apply<Op, Acc, T>;
  } else {
    return nullptr;
  }
}

// Kernels by Reduction and FoldCompare. Reductions that do not compare have the same kernel for every rule.
using StepTable = std::array<std::array<RowKernel, static_cast<std::size_t>(FoldCompare::lexical) + 1>, std::size(reduction_names)>;
template <class Acc, class T, class... Op>
constexpr StepTable step_table(Types<Op...>) {
  StepTable table{};
  for (std::size_t r = 0; r < table.size(); ++r) {
    for (std::size_t c = 0; c < table[r].size(); ++c) {
      ((is_reduction<Op>(static_cast<Reduction>(r), static_cast<FoldCompare>(c)) ? void(table[r][c] = kernel_of<Op, Acc, T>()) : void()),
       ...);
    }
  }
  return table;
}

template <class Acc, class T, class... Op>
RowKernel find_step(Types<Op...> reductions, Reduction reduction, FoldCompare compare) {
  static constexpr StepTable table = step_table<Acc, T>(reductions);
  const auto r = static_cast<std::size_t>(reduction), c = static_cast<std::size_t>(compare);
  return r < table.size() && c < table[r].size() ? table[r][c] : nullptr;
}

// The entry points for the family files.
template <class T>
RowKernel find_step(Reduction reduction, FoldCompare compare, Dtype accumulator) {
  if (accumulator == dtype_of<T>) return find_step<T, T>(Reductions{}, reduction, compare);
  if constexpr (HalfLike<T>) {
    if (accumulator == Dtype::float32) return find_step<float, T>(Reductions{}, reduction, compare);
  }
  return nullptr;
}

template <class... T>
RowKernel find_step_in(Types<T...>, Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator) {
  RowKernel kernel = nullptr;
  ((dtype == dtype_of<T> ? void(kernel = find_step<T>(reduction, compare, accumulator)) : void()), ...);
  return kernel;
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
