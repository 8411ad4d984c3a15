// The version of Strew. This is its only source: CMake and the Python package read it from here.
//
// All public names live in an inline namespace, which is spelled out in symbols and nowhere else: `strew::Tensor` is `strew::v0::Tensor` to
// the linker. v0 is the ABI of all releases before 1.0, and each of them may change it: use headers and library of one release. From 1.0
// on the number is raised by a release that breaks the ABI, so that code built against another ABI does not link instead of crashing.
#pragma once

#define STREW_VERSION_MAJOR 0
#define STREW_VERSION_MINOR 1
#define STREW_VERSION_PATCH 0
