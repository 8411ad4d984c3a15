// The error about a file.
#include "error.h"

#include <system_error>

#include "base/text.h"

namespace strew::files {
using internal::cat;

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 200;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += cat("\\x", digits[byte >> 4], digits[byte & 15]);
    }
  }
  return text.size() > longest ? cat(shown, "...") : shown;
}

void fail(std::string_view file, std::string_view sentence) { throw FileError(cat(printable(file), ": ", sentence)); }

void fail_system(std::string_view file, std::string_view what, int reason) {
  fail(file, cat(what, " (", std::generic_category().message(reason), ")"));
}

}  // namespace strew::files
