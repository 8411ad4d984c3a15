// Runs the loops of kernels/strips.h over tensors of one shape and any strides, on several threads.
#pragma once

#include <array>
#include <atomic>
#include <initializer_list>

#include "core/copy.h"
#include "core/core.h"
#include "kernels/strips.h"
#include "strategies/parallel.h"

namespace strew::internal {

// Collapsed dimensions of up to four tensors, and their strides in bytes.
struct Strips {
  Dims extents;
  std::array<Dims, 4> strides;
  std::array<std::byte*, 4> data{};
  std::int64_t count = 0;

  // Tensors of one shape; the first is written.
  Strips(const TensorRef& to, std::initializer_list<ConstTensorRef> from);
  // The strip of at most `most` elements that begins at element `first`.
  [[nodiscard]] Strip strip_at(std::int64_t first, std::int64_t most) const;
};

// Calls use(strip) for strips that cover all elements. The calls may run on several threads and must not throw.
template <class Use>
void each_strip(const Strips& strips, const RunOptions& options, const Use& use) {
  constexpr std::int64_t per_task = 1 << 15;
  Job team;
  team.stream_bytes = 1;
  set_options(team, options);
  parallel(team, (strips.count + per_task - 1) / per_task, [&](std::int64_t task) {
    const std::int64_t end = std::min(strips.count, (task + 1) * per_task);
    for (std::int64_t first = task * per_task; first < end;) {
      const Strip strip = strips.strip_at(first, end - first);
      use(strip);
      first += strip.count;
    }
  });
}

// These write only memory of the call itself, and call cancellation_point() first.
// Applies a kernel; returns whether it found a NaN.
bool apply_strips(StripKernel kernel, const TensorRef& to, std::initializer_list<ConstTensorRef> from, const RunOptions& options);

// to = to * factor
void multiply_by(const TensorRef& to, const Scalar& factor, const RunOptions& options);
// to = from of another type, or of the same
void convert(const TensorRef& to, const ConstTensorRef& from, const RunOptions& options);
[[nodiscard]] Tensor converted(const ConstTensorRef& from, Dtype dtype, const RunOptions& options);

}  // namespace strew::internal
