// Loops over corresponding elements of several tensors.
#include "kernels/strips.h"

#include <algorithm>

#include "kernels/types.h"

namespace strew::internal {
namespace {

using Differentiable = Types<Half, Bfloat16, float, double, std::complex<float>, std::complex<double>>;

template <class T>
bool is_nan(T x) {
  return x != x;
}

// at[0] = compute(at[1], ...) for every element. Dense tensors have a loop of their own, which vectorizes.
template <class To, class... From, class Compute>
[[gnu::always_inline]] inline void each(const Strip& strip, Compute compute) {
  const auto run = [&]<std::size_t... k>(std::index_sequence<k...>, std::int64_t to_stride, auto... stride) {
    std::byte* const to = strip.at[0];
    for (std::int64_t i = 0; i < strip.count; ++i)
      store(to + i * to_stride, static_cast<To>(compute(load<From>(strip.at[k + 1] + i * stride)...)));
  };
  const auto all = std::index_sequence_for<From...>{};
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const bool is_dense = strip.stride[0] == sizeof(To) && ((strip.stride[k + 1] == sizeof(From)) && ...);
    is_dense ? run(all, sizeof(To), static_cast<std::int64_t>(sizeof(From))...) : run(all, strip.stride[0], strip.stride[k + 1]...);
  }(all);
}

template <class T>
using part_t = std::conditional_t<std::same_as<T, std::complex<float>>, float,
                                  std::conditional_t<std::same_as<T, std::complex<double>>, double, computing_t<T>>>;

template <class T, class Count>
bool divide(const Strip& strip) {
  using Part = part_t<T>;
  const auto quotient = [](T a, Count count) -> T {
    const auto divisor = static_cast<Part>(std::max<Count>(count, 1));
    if constexpr (HalfLike<T>) return Computing<T>::narrow(Computing<T>::widen(a) / Computing<T>::widen(Computing<T>::narrow(divisor)));
    else if constexpr (ComplexLike<T>) return T(a.real() / divisor, a.imag() / divisor);
    else return a / divisor;
  };
  each<T, T, Count>(strip, quotient);
  return false;
}

template <class T>
bool same(const Strip& strip) {
  bool nan = false;
  each<std::int32_t, T, T>(strip, [&nan](T x, T y) -> std::int32_t {
    const auto a = Computing<T>::widen(x), b = Computing<T>::widen(y);
    const bool both = is_nan(a) && is_nan(b);
    nan |= is_nan(a) || is_nan(b);
    return a == b || both;
  });
  return nan;
}

template <class T, bool flagged>
bool keep(const Strip& strip) {
  each<T, std::int32_t, T>(strip, [](std::int32_t flag, T a) { return (flag != 0) == flagged ? a : T{}; });
  return false;
}

template <class T>
bool negate(const Strip& strip) {
  Strip in_place = strip;
  in_place.at[2] = strip.at[0];
  in_place.stride[2] = strip.stride[0];
  each<T, std::uint8_t, T>(in_place,
                           [](std::uint8_t flag, T a) -> T { return flag != 0 ? Computing<T>::narrow(-Computing<T>::widen(a)) : a; });
  return false;
}

template <class T>
bool conjugate(const Strip& strip) {
  Strip in_place = strip;
  in_place.at[1] = strip.at[0];
  in_place.stride[1] = strip.stride[0];
  each<T, T>(in_place, [](T a) { return std::conj(a); });
  return false;
}

template <class T>
bool nan_number(const Strip& strip) {
  each<std::int64_t, T, std::int64_t>(strip,
                                      [](T a, std::int64_t number) { return is_nan(Computing<T>::widen(a)) ? number : std::int64_t{0}; });
  return false;
}

template <class T, bool drops_earlier>
bool nan_choice(const Strip& strip) {
  for (std::int64_t i = 0; i < strip.count; ++i) {
    std::byte* const to = strip.at[0] + i * strip.stride[0];
    const auto a = Computing<T>::widen(load<T>(strip.at[1] + i * strip.stride[1]));
    const auto number = load<std::int64_t>(strip.at[2] + i * strip.stride[2]),
               kept_nan = load<std::int64_t>(strip.at[3] + i * strip.stride[3]);
    const bool stays = is_nan(a) ? number == kept_nan : !drops_earlier || number >= kept_nan;
    if (!stays) store(to, std::int32_t{0});
  }
  return false;
}

template <class Make>
StripKernel kernel_for(Dtype dtype, Make make) {
  StripKernel kernel = nullptr;
  visit_dtype(Differentiable{}, dtype, [&]<class T>(Tag<T> tag) { kernel = make(tag); });
  return kernel;
}

template <class I>
bool equal(const Strip& strip) {
  each<std::uint8_t, I, I>(strip, [](I a, I b) -> std::uint8_t { return a == b; });
  return false;
}

// A strip along a row has one number.
template <class T, class I>
bool drop(const Strip& strip) {
  const auto is_last = [&](std::int64_t i) {
    return load<I>(strip.at[1] + i * strip.stride[1]) == load<I>(strip.at[2] + i * strip.stride[2]);
  };
  const bool is_row = strip.stride[1] == 0 && strip.stride[2] == 0;
  if (is_row && is_last(0)) return false;
  for (std::int64_t i = 0; i < strip.count; ++i) {
    if (is_row || !is_last(i)) store(strip.at[0] + i * strip.stride[0], T{});
  }
  return false;
}

template <class I>
void count_from(std::byte* to, std::int64_t first, std::int64_t by, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) store(to + i * static_cast<std::int64_t>(sizeof(I)), static_cast<I>(first + i * by));
}

}  // namespace

StripKernel divide_kernel(Dtype dtype, Dtype counts) {
  return kernel_for(dtype, [counts]<class T>(Tag<T>) -> StripKernel {
    return counts == Dtype::int32 ? &divide<T, std::int32_t> : &divide<T, std::int64_t>;
  });
}
StripKernel same_kernel(Dtype dtype) {
  return kernel_for(dtype, []<class T>(Tag<T>) -> StripKernel { return &same<T>; });
}
StripKernel keep_kernel(Dtype dtype) {
  return kernel_for(dtype, []<class T>(Tag<T>) -> StripKernel { return &keep<T, true>; });
}
StripKernel drop_flagged_kernel(Dtype dtype) {
  return kernel_for(dtype, []<class T>(Tag<T>) -> StripKernel { return &keep<T, false>; });
}
StripKernel negate_kernel(Dtype dtype) {
  return kernel_for(dtype, []<class T>(Tag<T>) -> StripKernel { return &negate<T>; });
}
StripKernel conjugate_kernel(Dtype dtype) {
  return kernel_for(dtype, []<class T>(Tag<T>) -> StripKernel {
    if constexpr (ComplexLike<T>) return &conjugate<T>;
    else return nullptr;
  });
}
StripKernel nan_number_kernel(Dtype dtype) {
  return kernel_for(dtype, []<class T>(Tag<T>) -> StripKernel { return &nan_number<T>; });
}
StripKernel nan_choice_kernel(Dtype dtype, bool drops_earlier) {
  return kernel_for(
      dtype, [drops_earlier]<class T>(Tag<T>) -> StripKernel { return drops_earlier ? &nan_choice<T, true> : &nan_choice<T, false>; });
}

StripKernel equal_kernel(Dtype numbers) { return numbers == Dtype::int32 ? &equal<std::int32_t> : &equal<std::int64_t>; }

StripKernel drop_kernel(std::int64_t bytes, Dtype numbers) {
  const auto find = [numbers]<class T>(T) -> StripKernel {
    return numbers == Dtype::int32 ? &drop<T, std::int32_t> : &drop<T, std::int64_t>;
  };
  switch (bytes) {
    case 2: return find(std::uint16_t());
    case 4: return find(std::uint32_t());
    case 8: return find(std::uint64_t());
    default: return find(std::complex<double>());
  }
}

void count_up(std::byte* to, std::int64_t first, std::int64_t by, std::int64_t count, Dtype numbers) {
  numbers == Dtype::int32 ? count_from<std::int32_t>(to, first, by, count) : count_from<std::int64_t>(to, first, by, count);
}

}  // namespace strew::internal
