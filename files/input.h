// An array in a .npy file, or in a member of a .npz file, as a view.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mapping.h"
#include "progress.h"
#include "strew/tensor.h"

namespace strew::files {

// A view of the array in the bytes of a file. Numbers in native byte order are viewed where they are; text, numbers in the other byte order
// and compressed members are converted into memory of their own. Throws a FileError.
class Array {
 public:
  Array(std::span<const std::byte> bytes, std::string_view member, const std::string& file, Progress& progress);
  [[nodiscard]] const ConstTensorRef& view() const { return view_; }
  // Whether the elements are in the file, not in memory of their own.
  [[nodiscard]] bool is_in_file() const { return own_.size() == 0; }

 private:
  Tensor own_{Dtype::uint8, Dims{0}};
  ConstTensorRef view_;
};

// An array in a file that is mapped.
class Input {
 public:
  // The name of a file, or FILE.npz:MEMBER. Throws a FileError.
  Input(const std::string& name, Progress& progress);
  [[nodiscard]] const ConstTensorRef& view() const { return array_.view(); }
  // Throws a FileError if a part of the file was lost while it was mapped.
  void require_intact() const { mapping_.require_intact(); }

 private:
  struct Name {
    std::string file, member;
  };
  static Name split(const std::string& name);
  Input(const Name& name, Progress& progress);

  Mapping mapping_;
  Array array_;
};

}  // namespace strew::files
