// The members of a .npz file, which is a ZIP archive. Nothing in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace strew::files {

// A member of an archive. The name is a view of the archive.
struct Member {
  std::string_view name;
  bool is_deflated = false;  // else stored
  std::uint32_t crc = 0;     // of its contents
  std::int64_t size = 0;     // of its contents, in bytes
  std::span<const std::byte> stored;  // its bytes in the archive
};

// Whether these bytes begin like a ZIP archive.
[[nodiscard]] bool is_zip(std::span<const std::byte> start);

// Finds the array of that name, with or without ".npy"; without a name, the only member. Throws a FileError if the archive is damaged, if
// there is no such member or more than one, or if it is encrypted, compressed by another method than deflate, or part of a split archive.
[[nodiscard]] Member find_member(std::span<const std::byte> archive, std::string_view name, std::string_view file);

}  // namespace strew::files
