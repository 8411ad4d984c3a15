// The unwinding of a thread that is cancelled or calls pthread_exit.
#pragma once

#include <cxxabi.h>

#include <exception>

namespace strew::internal {

// A catch (...) that keeps it ends the process, so a handler that rethrows it comes before each.
#ifdef __GLIBCXX__
using ForcedUnwind = abi::__forced_unwind;
#else
struct ForcedUnwind {};  // other libraries end threads without one
#endif

}  // namespace strew::internal
