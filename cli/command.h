// The strew command as a function, for its own program and for the Python package.
#pragma once

#include <span>
#include <string>

namespace strew::cli {

// Runs the command with the arguments after its name; prints to stdout and stderr. Returns the exit code: 0 done, 1 the operator refused,
// 2 the command line or a file is wrong. Never throws.
int command(std::span<const std::string> arguments) noexcept;

}  // namespace strew::cli
