// The formula that gave an element its value, and what an op does in one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strew/op.h"

namespace strew::internal {

// The values that met in one place, as text. Of many updates only the first and the last one are there.
struct Operands {
  std::string base;
  std::vector<std::string> updates;
  std::int64_t count = 0;  // of the updates, those left out included
  std::string result;
};

// A number between signs: in parentheses if it is complex, or negative and after a sign.
[[nodiscard]] std::string operand(std::string_view number, bool is_first);

// For example "max(20, NaN, 7) = NaN".
[[nodiscard]] std::string formula_of(const Fold& fold, Dtype dtype, const Operands& operands);

// For example "Each update is added to the element that its index selects."
[[nodiscard]] std::string summary_of(const Fold& fold, Dtype dtype);

}  // namespace strew::internal
