// One loop for address and step, where writing the offsets down first costs more than the step itself.
#include "kernels/fused.h"

#include "base/checked.h"
#include "kernels/coordinate.h"
#include "kernels/prefetch.h"
#include "kernels/reductions.h"

namespace strew {
namespace {

constexpr std::int64_t steps_ahead = 24;

// Elements that several updates in a row go to: loaded once, stored once.
template <class Op, class T, class I, bool wrap>
bool step_runs(const ElementRun& run) {
  const std::byte *index = run.index, *stream = run.stream;
  const std::int64_t extent = run.extent, index_step = run.index_step, stream_step = run.stream_step;
  for (std::int64_t left = run.count; left > 0;) {
    const I value = load<I>(index);
    const std::int64_t at = coordinate<I, wrap>(index, extent);
    if (outside(at, extent)) return false;
    std::byte* const target = run.place + wrapping_mul(at, run.stride);
    T element = load<T>(target);
    do {
      element = Op::step(element, load<T>(stream));
      index += index_step;
      stream += stream_step;
    } while (--left > 0 && load<I>(index) == value);
    store(target, element);
  }
  return true;
}

template <class Op, class T, class I, bool wrap>
bool step_elements(const ElementRun& run) {
  if (run.has_runs && run.place_step == 0) return step_runs<Op, T, I, wrap>(run);
  std::byte* place = run.place;
  const std::byte *index = run.index, *stream = run.stream;
  const std::int64_t extent = run.extent, stride = run.stride;
  const std::int64_t place_step = run.place_step, index_step = run.index_step, stream_step = run.stream_step;
  const std::int64_t ahead = steps_ahead * index_step, place_ahead = steps_ahead * place_step;
  std::int64_t left = run.count;
  const auto step_one = [&] {
    const std::int64_t at = coordinate<I, wrap>(index, extent);
    if (outside(at, extent)) return false;
    std::byte* const target = place + wrapping_mul(at, stride);
    store(target, Op::step(load<T>(target), load<T>(stream)));
    place += place_step;
    index += index_step;
    stream += stream_step;
    return true;
  };
  if (run.is_far) {
    for (; left > steps_ahead; --left) {
      prefetch(place, wrapping_add(place_ahead, wrapping_mul(coordinate<I, wrap>(index + ahead, extent), stride)));
      if (!step_one()) return false;
    }
  }
  for (; left > 0; --left) {
    if (!step_one()) return false;
  }
  return true;
}

template <class Op, class T>
ElementKernel find_element(Dtype index, Negative negative) {
  ElementKernel kernel = nullptr;
  visit_dtype(CommonIndices{}, index, [&]<class I>(Tag<I>) {
    kernel = negative == Negative::wrap ? &step_elements<Op, T, I, true> : &step_elements<Op, T, I, false>;
  });
  return kernel;
}

template <class T, class... Op>
ElementKernel find_element(Types<Op...>, Reduction reduction, Compare compare, Dtype index, Negative negative) {
  ElementKernel kernel = nullptr;
  ((is_reduction<Op>(reduction, compare) ? void(kernel = find_element<Op, T>(index, negative)) : void()), ...);
  return kernel;
}

}  // namespace

ElementKernel element_kernel(Reduction reduction, Compare compare, Dtype dtype, Dtype index, Negative negative) {
  ElementKernel kernel = nullptr;
  if (reduction == Reduction::assign && dtype != Dtype::string) {
    // Only the size counts.
    if (size_of(dtype) == 4) kernel = find_element<Assign, std::uint32_t>(index, negative);
    if (size_of(dtype) == 8) kernel = find_element<Assign, std::uint64_t>(index, negative);
    return kernel;
  }
  visit_dtype(CommonElements{}, dtype,
              [&]<class T>(Tag<T>) { kernel = find_element<T>(CommonSteps{}, reduction, compare, index, negative); });
  return kernel;
}

}  // namespace strew
