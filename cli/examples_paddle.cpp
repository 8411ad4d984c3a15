// paddle.scatter_nd_add.
#include "examples.h"
#include "strew/dialects/paddle.h"

namespace strew::cli {
namespace {

Tensor scatter_nd_add(Inputs in) { return paddle::scatter_nd_add(in[0].tensor, in[1].tensor, in[2].tensor); }

constexpr std::string_view words = "paddle.scatter_nd_add(x, index, updates)";

}  // namespace

Document paddle_document() {
  Document document{
      "paddle", "paddle.scatter_nd_add", {}, "the page says that an index is not negative; Paddle 3.3's kernels count it from the end."};
  std::vector<Example>& examples = document.examples;
  examples.push_back({.title = "Case 1: an index that comes twice",
                      .inputs = inputs(Input{"x", longs({6}, 0, 1, 2, 3, 4, 5)}, Input{"index", longs({4, 1}, 1, 2, 3, 1)},
                                       Input{"updates", longs({4}, 9, 10, 11, 12)}),
                      .words = words,
                      .runs = {{"", scatter_nd_add}},
                      .expected = longs({6}, 0, 22, 12, 14, 4, 5)});
  examples.push_back({.title = "Case 2: index tuples without coordinates name the whole of x",
                      .inputs = inputs(Input{"x", longs({2, 2}, 65, 17, -14, -25)}, Input{"index", Tensor(Dtype::int64, {2, 0})},
                                       Input{"updates", longs({2, 2, 2}, -1, -2, 1, 2, 3, 4, -3, -4)}),
                      .words = words,
                      .runs = {{"", scatter_nd_add}},
                      .expected = longs({2, 2}, 67, 19, -16, -27)});
  return document;
}

}  // namespace strew::cli
