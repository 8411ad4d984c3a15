// Copies between tensors of any layout, a row at a time.
#include "core/copy.h"

#include <cstring>
#include <string>

#include "base/checked.h"
#include "strategies/blocks.h"

namespace strew {

void collapse(Dims& extents, std::span<Dims* const> steps) {
  if (is_collapsed(extents)) return;
  std::size_t kept = 0;  // dimensions [0, kept) are final but for joins into kept - 1
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    bool joins = kept > 0;
    for (const Dims* step : steps) joins = joins && (*step)[kept - 1] == wrapping_mul((*step)[d], extents[d]);
    if (joins) {
      extents[kept - 1] *= extents[d];
    } else {
      extents[kept++] = extents[d];
    }
    for (Dims* step : steps) (*step)[kept - 1] = (*step)[d];
  }
  extents.truncate(kept);
  for (Dims* step : steps) step->truncate(kept);
}

void apply_elementwise(RowKernel kernel, Dims extents, std::byte* place, Dims place_steps, const std::byte* stream, Dims stream_steps) {
  for (const std::int64_t extent : extents) {
    if (extent == 0) return;
  }
  Dims* const steps[] = {&place_steps, &stream_steps};
  collapse(extents, steps);
  const bool scalar = extents.empty();
  const std::int64_t zero = 0;
  each_run(extents, [&](const Coordinates& at) {
    // Kernels of steps only read the stream.
    std::byte* const from = const_cast<std::byte*>(stream) + dot(at, stream_steps);
    kernel({place + dot(at, place_steps), &zero, from, 0, 1, scalar ? 1 : extents.back(), scalar ? 0 : place_steps.back(),
            scalar ? 0 : stream_steps.back()});
    return true;
  });
}

Dims byte_steps(const Dims& strides, Dtype dtype) {
  Dims steps = strides;
  for (std::int64_t& step : steps) step = wrapping_mul(step, size_of(dtype));
  return steps;
}

void copy(const TensorRef& to, const ConstTensorRef& from) {
  apply_elementwise(step_kernel(Reduction::assign, Compare::keep_out, to.dtype, to.dtype), to.shape, static_cast<std::byte*>(to.data),
                    byte_steps(to.strides, to.dtype), static_cast<const std::byte*>(from.data), byte_steps(from.strides, from.dtype));
}

void fill_zeros(const TensorRef& to) {
  if (to.dtype != Dtype::string && to.strides == dense_strides(to.shape) && to.data != nullptr) {
    std::memset(to.data, 0, static_cast<std::size_t>(element_count(to.shape) * size_of(to.dtype)));
    return;
  }
  static const std::string empty;
  static constexpr std::byte zeros[16] = {};
  const void* const zero = to.dtype == Dtype::string ? static_cast<const void*>(&empty) : zeros;
  copy(to, {zero, to.dtype, to.shape, Dims(to.rank(), 0)});
}

}  // namespace strew
