// Copies between tensors of any layout, a row at a time.
#include "core/copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/checked.h"
#include "kernels/one_row.h"
#include "strategies/blocks.h"

namespace strew::internal {

std::int64_t join(Sizes shape, std::span<const Track> tracks, Dims& extents) {
  std::array<std::size_t, max_rank> innermost;  // of each collapsed dimension
  std::array<std::int64_t, max_rank> sizes;
  std::size_t left = 0;
  std::int64_t count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t extent = shape[d];
    if (extent == 1) continue;
    count *= extent;
    bool joins = left > 0;
    for (const Track* track = tracks.data(); joins && track != tracks.data() + tracks.size(); ++track) {
      joins = track->strides[innermost[left - 1]] == wrapping_mul(track->strides[d], extent);
    }
    if (joins) {
      sizes[left - 1] *= extent;
    } else {
      sizes[left++] = extent;
    }
    innermost[left - 1] = d;
  }
  for (std::size_t i = 0; i < left; ++i) extents.push_back(sizes[i]);
  for (const Track& track : tracks) {
    std::int64_t* const byte_strides = track.byte_strides->extend(left);
    for (std::size_t i = 0; i < left; ++i) byte_strides[i] = wrapping_mul(track.strides[innermost[i]], track.unit);
  }
  return count;
}

void apply_elementwise(RowKernel kernel, const Dims& extents, std::byte* addressed, const Dims& addressed_strides, const std::byte* stream,
                       const Dims& stream_strides) {
  if (is_empty(extents)) return;
  Dims loops, addressed_loops, stream_loops;
  const Track tracks[] = {{addressed_strides.data(), 1, &addressed_loops}, {stream_strides.data(), 1, &stream_loops}};
  join(extents, tracks, loops);
  const bool scalar = loops.empty();
  each_run(loops, [&](const Coordinates& at) {
    // Step kernels only read the stream.
    std::byte* const from = const_cast<std::byte*>(stream) + dot(at, stream_loops);
    std::byte* const to = addressed + dot(at, addressed_loops);
    kernel(scalar ? one_row(to, 0, from, 0, 1) : one_row(to, addressed_loops.back(), from, stream_loops.back(), loops.back()));
    return true;
  });
}

ConstTensorRef without_repeats(ConstTensorRef view) {
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (view.strides[d] == 0) view.shape[d] = std::min<std::int64_t>(view.shape[d], 1);
  }
  return view;
}

ConstTensorRef with_repeats(const Tensor& elements, const ConstTensorRef& view) {
  ConstTensorRef repeated = elements;
  repeated.shape = view.shape;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (view.strides[d] == 0) repeated.strides[d] = 0;
  }
  return repeated;
}

Dims byte_strides(const Dims& strides, Dtype dtype) {
  Dims bytes = strides;
  for (std::int64_t& stride : bytes) stride = wrapping_mul(stride, size_of(dtype));
  return bytes;
}

void copy(const TensorRef& to, const ConstTensorRef& from) {
  apply_elementwise(step_kernel(Reduction::assign, FoldCompare::keep_out, to.dtype, to.dtype), to.shape, static_cast<std::byte*>(to.data),
                    byte_strides(to.strides, to.dtype), static_cast<const std::byte*>(from.data), byte_strides(from.strides, from.dtype));
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

}  // namespace strew::internal
