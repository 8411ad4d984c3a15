// Loops over tensors of one shape.
#include "gradient/elementwise.h"

#include "base/cancellation.h"

namespace strew::internal {

Strips::Strips(const TensorRef& to, std::initializer_list<ConstTensorRef> from) {
  std::array<Track, 4> tracks;
  std::size_t tensors = 0;
  const auto add = [&](const View& view) {
    data[tensors] = static_cast<std::byte*>(const_cast<void*>(view.data));  // kernels write only the first
    tracks[tensors] = {view.strides.data(), size_of(view.dtype), &strides[tensors]};
    ++tensors;
  };
  add(to);
  for (const ConstTensorRef& view : from) add(view);
  count = join(to.shape, {tracks.data(), tensors}, extents);
}

Strip Strips::strip_at(std::int64_t first, std::int64_t most) const {
  Strip strip{data, {}, 1};
  if (extents.empty()) return strip;
  const std::size_t last = extents.size() - 1;
  strip.count = std::min(most, extents[last] - first % extents[last]);
  for (std::size_t k = 0; k < data.size(); ++k) {
    if (strides[k].empty()) continue;
    std::int64_t rest = first;
    for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) strip.at[k] += rest % extents[d] * strides[k][d];
    strip.stride[k] = strides[k][last];
  }
  return strip;
}

bool apply_strips(StripKernel kernel, const TensorRef& to, std::initializer_list<ConstTensorRef> from, const RunOptions& options) {
  std::atomic<bool> any{false};
  cancellation_point();
  each_strip(Strips(to, from), options, [&](const Strip& strip) {
    if (kernel(strip)) any.store(true, std::memory_order_relaxed);
  });
  return any.load(std::memory_order_relaxed);
}

// The row kernels of the core take two tensors.
static void apply_rows(RowKernel kernel, const TensorRef& to, const ConstTensorRef& from, const RunOptions& options) {
  static constexpr std::int64_t zero = 0;
  cancellation_point();
  each_strip(Strips(to, {from}), options, [kernel](const Strip& strip) {
    kernel({strip.at[0], &zero, strip.at[1], 0, 1, strip.count, strip.stride[0], strip.stride[1]});
  });
}

void multiply_by(const TensorRef& to, const Scalar& factor, const RunOptions& options) {
  apply_rows(step_kernel(Reduction::mul, FoldCompare::keep_out, to.dtype, to.dtype), to,
             {factor.bytes, factor.dtype, to.shape, Dims(to.rank(), 0)}, options);
}

void convert(const TensorRef& to, const ConstTensorRef& from, const RunOptions& options) {
  apply_rows(from.dtype == to.dtype ? step_kernel(Reduction::assign, FoldCompare::keep_out, to.dtype, to.dtype)
                                    : cast_kernel(from.dtype, to.dtype),
             to, from, options);
}

Tensor converted(const ConstTensorRef& from, Dtype dtype, const RunOptions& options) {
  Tensor to(dtype, from.shape);
  convert(to, from, options);
  return to;
}

}  // namespace strew::internal
