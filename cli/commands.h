// The commands of the command line. Each returns the exit code, or throws an Error.
#pragma once

#include <span>
#include <string>

#include "dialects/registry.h"
#include "table.h"

namespace strew::cli {

// The answers of all dialects to one question.
int compare(const Request& request);
int completions(const Request& request);
// The examples of the five documents, then the table of where the dialects disagree.
int demo(const Request& request);
int draw(const Request& request);
int explain(const Request& request);
// Operators with arguments, defaults and dtypes.
int list(const Request& request);
int man(const Request& request);
// Where the page that shows scatters in a browser is.
int page(const Request& request);
int run(const Request& request);

// Prints the candidates for the last of the words after "strew", for the completions of shells. complete_command calls it.
inline constexpr std::string_view complete_command = "__complete";
int complete(std::span<const std::string> words);

// The arguments of compare, for completions.
std::span<const internal::Parameter> compare_parameters();

// The names of the dialects, for help and errors.
std::string dialect_names();

}  // namespace strew::cli
