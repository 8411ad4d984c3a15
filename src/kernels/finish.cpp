// Neutral elements, means, and the final rounding of wide accumulators.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/finish.cpp"
#include "kernels/instruction_sets.h"
// The order matters: instruction_sets.h comes first.
#include <algorithm>
#include <cstring>

#include "kernels/finish.h"
#include "kernels/halves.h"
#include "kernels/reductions.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {

// mean_of is always inlined, so that loops over it vectorize. Integer means round toward minus infinity, as in every dialect that has one.
template <Integer T, class Count>
[[gnu::always_inline]] inline T mean_of(T sum, Count count) {
  if constexpr (std::is_signed_v<T>) {
    const auto wide = static_cast<std::int64_t>(sum), divisor = static_cast<std::int64_t>(count);
    return static_cast<T>(wide / divisor - (wide % divisor < 0 ? 1 : 0));
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(sum) / static_cast<std::uint64_t>(count));
  }
}
template <std::floating_point T, class Count>
[[gnu::always_inline]] inline T mean_of(T sum, Count count) {
  return sum / static_cast<T>(count);
}
// Division by count + 0i. The products with 0 propagate infinities and NaN from one part to the other.
template <ComplexLike T, class Count>
[[gnu::always_inline]] inline T mean_of(T sum, Count count) {
  using R = typename T::value_type;
  const R scale = R(1) / static_cast<R>(count), nothing = R(0);
  return {(sum.real() + sum.imag() * nothing) * scale, (sum.imag() - sum.real() * nothing) * scale};
}

constexpr std::int64_t tile = 64;  // elements

// values[i] rounded to T
template <HalfLike T>
void round_all(float* values, std::int64_t count) {
  std::byte rounded[tile * sizeof(T)];
  auto* const floats = reinterpret_cast<std::byte*>(values);
  narrow_all<T>(floats, rounded, count);
  widen_all<T>(rounded, floats, count);
}

// results[i] = accumulators[i] rounded to T, for a mean divided by counts[i]    for i < count <= tile
template <class T, FoldFinish finish, class Acc, class Count>
void finish_tile(const std::byte* __restrict accumulators, const Count* __restrict counts, std::byte* __restrict results,
                 std::int64_t count) {
  if constexpr (!std::same_as<Acc, T> && finish == FoldFinish::keep) {
    narrow_all<T>(accumulators, results, count);
  } else if constexpr (HalfLike<T> && finish == FoldFinish::mean) {
    // Sum, count and quotient are each rounded to T.
    float sums[tile], divisors[tile];
    if constexpr (std::same_as<Acc, T>) {
      widen_all<T>(accumulators, reinterpret_cast<std::byte*>(sums), count);
    } else {
      std::memcpy(sums, accumulators, static_cast<std::size_t>(count) * sizeof(float));
      round_all<T>(sums, count);
    }
    for (std::int64_t i = 0; i < count; ++i) divisors[i] = static_cast<float>(counts[i]);
    round_all<T>(divisors, count);
    for (std::int64_t i = 0; i < count; ++i) sums[i] /= divisors[i];
    narrow_all<T>(reinterpret_cast<const std::byte*>(sums), results, count);
  } else {
    static_assert(std::same_as<Acc, T>);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = i * static_cast<std::int64_t>(sizeof(T));
      const T value = load<T>(accumulators + at);
      if constexpr (finish == FoldFinish::mean) {
        store(results + at, mean_of(value, counts[i]));
      } else {
        store(results + at, value);
      }
    }
  }
}

// out[i] = results[i] where counts[i] > 0. Flags have the size of an element, so that the loop compiles to masked vector stores.
template <class T, class Count>
void write_counted(std::byte* __restrict out, std::int64_t out_stride, const T* results, const Count* counts, std::int64_t count) {
  if constexpr (sizeof(T) <= sizeof(Count)) {
    if (out_stride == sizeof(T)) {
      using Flag = unsigned_t<sizeof(T)>;
      Flag flags[tile];
      for (std::int64_t i = 0; i < count; ++i) flags[i] = counts[i] != 0;
      for (std::int64_t i = 0; i < count; ++i) {
        if (flags[i] != 0) store(out + i * static_cast<std::int64_t>(sizeof(T)), results[i]);
      }
      return;
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (counts[i] != 0) store(out + i * out_stride, results[i]);
  }
}

// out[i] = finish(accumulators[i], counts[i]) where counts[i] > 0. Computes a tile of all results, then writes the counted ones.
template <class T, class Acc, class Count, FoldFinish finish>
void finish_elements(const FinishBlock& b) {
  Acc accumulators[tile];
  Count counts[tile], divisors[tile];
  T results[tile];
  const std::int64_t stride = b.stride, out_stride = b.out_stride;
  const auto self = static_cast<Count>(b.self);
  for (std::int64_t begin = 0; begin < b.rows; begin += tile) {
    const std::int64_t count = std::min(tile, b.rows - begin);
    const std::byte *const from = b.accumulators + begin * stride, *const counted = b.counts + begin * stride;
    std::byte* const out = b.out + begin * out_stride;
    const auto take = [&](std::int64_t apart) {
      for (std::int64_t i = 0; i < count; ++i) {
        accumulators[i] = load<Acc>(from + i * apart);
        counts[i] = load<Count>(counted + i * apart);
      }
    };
    constexpr std::int64_t pair = sizeof(Acc) + sizeof(Count);
    stride == pair ? take(pair) : take(stride);  // a constant stride vectorizes
    for (std::int64_t i = 0; i < count; ++i) divisors[i] = (counts[i] == 0 ? 1 : counts[i]) + self;
    finish_tile<T, finish, Acc>(reinterpret_cast<const std::byte*>(accumulators), divisors, reinterpret_cast<std::byte*>(results), count);
    write_counted(out, out_stride, results, counts, count);
  }
}

// out[i, j] = finish(accumulators[i, j], counts[i]) where counts[i] > 0
template <class T, class Acc, FoldFinish finish>
void finish_rows(const FinishBlock& b) {
  if (b.width == 1) {
    (b.wide_counts ? &finish_elements<T, Acc, std::uint64_t, finish> : &finish_elements<T, Acc, std::uint32_t, finish>)(b);
    return;
  }
  const std::int64_t width = b.width, out_width_stride = b.out_width_stride;
  std::int64_t counts[tile];
  T results[tile];
  for (std::int64_t i = 0; i < b.rows; ++i) {
    const std::byte* const counted = b.counts + i * b.stride;
    const std::uint64_t updates = b.wide_counts ? load<std::uint64_t>(counted) : load<std::uint32_t>(counted);
    if (updates == 0) continue;
    std::fill_n(counts, std::min(tile, width), static_cast<std::int64_t>(updates) + b.self);
    const std::byte* __restrict const from = b.accumulators + i * b.stride;
    std::byte* __restrict const out = b.out + i * b.out_stride;
    for (std::int64_t begin = 0; begin < width; begin += tile) {
      const std::int64_t length = std::min(tile, width - begin);
      const bool is_dense = out_width_stride == sizeof(T);
      std::byte* const to = out + begin * out_width_stride;
      finish_tile<T, finish, Acc>(from + begin * static_cast<std::int64_t>(sizeof(Acc)), counts,
                                  is_dense ? to : reinterpret_cast<std::byte*>(results), length);
      for (std::int64_t j = 0; !is_dense && j < length; ++j) store(to + j * out_width_stride, results[j]);
    }
  }
}

template <class T, class Acc>
FinishKernel find_finish(FoldFinish finish) {
  if (finish == FoldFinish::keep) return &finish_rows<T, Acc, FoldFinish::keep>;
  if constexpr (!std::same_as<T, bool>) return &finish_rows<T, Acc, FoldFinish::mean>;
  return nullptr;
}

FinishKernel find_finish_kernel(FoldFinish finish, Dtype dtype, Dtype accumulator) {
  FinishKernel kernel = nullptr;
  visit_dtype(Numbers{}, dtype, [&]<class T>(Tag<T>) {
    if (accumulator == dtype) kernel = find_finish<T, T>(finish);
    if constexpr (HalfLike<T>) {
      if (accumulator == Dtype::float32) kernel = find_finish<T, float>(finish);
    }
  });
  return kernel;
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {
namespace {

template <class Op, class T>
void fill_identity(std::byte* to, std::int64_t count) {
  const T identity = Computing<T>::narrow(Op::template identity<computing_t<T>>());
  for (std::int64_t i = 0; i < count; ++i) store(to + i * static_cast<std::int64_t>(sizeof(T)), identity);
}

template <class T, class... Op>
IdentityKernel find_identity(Types<Op...>, Reduction reduction, FoldCompare compare) {
  IdentityKernel kernel = nullptr;
  const auto consider = [&]<class O>(Tag<O>) {
    if constexpr (HasIdentity<O, T>) {
      if (is_reduction<O>(reduction, compare)) kernel = &fill_identity<O, T>;
    }
  };
  (consider(Tag<Op>{}), ...);
  return kernel;
}

}  // namespace

IdentityKernel identity_kernel(Reduction reduction, FoldCompare compare, Dtype dtype) {
  IdentityKernel kernel = nullptr;
  visit_dtype(Numbers{}, dtype, [&]<class T>(Tag<T>) { kernel = find_identity<T>(Reductions{}, reduction, compare); });
  return kernel;
}

HWY_EXPORT(find_finish_kernel);

FinishKernel finish_kernel(FoldFinish finish, Dtype dtype, Dtype accumulator) {
  return HWY_DYNAMIC_DISPATCH(find_finish_kernel)(finish, dtype, accumulator);
}

}  // namespace strew::internal
#endif
