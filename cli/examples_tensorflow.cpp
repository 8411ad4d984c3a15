// tf.tensor_scatter_nd_update, TensorFlow 2.4.
#include "examples.h"
#include "strew/dialects/tensorflow.h"

namespace strew::cli {
namespace {

Tensor update(Inputs in) { return tensorflow::tensor_scatter_nd_update(in[0].tensor, in[1].tensor, in[2].tensor); }

constexpr std::string_view words = "tf.tensor_scatter_nd_update(tensor, indices, updates)";

// [batch_size, time, width, height, channels]
const Dims video{13, 11, 7, 5, 3};

// Zeros, but for the first `clips` clips, of which the first `frames` frames are ones.
Tensor video_with_ones(std::size_t clips, std::size_t frames) {
  Tensor tensor = filled(video, 0);
  const std::span<float> values = tensor.values<float>();
  constexpr std::size_t frame = 7 * 5 * 3, clip = 11 * frame;
  for (std::size_t c = 0; c < clips; ++c) {
    for (std::size_t i = 0; i < frames * frame; ++i) values[c * clip + i] = 1;
  }
  return tensor;
}

}  // namespace

Document tensorflow_document() {
  Document document{"tensorflow",
                    "tf.tensor_scatter_nd_update",
                    {},
                    "under \"Slice updates\" the page swaps inner_shape and outer_shape; its general rule holds."};
  std::vector<Example>& examples = document.examples;
  examples.push_back({.title = "Scalar updates, rank 1",
                      .inputs = inputs(Input{"tensor", Tensor({0, 0, 0, 0, 0, 0, 0, 0}, {8})},
                                       Input{"indices", Tensor({1, 3, 4, 7}, {4, 1})}, Input{"updates", Tensor({9, 10, 11, 12}, {4})}),
                      .words = words,
                      .runs = {{"", update}},
                      .expected = Tensor({0, 9, 0, 10, 11, 0, 0, 12}, {8})});
  examples.push_back({.title = "Scalar updates, rank 2",
                      .inputs = inputs(Input{"tensor", Tensor({1, 1, 1, 1, 1, 1}, {3, 2})}, Input{"indices", Tensor({0, 1, 2, 0}, {2, 2})},
                                       Input{"updates", Tensor({5, 10}, {2})}),
                      .words = words,
                      .runs = {{"", update}},
                      .expected = Tensor({1, 5, 1, 1, 10, 1}, {3, 2})});
  examples.push_back({.title = "Slice updates: rows of a (6, 3) tensor",
                      .inputs = inputs(Input{"tensor", Tensor::zeros(Dtype::int32, {6, 3})}, Input{"indices", Tensor({2, 4}, {2, 1})},
                                       Input{"updates", Tensor({1, 2, 3, 4, 5, 6}, {2, 3})}),
                      .words = words,
                      .runs = {{"", update}},
                      .expected = Tensor({0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0, 0}, {6, 3})});
  examples.push_back({.title = "Slice updates: the first two video clips",
                      .inputs = inputs(Input{"video_batch", filled(video, 0)}, Input{"indices", Tensor({0, 1}, {2, 1})},
                                       Input{"new_clips", filled({2, 11, 7, 5, 3}, 1)}),
                      .words = "tf.tensor_scatter_nd_update(video_batch, indices, new_clips)",
                      .runs = {{"", update}},
                      .expected = video_with_ones(2, 11),
                      .note = "2 clips of 11*7*5*3 ones"});
  examples.push_back({.title = "Slice updates: the first frame of the first three clips",
                      .inputs = inputs(Input{"video_batch", filled(video, 0)}, Input{"indices", Tensor({0, 0, 1, 0, 2, 0}, {3, 2})},
                                       Input{"new_images", filled({3, 7, 5, 3}, 1)}),
                      .words = "tf.tensor_scatter_nd_update(video_batch, indices, new_images)",
                      .runs = {{"", update}},
                      .expected = video_with_ones(3, 1),
                      .note = "3 frames of 7*5*3 ones"});
  examples.push_back({.title = "Folded indices: an X on a (5, 5) matrix",
                      .inputs = inputs(Input{"tensor", filled({5, 5}, 0)},
                                       Input{"indices", Tensor({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 4, 1, 3, 2, 2, 3, 1, 4, 0}, {2, 5, 2})},
                                       Input{"updates", filled({2, 5}, 1)}),
                      .words = words,
                      .runs = {{"", update}},
                      .expected = Tensor({1.f, 0.f, 0.f, 0.f, 1.f,  //
                                          0.f, 1.f, 0.f, 1.f, 0.f,  //
                                          0.f, 0.f, 1.f, 0.f, 0.f,  //
                                          0.f, 1.f, 0.f, 1.f, 0.f,  //
                                          1.f, 0.f, 0.f, 0.f, 1.f},
                                         {5, 5}),
                      .note = "the page writes updates.shape as (5, 2); it is (2, 5)"});
  return document;
}

}  // namespace strew::cli
