// The header of a .npy file: what the array is, and where its elements are. Nothing in it is trusted.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "strew/tensor.h"

namespace strew::files {

// How the elements of a file are encoded, beside their dtype.
enum class Encoding : std::uint8_t {
  native,   // as in memory
  swapped,  // numbers in the other byte order
  bytes,    // text of a fixed number of bytes, padded with zeros: 'S'
  utf32,    // text of a fixed number of code points: 'U'
  utf32_swapped,
};

struct NpyHeader {
  Dtype dtype = Dtype::float32;
  Encoding encoding = Encoding::native;
  bool fortran_order = false;  // the first axis varies fastest
  Dims shape;
  std::int64_t item = 0;    // bytes of one element in the file
  std::int64_t count = 0;   // elements
  std::int64_t offset = 0;  // of the first element from the start of the file
  std::int64_t bytes = 0;   // of all elements
};

// The most bytes that a header may have, with the magic string. NumPy has the same limit for files that are not trusted.
inline constexpr std::int64_t max_npy_header = 12 + 10'000;

// Whether these bytes begin like a .npy file.
[[nodiscard]] bool is_npy(std::span<const std::byte> start);

// Reads a header from the first bytes of a file of `size` bytes; `start` holds the whole file, or at least max_npy_header bytes. Throws a
// FileError unless the header is valid, describes a dtype of Strew, and the file has exactly the bytes that it declares.
[[nodiscard]] NpyHeader parse_npy(std::span<const std::byte> start, std::int64_t size, std::string_view file);

// The header of a row-major array in native byte order, as NumPy writes it. `characters` is the width of text: in bytes if `encoding` is
// `bytes`, else in code points.
[[nodiscard]] std::string npy_header(Dtype dtype, const Dims& shape, Encoding encoding = Encoding::native, std::int64_t characters = 0);

}  // namespace strew::files
