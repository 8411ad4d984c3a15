// Neutral elements, means, and the one rounding of a wide accumulator.
#include "kernels/finish.h"

#include "kernels/reductions.h"

namespace strew {
namespace {

template <class Op, class T>
void fill_identity(std::byte* to, std::int64_t count) {
  const T identity = Computing<T>::narrow(Op::template identity<computing_t<T>>());
  for (std::int64_t i = 0; i < count; ++i) store(to + i * static_cast<std::int64_t>(sizeof(T)), identity);
}

template <class T, class... Op>
IdentityKernel find_identity(Types<Op...>, Reduction reduction, Compare compare) {
  IdentityKernel kernel = nullptr;
  const auto consider = [&]<class O>(Tag<O>) {
    if constexpr (Reduces<O, T> && requires { O::template identity<computing_t<T>>(); }) {
      if (is_reduction<O>(reduction, compare)) kernel = &fill_identity<O, T>;
    }
  };
  (consider(Tag<Op>{}), ...);
  return kernel;
}

// Rounds toward minus infinity, as both frameworks with an integer mean do.
template <Integer T>
T mean_of(T sum, std::int64_t count) {
  if constexpr (std::is_signed_v<T>) {
    const std::int64_t wide = sum;
    const std::int64_t quotient = wide / count;
    return static_cast<T>(quotient - (wide % count < 0 ? 1 : 0));
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(sum) / static_cast<std::uint64_t>(count));
  }
}
template <std::floating_point T>
T mean_of(T sum, std::int64_t count) {
  return sum / static_cast<T>(count);
}
// Sum, count and quotient are each rounded to 16 bits.
template <HalfLike T>
T mean_of(T sum, std::int64_t count) {
  const T rounded = Computing<T>::narrow(static_cast<float>(count));
  return Computing<T>::narrow(Computing<T>::widen(sum) / Computing<T>::widen(rounded));
}
// Division by count + 0i. The products with 0 carry infinities and NaN of one part to the other.
template <ComplexLike T>
T mean_of(T sum, std::int64_t count) {
  using R = typename T::value_type;
  const R scale = R(1) / static_cast<R>(count), nothing = R(0);
  return {(sum.real() + sum.imag() * nothing) * scale, (sum.imag() - sum.real() * nothing) * scale};
}

template <class T, class Acc>
T narrowed(Acc value) {
  if constexpr (std::is_same_v<T, Acc>) {
    return value;
  } else {
    return Computing<T>::narrow(value);
  }
}

template <class T, class Acc, Finish finish>
void finish_row(const FinishRow& row) {
  const std::int64_t width = row.width, step = row.out_width_step, count = row.count;
  for (std::int64_t j = 0; j < width; ++j) {
    T value = narrowed<T>(load<Acc>(row.accumulators + j * static_cast<std::int64_t>(sizeof(Acc))));
    if constexpr (finish == Finish::mean) value = mean_of(value, count);
    store(row.out + j * step, value);
  }
}

template <class T, class Acc>
FinishKernel find_finish(Finish finish) {
  if (finish == Finish::keep) return &finish_row<T, Acc, Finish::keep>;
  if constexpr (!std::same_as<T, bool>) return &finish_row<T, Acc, Finish::mean>;
  return nullptr;
}

}  // namespace

IdentityKernel identity_kernel(Reduction reduction, Compare compare, Dtype dtype) {
  IdentityKernel kernel = nullptr;
  visit_dtype(Numbers{}, dtype, [&]<class T>(Tag<T>) { kernel = find_identity<T>(Reductions{}, reduction, compare); });
  return kernel;
}

FinishKernel finish_kernel(Finish finish, Dtype dtype, Dtype accumulator) {
  FinishKernel kernel = nullptr;
  visit_dtype(Numbers{}, dtype, [&]<class T>(Tag<T>) {
    if (accumulator == dtype) kernel = find_finish<T, T>(finish);
    if constexpr (HalfLike<T>) {
      if (accumulator == Dtype::float32) kernel = find_finish<T, float>(finish);
    }
  });
  return kernel;
}

}  // namespace strew
