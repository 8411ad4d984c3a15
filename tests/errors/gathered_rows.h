// A gather made by hand that works: two of three rows.
#pragma once

#include <vector>

#include "strew/strew.h"

namespace strew {

struct GatheredRows {
  std::vector<float> from = std::vector<float>(12);
  std::vector<std::int64_t> index{0, 2};
  std::vector<float> out = std::vector<float>(8, 7);

  [[nodiscard]] GatherOp op() {
    GatherOp op;
    op.where.points = {2};
    op.where.row = {4};
    op.where.axes = {{Axis::column, 0}, {Axis::row, 0}};
    op.where.columns.push_back(tensor(index));
    op.from = tensor(from, {3, 4});
    op.out = tensor(out, {2, 4});
    return op;
  }
};

}  // namespace strew
