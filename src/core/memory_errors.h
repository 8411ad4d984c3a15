// What is thrown where there is no memory becomes an Error that names the operator.
#pragma once

#include <new>
#include <stdexcept>

#include "base/text.h"
#include "strew/error.h"

namespace strew::internal {

// Calls `call`. `lacking` says for what there was no memory where the exception does not, `ending` closes the sentence. A
// std::length_error is a container that no memory could hold.
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
