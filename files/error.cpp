// The error about a file.
#include "error.h"

#include <system_error>

#include "base/text.h"
#include "text.h"

namespace strew::files {
using internal::cat;

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == most) return cat(shown, "...");
    const std::string_view before = text;
    const auto code = take_character(text);
    if (!code) text.remove_prefix(1);
    if (code && !is_control(*code)) shown += before.substr(0, before.size() - text.size());
    else if (code && *code > 0x7f) shown += cat("\\u", hexadecimal(*code));
    else shown += cat("\\x", hexadecimal(static_cast<unsigned char>(before.front())).substr(2));
  }
  return shown;
}

void fail(std::string_view file, std::string_view sentence) { throw FileError(cat(printable(file), ": ", sentence)); }

void fail_system(std::string_view file, std::string_view what, int reason) {
  fail(file, cat(what, " (", std::generic_category().message(reason), ")"));
}

}  // namespace strew::files
