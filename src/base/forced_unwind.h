// The exception that unwinds a thread which is cancelled or calls pthread_exit.
#pragma once

#include <cxxabi.h>

#include <exception>

namespace strew::internal {

// A catch (...) that swallows it terminates the process, so a handler that rethrows it precedes each one.
#ifdef __GLIBCXX__
using ForcedUnwind = abi::__forced_unwind;
#else
struct ForcedUnwind {};  // other standard libraries do not throw to end a thread
#endif

}  // namespace strew::internal
