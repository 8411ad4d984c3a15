// What the page asks the library: text in, JSON out.
#pragma once

#include <string>
#include <string_view>

namespace strew::web {

// All operators with their arguments, defaults, words and dtypes.
[[nodiscard]] std::string registry_json();

// A call: the operator, then NAME=VALUE for each argument as on the command line, separated by the character U+001F. The answer has the
// result or the error, the picture, the explanation and what every dialect says to the same question. Throws nothing but std::bad_alloc.
[[nodiscard]] std::string answer_json(std::string_view request);

}  // namespace strew::web
