// DML_SCATTER_ND_OPERATOR_DESC, filled in as a DirectML program does.
#include <initializer_list>

#include "examples.h"
#include "strew/dialects/directml.h"

namespace strew::cli {
namespace {

using namespace directml;

// A packed buffer of a data type, with the sizes that its description points to.
class Buffer {
 public:
  Buffer(DML_TENSOR_DATA_TYPE type, const Tensor& tensor)
      : sizes_(tensor.shape().begin(), tensor.shape().end()),
        buffer_{type,
                DML_TENSOR_FLAG_NONE,
                static_cast<UINT>(sizes_.size()),
                sizes_.data(),
                nullptr,
                static_cast<UINT64>(tensor.size() * size_of(tensor.dtype())),
                0},
        desc_{DML_TENSOR_TYPE_BUFFER, &buffer_} {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] const DML_TENSOR_DESC* desc() const { return &desc_; }

 private:
  std::vector<UINT> sizes_;
  DML_BUFFER_TENSOR_DESC buffer_;
  DML_TENSOR_DESC desc_;
};

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.data()), static_cast<std::size_t>(tensor.size() * size_of(tensor.dtype()))};
}

Run scatter_nd_desc(UINT input_dimensions, UINT indices_dimensions) {
  return {"", [=](Inputs in) {
            Tensor result(Dtype::float32, in[0].tensor.shape());
            const Buffer input(DML_TENSOR_DATA_TYPE_FLOAT32, in[0].tensor), indices(DML_TENSOR_DATA_TYPE_UINT32, in[1].tensor);
            const Buffer updates(DML_TENSOR_DATA_TYPE_FLOAT32, in[2].tensor), output(DML_TENSOR_DATA_TYPE_FLOAT32, result);
            const DML_SCATTER_ND_OPERATOR_DESC desc{input.desc(),  indices.desc(),   updates.desc(),
                                                    output.desc(), input_dimensions, indices_dimensions};
            const std::span<std::byte> out{static_cast<std::byte*>(result.data()), bytes_of(result).size()};
            directml::scatter_nd(desc, {bytes_of(in[0].tensor), bytes_of(in[1].tensor), bytes_of(in[2].tensor), out});
            return result;
          }};
}

// Zeros, but for the two 6x7 slices that the index tuples (0, 0, 0) and (2, 3, 4) name: the first and the last.
Tensor first_and_last_slice() {
  Tensor tensor = filled({3, 4, 5, 6, 7}, 0);
  const std::span<float> values = tensor.values<float>();
  for (std::size_t i = 0; i < 6 * 7; ++i) values[i] = values[values.size() - 1 - i] = 1;
  return tensor;
}

}  // namespace

Document directml_document() {
  Document document{"directml",
                    "DML_SCATTER_ND_OPERATOR_DESC",
                    {},
                    "the page's formula for UpdatesTensor.Sizes contradicts its own example; the example holds."};
  std::vector<Example>& examples = document.examples;
  examples.push_back({.title = "The example",
                      .inputs = inputs(Input{"InputTensor", Tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}, {1, 8})},
                                       Input{"IndicesTensor", Tensor({4u, 3u, 1u, 7u}, {4, 1})},
                                       Input{"UpdatesTensor", Tensor({9.f, 10.f, 11.f, 12.f}, {1, 4})}),
                      .words = "DML_SCATTER_ND_OPERATOR_DESC{&InputTensor, &IndicesTensor, &UpdatesTensor, &OutputTensor,\n"
                               "    .InputDimensionCount = 1, .IndicesDimensionCount = 2}",
                      .runs = {scatter_nd_desc(1, 2)},
                      .expected = Tensor({1.f, 11.f, 3.f, 10.f, 9.f, 6.f, 7.f, 12.f}, {1, 8}),
                      .note = "one DimensionCount and UINT32 indices, as its constraints demand"});
  examples.push_back({.title = "The sizes of UpdatesTensor: [1, 1,2, 6,7] from [3,4,5, 6,7] and [1,1, 1,2, 3]",
                      .inputs = inputs(Input{"InputTensor", filled({3, 4, 5, 6, 7}, 0)},
                                       Input{"IndicesTensor", Tensor({0u, 0u, 0u, 2u, 3u, 4u}, {1, 1, 1, 2, 3})},
                                       Input{"UpdatesTensor", filled({1, 1, 2, 6, 7}, 1)}),
                      .words = "DML_SCATTER_ND_OPERATOR_DESC{&InputTensor, &IndicesTensor, &UpdatesTensor, &OutputTensor,\n"
                               "    .InputDimensionCount = 5, .IndicesDimensionCount = 3}",
                      .runs = {scatter_nd_desc(5, 3)},
                      .expected = first_and_last_slice(),
                      .note = "2 slices of 6*7 ones; the page gives the sizes, the values are ours"});
  return document;
}

}  // namespace strew::cli
