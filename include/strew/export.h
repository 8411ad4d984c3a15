// STREW_API marks the symbols that a shared library exports; all others are hidden.
#pragma once

// CMake defines STREW_SHARED for a shared library and for its users, and STREW_EXPORTS while the library itself is compiled.
#if !defined(_WIN32)
#define STREW_API __attribute__((visibility("default")))
#elif defined(STREW_EXPORTS)
#define STREW_API __declspec(dllexport)
#elif defined(STREW_SHARED)
#define STREW_API __declspec(dllimport)
#else
#define STREW_API
#endif
