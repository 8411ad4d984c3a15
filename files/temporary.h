// Temporary files beside the file that they will become: unfinished ones disappear.
#pragma once

#include <string>

#include "mapping.h"

namespace strew::files {

// A new file in a folder, named .strew-<16 hexadecimal digits>.tmp, locked with flock() while its process lives. Its destructor removes it,
// and so does SIGINT, SIGTERM or SIGHUP before it ends the process. At most one exists at a time.
class Temporary {
 public:
  // First removes the files of this name that runs which were killed have left in the folder. Throws a FileError that names `file`.
  Temporary(int folder, unsigned mode, const std::string& file);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  // Renames it, and keeps it from then on. Throws a FileError; an existing file is replaced only if `replace` is set.
  void become(const std::string& name, bool replace);

 private:
  const int folder_;
  const std::string file_;
  std::string name_;
  Descriptor descriptor_;
};

}  // namespace strew::files
