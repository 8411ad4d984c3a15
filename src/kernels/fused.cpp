// One loop for address and step, where writing the offsets down first costs more than the step itself.
#include "kernels/fused.h"

#include "base/checked.h"
#include "kernels/coordinate.h"
#include "kernels/reductions.h"

namespace strew {
namespace {

using Indices = Types<std::int32_t, std::int64_t>;
using Added = Types<float, double, std::int32_t, std::int64_t>;

template <class Op, class T, class I, bool wrap>
bool step_elements(const ElementRun& run) {
  std::byte* const place = run.place;
  const std::byte *index = run.index, *stream = run.stream;
  const std::int64_t extent = run.extent, stride = run.stride, index_step = run.index_step, stream_step = run.stream_step;
  for (std::int64_t left = run.count; left > 0; --left, index += index_step, stream += stream_step) {
    const std::int64_t at = coordinate<I, wrap>(index, extent);
    if (outside(at, extent)) return false;
    std::byte* const target = place + wrapping_mul(at, stride);
    store(target, Op::step(load<T>(target), load<T>(stream)));
  }
  return true;
}

template <class Op, class T>
ElementKernel find_element(Dtype index, Negative negative) {
  ElementKernel kernel = nullptr;
  visit_dtype(Indices{}, index, [&]<class I>(Tag<I>) {
    kernel = negative == Negative::wrap ? &step_elements<Op, T, I, true> : &step_elements<Op, T, I, false>;
  });
  return kernel;
}

}  // namespace

ElementKernel element_kernel(Reduction reduction, Dtype dtype, Dtype index, Negative negative) {
  ElementKernel kernel = nullptr;
  if (reduction == Reduction::add) {
    visit_dtype(Added{}, dtype, [&]<class T>(Tag<T>) { kernel = find_element<Add, T>(index, negative); });
  } else if (reduction == Reduction::assign && dtype != Dtype::string) {
    // Only the size counts.
    if (size_of(dtype) == 4) kernel = find_element<Assign, std::uint32_t>(index, negative);
    if (size_of(dtype) == 8) kernel = find_element<Assign, std::uint64_t>(index, negative);
  }
  return kernel;
}

}  // namespace strew
