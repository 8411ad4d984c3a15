// The commands of the command line. Each returns the exit code.
#pragma once

#include <string>

namespace strew::cli {

// The examples of the five documents, then the table of where the dialects disagree.
int demo();

// Operators with arguments, defaults and dtypes; of all dialects if `dialect` is empty.
int list(const std::string& dialect);

// The names of the dialects, for help and errors.
std::string dialect_names();

}  // namespace strew::cli
