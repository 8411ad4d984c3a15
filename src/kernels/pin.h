// Which instruction sets there are, and keeping to one of them: for tests, and for saying what a build can do.
#pragma once

#include <string_view>
#include <vector>

namespace strew::internal {

// Those that kernels were compiled for and this processor has, best first, by Highway's names.
[[nodiscard]] std::vector<std::string_view> instruction_sets();

// Every later call runs on this one; an empty name goes back to the best. False if there is no such one.
bool pin_instruction_set(std::string_view name);

}  // namespace strew::internal
