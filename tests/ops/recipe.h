// Hand-made ops from bytes: shapes, strides, addresses, folds and now and then something that cannot be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/choices.h"
#include "strew/op.h"

namespace strew::ops {

// All memory that the tensors of an op lie in. A copy is the same op with other memory.
struct Memory {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::vector<std::string>> texts;
  bool operator==(const Memory& other) const;
};

// A tensor without an address: where it lies in the memory.
struct View {
  Dtype dtype = Dtype::float32;
  Dims shape, strides;
  std::size_t buffer = 0;    // of `bytes`, or of `texts` for strings
  std::int64_t offset = 0;   // in bytes, for strings in elements
  bool null = false;
};

struct Recipe {
  bool gathers = false;
  Addressing where;          // without columns
  std::vector<View> columns;
  View out, updates, base;   // a gather reads `base` and has no updates
  enum class Base : std::uint8_t { in_place, zeros, tensor } begins = Base::in_place;
  std::optional<Scalar> scalar, scale;
  Fold fold;
  bool odd = false;          // something about it was made up: it may be refused
  bool huge = false;         // its sizes are not those of its memory: it must not be run

  [[nodiscard]] ScatterOp scatter(Memory& memory) const;
  [[nodiscard]] GatherOp gather(Memory& memory) const;
};

[[nodiscard]] Recipe make_recipe(harness::Choices& choices, Memory& memory);
[[nodiscard]] std::string print(const Recipe& recipe);

}  // namespace strew::ops
