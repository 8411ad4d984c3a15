// The examples of the five documents: inputs, the call in the framework's words, and the documented result.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strew/tensor.h"

namespace strew::cli {

struct Input {
  std::string_view name;
  Tensor tensor;
};
using Inputs = std::span<const Input>;

// One way to make the call. The label is shown where there is more than one, as for ONNX opsets.
struct Run {
  std::string_view label;
  std::function<Tensor(Inputs)> call;
};

struct Example {
  std::string_view title;
  std::vector<Input> inputs;
  std::string_view words;  // the call, as the framework writes it
  std::vector<Run> runs;   // each must give the expected result
  Tensor expected;         // typed in from the document
  std::string_view note = {};
};

struct Document {
  std::string_view dialect;
  std::string_view name;
  std::vector<Example> examples;
  std::string_view note = {};  // where the document contradicts itself
};

Document tensorflow_document();
Document pytorch_document();
Document paddle_document();
Document onnx_document();
Document directml_document();

// Prints a document's examples; returns how many are not as documented.
int show(const Document& document);

// Tensors move and do not copy, so a list of inputs cannot be an initializer_list.
template <class... I>
std::vector<Input> inputs(I... input) {
  std::vector<Input> list;
  (list.push_back(std::move(input)), ...);
  return list;
}

// float32, every element the same.
Tensor filled(Dims shape, float value);

// int64, from plain literals.
template <class... V>
Tensor longs(Dims shape, V... values) {
  return Tensor({std::int64_t{values}...}, std::move(shape));
}

}  // namespace strew::cli
