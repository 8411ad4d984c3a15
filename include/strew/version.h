// The version of Strew. CMake and the Python package read it from this file.
//
// All public names are in the inline namespace v0, which appears in symbols only: `strew::Tensor` is `strew::v0::Tensor` to the linker.
// Releases before 1.0 share v0 and may break the ABI, so use the headers and the library of the same release. From 1.0 on, a release that
// breaks the ABI raises the number, so that code built against another ABI fails to link.
#pragma once

#define STREW_VERSION_MAJOR 0
#define STREW_VERSION_MINOR 1
#define STREW_VERSION_PATCH 0
