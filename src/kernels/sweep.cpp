// Products of all updates before, and after, each update of a place.
#include "kernels/sweep.h"

#include "kernels/types.h"

namespace strew::internal {
namespace {

// The plain formula for complex numbers, as in kernels/reductions.h.
template <class T>
T product(T a, T b) {
  if constexpr (ComplexLike<T>) return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  else return a * b;
}

template <class T>
T* at(std::byte* base, std::int64_t bytes) {
  return base == nullptr ? nullptr : reinterpret_cast<T*>(base + bytes);
}
template <class T>
const T* at(const std::byte* base, std::int64_t bytes) {
  return base == nullptr ? nullptr : reinterpret_cast<const T*>(base + bytes);
}

template <class T, bool backward>
void sweep(const SweepBlock& b) {
  for (std::int64_t n = 0; n < b.points; ++n) {
    const std::int64_t i = backward ? b.points - 1 - n : n, place = b.places[i];
    if (place < b.low || place >= b.high) continue;
    const std::int64_t offset = place * b.row * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t from = i * b.row * static_cast<std::int64_t>(sizeof(T));
    T *const running = at<T>(b.running, offset), *const running_t = at<T>(b.running_tangent, offset);
    const T *const values = at<T>(b.values, from), *const values_t = at<T>(b.values_tangent, from);
    T *const products = at<T>(b.products, from), *const products_t = at<T>(b.products_tangent, from);
    for (std::int64_t j = b.begin; j < b.end; ++j) {
      const T run = running[j], value = values[j], run_t = running_t == nullptr ? T{} : running_t[j];
      if (products_t != nullptr) products_t[j] = backward ? product(products_t[j], run) + product(products[j], run_t) : run_t;
      if (products != nullptr) products[j] = backward ? product(products[j], run) : run;
      if (running_t != nullptr) running_t[j] = product(run_t, value) + product(run, values_t[j]);
      running[j] = product(run, value);
    }
  }
}

template <bool backward>
SweepKernel find_sweep(Dtype dtype) {
  SweepKernel kernel = nullptr;
  visit_dtype(Types<float, double, std::complex<float>, std::complex<double>>{}, dtype,
              [&]<class T>(Tag<T>) { kernel = &sweep<T, backward>; });
  return kernel;
}

}  // namespace

SweepKernel forward_sweep(Dtype dtype) { return find_sweep<false>(dtype); }
SweepKernel backward_sweep(Dtype dtype) { return find_sweep<true>(dtype); }

}  // namespace strew::internal
