// The error about a file: one sentence that begins with the name of the file.
#pragma once

#include <string>
#include <string_view>

#include "strew/error.h"

namespace strew::files {

// A file that cannot be read or written, or whose contents are not what they claim to be.
class FileError : public Error {
 public:
  explicit FileError(const std::string& message) : Error(ErrorCode::argument, message) {}
};

// Text from outside for people: control characters and those that change the direction of text as \xNN or \uNNNN, bytes that are not
// UTF-8 as \xNN, and at most so many characters.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 200);

// Throws a FileError: "<file>: <sentence>".
[[noreturn]] void fail(std::string_view file, std::string_view sentence);
// The same for a system call that failed: "<file>: <what> (<reason>)".
[[noreturn]] void fail_system(std::string_view file, std::string_view what, int reason);

}  // namespace strew::files
