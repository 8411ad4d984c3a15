// Which operator of a dialect expresses a reduction in which form, and how it is called.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "compare/forms.h"

namespace strew::internal {

// Whether the old value of an element takes part: always, as the argument `include_self` says, or never.
enum class Self : std::uint8_t { included, as_said, excluded };

struct Entry {
  IndexForm form;
  std::string_view dialect;
  std::string_view op;         // empty: the words are names of operators
  std::string_view attribute;  // the argument that takes the word
  std::array<std::string_view, std::size(compared_reductions)> words;  // by reduction; empty: there is none
  Self self = Self::included;
  std::string_view fixed = {};  // another argument, which must be false
};

// The closest operator first.
[[nodiscard]] std::span<const Entry> vocabulary();

}  // namespace strew::internal
