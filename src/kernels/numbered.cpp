// One loop per common step: computing offsets first would take as long as the steps.
#include "kernels/numbered.h"

#include "kernels/cell.h"

namespace strew::internal {
namespace {

template <class Element>
void step_numbered(const NumberedRun& run) {
  using T = typename Element::Update;
  std::byte* const addressed = run.addressed;
  const std::uint16_t* const numbers = run.numbers;
  const std::byte* const updates = run.updates;
  const std::int64_t count = run.count, stride = run.stride;
  const auto step_all = [&](std::int64_t each) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i)
      Element::step_at(addressed + numbers[i] * each, load<T>(updates + i * static_cast<std::int64_t>(sizeof(T))));
  };
  stride == Element::bytes ? step_all(Element::bytes) : step_all(stride);
}

}  // namespace

NumberedKernel numbered_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted) {
  return find_cell<NumberedKernel>(reduction, compare, dtype, counted,
                                   []<class Element>() -> NumberedKernel { return &step_numbered<Element>; });
}

}  // namespace strew::internal
