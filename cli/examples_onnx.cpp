// ONNX ScatterElements at opsets 11, 13 and 16.
#include "examples.h"
#include "strew/dialects/onnx.h"

namespace strew::cli {
namespace {

Run at_opset(std::string_view label, std::int64_t opset, std::int64_t axis, std::string_view reduction = "none") {
  return {label, [=](Inputs in) {
            return onnx::scatter_elements(in[0].tensor, in[1].tensor, in[2].tensor, {.axis = axis, .reduction = reduction, .opset = opset});
          }};
}
std::vector<Run> at_all_opsets(std::int64_t axis) {
  return {at_opset("opset 11", 11, axis), at_opset("opset 13", 13, axis), at_opset("opset 16", 16, axis)};
}

Tensor one_to_five() { return Tensor({1.f, 2.f, 3.f, 4.f, 5.f}, {1, 5}); }
Tensor two_updates() { return Tensor({1.1f, 2.1f}, {1, 2}); }

}  // namespace

Document onnx_document() {
  Document document{"onnx", "ScatterElements", {}};
  std::vector<Example>& examples = document.examples;
  examples.push_back({.title = "Example 1, scatter_elements_without_axis",
                      .inputs = inputs(Input{"data", filled({3, 3}, 0)}, Input{"indices", longs({2, 3}, 1, 0, 2, 0, 2, 1)},
                                       Input{"updates", Tensor({1.0f, 1.1f, 1.2f, 2.0f, 2.1f, 2.2f}, {2, 3})}),
                      .words = "ScatterElements(data, indices, updates)",
                      .runs = at_all_opsets(0),
                      .expected = Tensor({2.0f, 1.1f, 0.0f, 1.0f, 0.0f, 2.2f, 0.0f, 2.1f, 1.2f}, {3, 3})});
  examples.push_back(
      {.title = "Example 2, scatter_elements_with_axis",
       .inputs = inputs(Input{"data", one_to_five()}, Input{"indices", longs({1, 2}, 1, 3)}, Input{"updates", two_updates()}),
       .words = "ScatterElements(data, indices, updates) <axis = 1>",
       .runs = at_all_opsets(1),
       .expected = Tensor({1.0f, 1.1f, 3.0f, 2.1f, 5.0f}, {1, 5})});
  examples.push_back(
      {.title = "scatter_elements_with_negative_indices",
       .inputs = inputs(Input{"data", one_to_five()}, Input{"indices", longs({1, 2}, 1, -3)}, Input{"updates", two_updates()}),
       .words = "ScatterElements(data, indices, updates) <axis = 1>",
       .runs = at_all_opsets(1),
       .expected = Tensor({1.0f, 1.1f, 2.1f, 4.0f, 5.0f}, {1, 5})});
  examples.push_back(
      {.title = "scatter_elements_with_duplicate_indices",
       .inputs = inputs(Input{"data", one_to_five()}, Input{"indices", longs({1, 2}, 1, 1)}, Input{"updates", two_updates()}),
       .words = "ScatterElements(data, indices, updates) <axis = 1, reduction = \"add\">",
       .runs = {at_opset("", 16, 1, "add")},
       .expected = Tensor({1.0f, 5.2f, 3.0f, 4.0f, 5.0f}, {1, 5}),
       .note = "opset 16, where reduction begins"});
  return document;
}

}  // namespace strew::cli
