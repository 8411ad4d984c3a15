// Reads indices with the kernels that the strategies use, so that wrapping, clamping and skipping are theirs.
#include "picture/reach.h"

#include <limits>

#include "base/text.h"
#include "kernels/address.h"
#include "picture/elements.h"

namespace strew::internal {

PointTarget reach_of(const Addressing& where, Sizes shape, Sizes point) {
  PointTarget reach;
  reach.at = Dims(shape.size(), 0);
  bool bad = false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Axis axis = where.axes[d];
    if (axis.from == Axis::point) reach.at[d] = axis.at < point.size() ? point[axis.at] : 0;
    if (axis.from != Axis::column) continue;
    const ConstTensorRef& column = where.columns[axis.at];
    const std::byte* const index = element_at(column, point);
    std::int64_t at = 0;
    if (index_kernels(column.dtype, where.negative, where.out_of_range).address({index, 0, 1, shape[d], 1}, &at)) {
      bad = true;
      at = read_index(column.dtype, where.negative, index, shape[d]).value;
      if (at < 0 && column.dtype == Dtype::uint64) at = std::numeric_limits<std::int64_t>::max();
    }
    if (at == skipped && where.out_of_range == OutOfRange::skip) reach.state = PointTarget::left_out;
    reach.clamped =
        reach.clamped || (where.out_of_range == OutOfRange::clamp && !bad && read_index(column.dtype, where.negative, index, shape[d]).bad);
    reach.at[d] = at;
  }
  if (bad) reach.state = PointTarget::outside;
  return reach;
}

std::string index_text(const Addressing& where, Sizes point) {
  std::string text;
  for (const ConstTensorRef& column : where.columns)
    append(text, cat(text.empty() ? "" : ", ", element_text(column.dtype, element_at(column, point), 20)));
  return where.columns.size() > 1 ? cat("[", text, "]") : text;
}

}  // namespace strew::internal
