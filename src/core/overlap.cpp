// Whether views share memory, decided from their strides wherever strides decide it.
#include "core/overlap.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "strategies/blocks.h"

namespace strew {
namespace {

struct Dimension {
  std::int64_t size, stride;
};

// Dimensions that move, smallest stride first.
SmallVector<Dimension, 8> by_stride(const View& view) {
  SmallVector<Dimension, 8> dims;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (view.shape[d] > 1) dims.push_back({view.shape[d], std::abs(view.strides[d])});
  }
  std::sort(dims.begin(), dims.end(), [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  return dims;
}

// Every byte of its range belongs to exactly one element.
bool is_dense(const View& view) {
  std::int64_t expected = 1;
  for (const Dimension& dim : by_stride(view)) {
    if (dim.stride != expected) return false;
    expected *= dim.size;
  }
  return true;
}

}  // namespace

bool same_view(const View& a, const View& b) {
  return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

Overlap overlap(const View& a, const View& b) {
  return same_view(a, b) || (is_dense(a) && is_dense(b)) ? Overlap::certain : Overlap::unknown;
}

bool overlaps_itself(const View& view) {
  if (is_empty(view.shape)) return false;
  std::int64_t reach = 0;  // of all dimensions with a smaller stride
  bool nested = true;
  for (const Dimension& dim : by_stride(view)) {
    if (dim.stride == 0) return true;
    nested = nested && dim.stride > reach;
    reach += (dim.size - 1) * dim.stride;
  }
  if (nested) return false;
  // More elements than places: two must share one. So what follows needs no more memory than the view spans.
  if (element_count(view.shape) > reach + 1) return true;

  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(element_count(view.shape)));
  each_run(view.shape, [&](const Coordinates& at) {
    const std::int64_t start = dot(at, view.strides);
    for (std::int64_t i = 0; i < view.shape.back(); ++i) offsets.push_back(start + i * view.strides.back());
    return true;
  });
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

}  // namespace strew
