// RunOptions reach the run through every function of every dialect.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "errors/text_of.h"
#include "strew/strew.h"

namespace strew {
namespace {

using Call = std::function<void(const RunOptions&)>;

void drop(const Tensor&) {}

// Every function that runs, by dialect and name, with one call that works; overloads on descriptions stand below.
std::map<std::string, Call> calls() {
  static std::vector<float> memory{1, 2, 3};
  static const std::vector<std::int64_t> indices{2};
  static const std::vector<float> one{5};
  static std::vector<float> gathered(1);
  const TensorRef out = tensor(memory), picked = tensor(gathered);
  const ConstTensorRef x(memory.data(), Dtype::float32, {3}), index = tensor(indices), updates = tensor(one),
                                                              tuple = tensor(indices, {1, 1});
  const auto tensorflow_calls = [=](const std::string& name, auto compute, auto into) {
    return std::map<std::string, Call>{
        {"tensorflow::" + name, [=](const RunOptions& o) { drop(compute(x, tuple, updates, {}, o)); }},
        {"tensorflow::" + name + "_into", [=](const RunOptions& o) { into(out, x, tuple, updates, {}, o); }}};
  };
  namespace tf = tensorflow;
  namespace dml = directml;
  std::map<std::string, Call> all = {
      {"tensorflow::scatter_nd", [=](const RunOptions& o) { drop(tf::scatter_nd(tuple, updates, {3}, {}, o)); }},
      {"tensorflow::scatter_nd_into", [=](const RunOptions& o) { tf::scatter_nd_into(out, tuple, updates, {3}, {}, o); }},
      {"tensorflow::gather_nd", [=](const RunOptions& o) { drop(tf::gather_nd(x, tuple, {}, o)); }},
      {"tensorflow::gather_nd_into", [=](const RunOptions& o) { tf::gather_nd_into(picked, x, tuple, {}, o); }},

      {"pytorch::scatter", [=](const RunOptions& o) { drop(pytorch::scatter(x, 0, index, updates, {}, o)); }},
      {"pytorch::scatter_into", [=](const RunOptions& o) { pytorch::scatter_into(out, x, 0, index, updates, {}, o); }},
      {"pytorch::scatter_", [=](const RunOptions& o) { pytorch::scatter_(out, 0, index, 1.5, "add", o); }},
      {"pytorch::scatter_add", [=](const RunOptions& o) { drop(pytorch::scatter_add(x, 0, index, updates, o)); }},
      {"pytorch::scatter_add_into", [=](const RunOptions& o) { pytorch::scatter_add_into(out, x, 0, index, updates, o); }},
      {"pytorch::scatter_add_", [=](const RunOptions& o) { pytorch::scatter_add_(out, 0, index, updates, o); }},
      {"pytorch::scatter_reduce", [=](const RunOptions& o) { drop(pytorch::scatter_reduce(x, 0, index, updates, "sum", true, o)); }},
      {"pytorch::scatter_reduce_into",
       [=](const RunOptions& o) { pytorch::scatter_reduce_into(out, x, 0, index, updates, "sum", true, o); }},
      {"pytorch::scatter_reduce_", [=](const RunOptions& o) { pytorch::scatter_reduce_(out, 0, index, updates, "sum", true, o); }},
      {"pytorch::index_add", [=](const RunOptions& o) { drop(pytorch::index_add(x, 0, index, updates, 2, o)); }},
      {"pytorch::index_add_into", [=](const RunOptions& o) { pytorch::index_add_into(out, x, 0, index, updates, 2, o); }},
      {"pytorch::index_add_", [=](const RunOptions& o) { pytorch::index_add_(out, 0, index, updates, 2, o); }},
      {"pytorch::index_copy", [=](const RunOptions& o) { drop(pytorch::index_copy(x, 0, index, updates, o)); }},
      {"pytorch::index_copy_into", [=](const RunOptions& o) { pytorch::index_copy_into(out, x, 0, index, updates, o); }},
      {"pytorch::index_copy_", [=](const RunOptions& o) { pytorch::index_copy_(out, 0, index, updates, o); }},
      {"pytorch::gather", [=](const RunOptions& o) { drop(pytorch::gather(x, 0, index, o)); }},
      {"pytorch::gather_into", [=](const RunOptions& o) { pytorch::gather_into(picked, x, 0, index, o); }},

      {"paddle::scatter_nd_add", [=](const RunOptions& o) { drop(paddle::scatter_nd_add(x, tuple, updates, o)); }},
      {"paddle::scatter_nd_add_into", [=](const RunOptions& o) { paddle::scatter_nd_add_into(out, x, tuple, updates, o); }},
      {"paddle::scatter", [=](const RunOptions& o) { drop(paddle::scatter(x, index, updates, true, o)); }},
      {"paddle::scatter_into", [=](const RunOptions& o) { paddle::scatter_into(out, x, index, updates, true, o); }},
      {"paddle::scatter_", [=](const RunOptions& o) { paddle::scatter_(out, index, updates, true, o); }},
      {"paddle::scatter_nd", [=](const RunOptions& o) { drop(paddle::scatter_nd(tuple, updates, {3}, o)); }},
      {"paddle::scatter_nd_into", [=](const RunOptions& o) { paddle::scatter_nd_into(out, tuple, updates, {3}, o); }},
      {"paddle::put_along_axis", [=](const RunOptions& o) { drop(paddle::put_along_axis(x, index, updates, 0, {}, o)); }},
      {"paddle::put_along_axis_into", [=](const RunOptions& o) { paddle::put_along_axis_into(out, x, index, updates, 0, {}, o); }},
      {"paddle::put_along_axis_", [=](const RunOptions& o) { paddle::put_along_axis_(out, index, updates, 0, {}, o); }},
      {"paddle::index_add", [=](const RunOptions& o) { drop(paddle::index_add(x, index, 0, updates, o)); }},
      {"paddle::index_add_into", [=](const RunOptions& o) { paddle::index_add_into(out, x, index, 0, updates, o); }},
      {"paddle::index_add_", [=](const RunOptions& o) { paddle::index_add_(out, index, 0, updates, o); }},
      {"paddle::gather_nd", [=](const RunOptions& o) { drop(paddle::gather_nd(x, tuple, o)); }},
      {"paddle::gather_nd_into", [=](const RunOptions& o) { paddle::gather_nd_into(picked, x, tuple, o); }},

      {"onnx::scatter_elements", [=](const RunOptions& o) { drop(onnx::scatter_elements(x, index, updates, {}, o)); }},
      {"onnx::scatter_elements_into", [=](const RunOptions& o) { onnx::scatter_elements_into(out, x, index, updates, {}, o); }},
      {"onnx::scatter_nd", [=](const RunOptions& o) { drop(onnx::scatter_nd(x, tuple, updates, {}, o)); }},
      {"onnx::scatter_nd_into", [=](const RunOptions& o) { onnx::scatter_nd_into(out, x, tuple, updates, {}, o); }},
      {"onnx::scatter", [=](const RunOptions& o) { drop(onnx::scatter(x, index, updates, {}, o)); }},
      {"onnx::scatter_into", [=](const RunOptions& o) { onnx::scatter_into(out, x, index, updates, {}, o); }},
      {"onnx::gather_elements", [=](const RunOptions& o) { drop(onnx::gather_elements(x, index, {}, o)); }},
      {"onnx::gather_elements_into", [=](const RunOptions& o) { onnx::gather_elements_into(picked, x, index, {}, o); }},
      {"onnx::gather_nd", [=](const RunOptions& o) { drop(onnx::gather_nd(x, tuple, {}, o)); }},
      {"onnx::gather_nd_into", [=](const RunOptions& o) { onnx::gather_nd_into(picked, x, tuple, {}, o); }},

      {"directml::scatter_nd", [=](const RunOptions& o) { drop(dml::scatter_nd(x, tuple, updates, {}, o)); }},
      {"directml::scatter", [=](const RunOptions& o) { drop(dml::scatter(x, index, updates, {}, o)); }},
      {"directml::gather_elements", [=](const RunOptions& o) { drop(dml::gather_elements(x, index, {}, o)); }},
      {"directml::gather_nd", [=](const RunOptions& o) { drop(dml::gather_nd(x, tuple, {}, o)); }},
      {"directml::gather_elements_into", [=](const RunOptions& o) { dml::gather_elements_into(picked, x, index, {}, o); }},
      {"directml::gather_nd_into", [=](const RunOptions& o) { dml::gather_nd_into(picked, x, tuple, {}, o); }},
      // Its outputs may not be inputs.
      {"directml::scatter_nd_into",
       [=](const RunOptions& o) {
         dml::scatter_nd_into(out, Tensor({1.f, 2.f, 3.f}, {3}), tuple, updates, {}, o);
       }},
      {"directml::scatter_into",
       [=](const RunOptions& o) {
         dml::scatter_into(out, Tensor({1.f, 2.f, 3.f}, {3}), index, updates, {}, o);
       }},

      {"numpy::add_at", [=](const RunOptions& o) { numpy::add_at(out, {index}, 1, o); }},
      {"numpy::subtract_at", [=](const RunOptions& o) { numpy::subtract_at(out, {index}, 1, o); }},
      {"numpy::multiply_at", [=](const RunOptions& o) { numpy::multiply_at(out, {index}, 1, o); }},
      {"numpy::minimum_at", [=](const RunOptions& o) { numpy::minimum_at(out, {index}, 1, o); }},
      {"numpy::maximum_at", [=](const RunOptions& o) { numpy::maximum_at(out, {index}, 1, o); }},
      {"numpy::put_along_axis", [=](const RunOptions& o) { numpy::put_along_axis(out, index, 1, 0, o); }},

      {"strew::scatter", [=](const RunOptions& o) { scatter(out, index, 1, o); }},
      {"strew::scatter_add", [=](const RunOptions& o) { scatter_add(out, index, 1, o); }},
      {"strew::scatter_sub", [=](const RunOptions& o) { scatter_sub(out, index, 1, o); }},
      {"strew::scatter_mul", [=](const RunOptions& o) { scatter_mul(out, index, 1, o); }},
      {"strew::scatter_min", [=](const RunOptions& o) { scatter_min(out, index, 1, o); }},
      {"strew::scatter_max", [=](const RunOptions& o) { scatter_max(out, index, 1, o); }},
      {"strew::scatter_mean", [=](const RunOptions& o) { scatter_mean(out, index, 1, o); }},
      {"strew::gather", [=](const RunOptions& o) { drop(gather(x, index, o)); }},
      {"strew::gather_into", [=](const RunOptions& o) { gather_into(picked, x, index, o); }},
  };
  all.merge(tensorflow_calls("tensor_scatter_nd_update", &tf::tensor_scatter_nd_update, &tf::tensor_scatter_nd_update_into));
  all.merge(tensorflow_calls("tensor_scatter_nd_add", &tf::tensor_scatter_nd_add, &tf::tensor_scatter_nd_add_into));
  all.merge(tensorflow_calls("tensor_scatter_nd_sub", &tf::tensor_scatter_nd_sub, &tf::tensor_scatter_nd_sub_into));
  all.merge(tensorflow_calls("tensor_scatter_nd_min", &tf::tensor_scatter_nd_min, &tf::tensor_scatter_nd_min_into));
  all.merge(tensorflow_calls("tensor_scatter_nd_max", &tf::tensor_scatter_nd_max, &tf::tensor_scatter_nd_max_into));
  return all;
}

void expect_arrival(const std::string& name, const Call& call) {
  EXPECT_EQ(text_of([&] { call({}); }), "no error") << name;
  const std::string text = text_of([&] { call({.strategy = "no such"}); });
  EXPECT_NE(text.find("there is no strategy \"no such\""), std::string::npos) << name << ": " << text;
}

TEST(Options, ReachTheRunThroughEveryFunction) {
  for (const auto& [name, call] : calls()) expect_arrival(name, call);
}

// The functions that the headers declare as running, by dialect and name.
TEST(Options, EveryFunctionIsAsked) {
  std::set<std::string> declared, asked;
  const std::regex function(R"(\n(?:\[\[nodiscard\]\] )?inline (?:void|Tensor) (\w+)\()");
  for (const auto& file : std::filesystem::directory_iterator(STREW_TESTS_DIR "/../include/strew/dialects")) {
    std::ifstream stream(file.path());
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    for (std::sregex_iterator at(text.begin(), text.end(), function), end; at != end; ++at)
      declared.insert(file.path().stem().string() + "::" + (*at)[1].str());
  }
  for (const auto& [name, call] : calls()) asked.insert(name);
  EXPECT_GT(declared.size(), 70u);
  EXPECT_EQ(declared, asked);
}

// DirectML on descriptions.
TEST(Options, ReachTheRunThroughDescriptions) {
  using namespace directml;
  std::vector<float> input{1, 2, 3}, updates{5}, output(3), picked(1);
  std::vector<std::int64_t> indices{2};
  const UINT whole[] = {1, 3}, few[] = {1, 1};
  const auto buffer = [](DML_TENSOR_DATA_TYPE type, const UINT* sizes, UINT64 bytes) {
    return DML_BUFFER_TENSOR_DESC{type, DML_TENSOR_FLAG_NONE, 2, sizes, nullptr, bytes, 0};
  };
  const DML_BUFFER_TENSOR_DESC data_buffer = buffer(DML_TENSOR_DATA_TYPE_FLOAT32, whole, 12),
                               one_buffer = buffer(DML_TENSOR_DATA_TYPE_FLOAT32, few, 4),
                               index_buffer = buffer(DML_TENSOR_DATA_TYPE_INT64, few, 8);
  const DML_TENSOR_DESC data{DML_TENSOR_TYPE_BUFFER, &data_buffer}, one{DML_TENSOR_TYPE_BUFFER, &one_buffer},
      index{DML_TENSOR_TYPE_BUFFER, &index_buffer};
  const ScatterBuffers scattering{std::as_bytes(std::span(input)), std::as_bytes(std::span(indices)), std::as_bytes(std::span(updates)),
                                  std::as_writable_bytes(std::span(output))};
  const GatherBuffers gathering{std::as_bytes(std::span(input)), std::as_bytes(std::span(indices)),
                                std::as_writable_bytes(std::span(picked))};
  const DML_SCATTER_ND_OPERATOR_DESC scatter_nd_desc{&data, &index, &one, &data, 1, 2};
  const DML_SCATTER_OPERATOR_DESC scatter_desc{&data, &index, &one, &data, 1};
  const DML_GATHER_ELEMENTS_OPERATOR_DESC elements_desc{&data, &index, &one, 1};
  const DML_GATHER_ND_OPERATOR_DESC gather_nd_desc{&data, &index, &one, 1, 2};
  const DML_GATHER_ND1_OPERATOR_DESC gather_nd1_desc{&data, &index, &one, 1, 2, 0};
  expect_arrival("scatter_nd", [&](const RunOptions& o) { directml::scatter_nd(scatter_nd_desc, scattering, {}, o); });
  expect_arrival("scatter", [&](const RunOptions& o) { directml::scatter(scatter_desc, scattering, {}, o); });
  expect_arrival("gather_elements", [&](const RunOptions& o) { directml::gather_elements(elements_desc, gathering, {}, o); });
  expect_arrival("gather_nd", [&](const RunOptions& o) { directml::gather_nd(gather_nd_desc, gathering, {}, o); });
  expect_arrival("gather_nd1", [&](const RunOptions& o) { directml::gather_nd(gather_nd1_desc, gathering, {}, o); });
}

}  // namespace
}  // namespace strew
