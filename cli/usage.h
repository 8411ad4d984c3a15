// The error about a command line.
#pragma once

#include <string>

#include "strew/error.h"

namespace strew::cli {

// What was typed makes no sense. The message is one sentence.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ErrorCode::argument, message) {}
};

}  // namespace strew::cli
