// torch.Tensor.scatter_, PyTorch 2.1.
#include "examples.h"
#include "strew/dialects/pytorch.h"

namespace strew::cli {
namespace {

// self.scatter_(dim, index, src)
Run scatter_(std::int64_t dim) {
  return {"", [dim](Inputs in) {
            Tensor self = in[0].tensor.clone();
            pytorch::scatter_(self, dim, in[1].tensor, in[2].tensor);
            return self;
          }};
}
// self.scatter_(1, index, 1.23, reduce=reduce)
Run scatter_number_(std::string_view reduce) {
  return {"", [reduce](Inputs in) {
            Tensor self = in[0].tensor.clone();
            pytorch::scatter_(self, 1, in[1].tensor, 1.23, reduce);
            return self;
          }};
}

Tensor src() { return longs({2, 5}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10); }

}  // namespace

Document pytorch_document() {
  Document document{"pytorch", "torch.Tensor.scatter_", {}};
  std::vector<Example>& examples = document.examples;
  examples.push_back(
      {.title = "Along dimension 0; src is larger than index",
       .inputs = inputs(Input{"self", Tensor::zeros(Dtype::int64, {3, 5})}, Input{"index", longs({1, 4}, 0, 1, 2, 0)}, Input{"src", src()}),
       .words = "torch.zeros(3, 5, dtype=src.dtype).scatter_(0, index, src)",
       .runs = {scatter_(0)},
       .expected = longs({3, 5}, 1, 0, 0, 4, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0)});
  examples.push_back({.title = "Along dimension 1",
                      .inputs = inputs(Input{"self", Tensor::zeros(Dtype::int64, {3, 5})}, Input{"index", longs({2, 3}, 0, 1, 2, 0, 1, 4)},
                                       Input{"src", src()}),
                      .words = "torch.zeros(3, 5, dtype=src.dtype).scatter_(1, index, src)",
                      .runs = {scatter_(1)},
                      .expected = longs({3, 5}, 1, 2, 3, 0, 0, 6, 7, 0, 0, 8, 0, 0, 0, 0, 0)});
  examples.push_back({.title = "A number, multiplied",
                      .inputs = inputs(Input{"self", filled({2, 4}, 2)}, Input{"index", longs({2, 1}, 2, 3)}),
                      .words = "torch.full((2, 4), 2.).scatter_(1, torch.tensor([[2], [3]]), 1.23, reduce='multiply')",
                      .runs = {scatter_number_("multiply")},
                      .expected = Tensor({2.f, 2.f, 2.46f, 2.f, 2.f, 2.f, 2.f, 2.46f}, {2, 4})});
  examples.push_back({.title = "A number, added",
                      .inputs = inputs(Input{"self", filled({2, 4}, 2)}, Input{"index", longs({2, 1}, 2, 3)}),
                      .words = "torch.full((2, 4), 2.).scatter_(1, torch.tensor([[2], [3]]), 1.23, reduce='add')",
                      .runs = {scatter_number_("add")},
                      .expected = Tensor({2.f, 2.f, 3.23f, 2.f, 2.f, 2.f, 2.f, 3.23f}, {2, 4})});
  return document;
}

}  // namespace strew::cli
