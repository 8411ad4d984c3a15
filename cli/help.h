// The help of the program and of each command, made from the table.
#pragma once

#include <string>

#include "table.h"

namespace strew::cli {

[[nodiscard]] std::string program_help();
[[nodiscard]] std::string command_help(const Command& command);

// "strew run OPERATOR [NAME=VALUE ...] [-o FILE] [--force]"
[[nodiscard]] std::string synopsis(const Command& command);

}  // namespace strew::cli
