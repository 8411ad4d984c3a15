// Decompresses a member of an archive, never beyond the requested bytes.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "progress.h"
#include "zip.h"

namespace strew::files {

class Inflater {
 public:
  // Throws a FileError if the member cannot be as large as it claims: deflate shrinks data by a factor of 1032 at most.
  Inflater(const Member& member, std::string_view file);
  ~Inflater();

  // Fills `out` with the next bytes of the contents. Throws a FileError if there are not as many, or if they are damaged.
  void read(std::span<std::byte> out, Progress& progress);
  // After the last byte: throws a FileError unless the contents end here and have the checksum of the member.
  void finish();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

// Throws a FileError unless the bytes have the checksum of the member.
void check_stored(const Member& member, std::string_view file, Progress& progress);

}  // namespace strew::files
