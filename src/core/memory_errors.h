// Turns allocation failures into an Error that names the operator.
#pragma once

#include <new>
#include <stdexcept>

#include "base/text.h"
#include "strew/error.h"

namespace strew::internal {

// Calls `call`. `lacking` names what could not be allocated unless the exception says it, `ending` completes the message. std::length_error
// means that a container would exceed any memory.
template <class Call>
[[gnu::always_inline]] inline auto naming_memory_errors(const char* op, const char* lacking, const char* ending, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::memory) throw;
    throw Error(ErrorCode::memory, cat(op, ": ", error.what(), ending));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, cat(op, ": not enough memory for ", lacking, ending));
  } catch (const std::length_error&) {
    throw Error(ErrorCode::memory, cat(op, ": not enough memory for ", lacking, ending));
  }
}

}  // namespace strew::internal
