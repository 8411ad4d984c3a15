// Makes cases for every operator of the registry: mostly valid ones, about a third with something wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialects/registry.h"
#include "harness/case.h"
#include "harness/choices.h"

namespace strew::harness {
using namespace internal;

// An operator, and whether its in-place form is meant.
struct OperatorForm {
  const Operator* op = nullptr;
  bool in_place = false;
  // "pytorch.scatter_"
  [[nodiscard]] std::string full_name() const;
};

// Every form of every operator, in the registry's order.
[[nodiscard]] std::vector<OperatorForm> operator_forms();

// What a case has much of: nothing; indices, so that hundreds of updates meet in one place; elements in a row, as vector instructions like
// it.
enum class Size : std::uint8_t { small, many, wide };

[[nodiscard]] Case generate_case(const OperatorForm& form, Choices& choices, Size size = Size::small);

// Case number i of a seed.
[[nodiscard]] Case generate_case(const OperatorForm& form, std::uint64_t seed, std::int64_t i);

}  // namespace strew::harness
