// Lists the instruction sets of the kernels, and pins one of them. For tests and diagnostics.
#pragma once

#include <string_view>
#include <vector>

namespace strew::internal {

// Highway's names of the instruction sets that kernels are compiled for and this processor supports, best first.
[[nodiscard]] std::vector<std::string_view> instruction_sets();

// All later calls use this instruction set; an empty name selects the best one again. Returns false, and selects the best one, for an
// unknown name.
bool pin_instruction_set(std::string_view name);

}  // namespace strew::internal
