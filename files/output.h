// A file that appears whole or not at all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mapping.h"
#include "progress.h"
#include "strew/tensor.h"
#include "temporary.h"

namespace strew::files {

// An output file. Until commit() its contents are in a temporary file in the same folder; whatever ends the process before that leaves the
// old file, or none, as it was.
class Output {
 public:
  // Throws a FileError if the name is that of a folder, a link, a device or a pipe, or of a file and `replace` is not set.
  Output(const std::string& file, bool replace);

  // Creates the temporary file with this header and room for `bytes` after it, on the disk; returns the room. Call it once.
  [[nodiscard]] std::span<std::byte> allocate(std::string_view header, std::int64_t bytes);
  // Writes everything to the disk and renames the temporary file.
  void commit(Progress& progress);

  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  const std::string file_;
  std::string name_;  // in the folder
  Descriptor folder_;
  const bool replace_;
  std::optional<unsigned> mode_;  // of the file that is replaced
  std::optional<Temporary> temporary_;
  std::optional<Mapping> mapping_;
};

// A .npy file of one array, row-major. Strings cannot be views of a file, so they are written at the end.
class NpyOutput {
 public:
  NpyOutput(const std::string& file, bool replace);
  // The elements to write to, uninitialised. Call it once.
  [[nodiscard]] TensorRef allocate(Dtype dtype, const Dims& shape);
  void commit(Progress& progress);

 private:
  Output output_;
  Tensor strings_;
};

}  // namespace strew::files
