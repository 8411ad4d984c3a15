// Memory that is a file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "fault.h"

namespace strew::files {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  [[nodiscard]] int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// A mapping of a file from its start.
class Mapping {
 public:
  enum class Access : bool { read, write };
  // Maps the first `size` bytes of an open file. Throws a FileError.
  Mapping(int descriptor, std::size_t size, Access access, const std::string& file);
  // Maps a whole regular file for reading; it may be empty. Throws a FileError if there is none, or if it is a folder, a device or a pipe.
  [[nodiscard]] static Mapping of(const std::string& file);
  ~Mapping();
  Mapping(Mapping&& other) noexcept
      : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})), guard_(std::move(other.guard_)) {}
  Mapping& operator=(Mapping&&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  // Throws a FileError if pages were lost: what was read from them is not what the file held.
  void require_intact() const;

 private:
  std::string file_;
  std::span<std::byte> bytes_;
  std::unique_ptr<GuardedRange> guard_;
};

}  // namespace strew::files
