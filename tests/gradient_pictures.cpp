// Draws the pictures of docs/gradients.md: gradient_pictures FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "strew/picture.h"
#include "strew/strew.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: gradient_pictures FOLDER\n";
    return 2;
  }
  using namespace strew;
  const Tensor x({3.f, 4.f}, {2}), src({9.f, 5.f, 9.f, 7.f}, {4}), cotangent({6.f, 2.f}, {2});
  const Tensor index(std::initializer_list<std::int64_t>{0, 0, 0, 1}, {4});
  const TensorRef out{nullptr, Dtype::float32, {2}};
  const auto draw = [&](const std::string& name, const ScatterOp& op) {
    std::ofstream(std::filesystem::path(arguments[1]) / name) << picture_of_gradient(op, cotangent);
  };
  draw("gradient_replace.svg", pytorch::describe::scatter(out, x, 0, index, src));
  draw("gradient_add.svg", pytorch::describe::scatter_add(out, x, 0, index, src));
  draw("gradient_max.svg", pytorch::describe::scatter_reduce(out, x, 0, index, src, "amax"));
  return 0;
}
