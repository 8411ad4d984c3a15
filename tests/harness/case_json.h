// Cases as lines of JSON, in the format of tests/golden.
#pragma once

#include <string>

#include "harness/case.h"

namespace strew::harness {

// Throws std::runtime_error when the line is not a case.
[[nodiscard]] Case parse_case(const std::string& line);

// The case on one line, with the answer under "answer".
[[nodiscard]] std::string print_case(const Case& c, const Answer* answer = nullptr);

}  // namespace strew::harness
