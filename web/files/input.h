// In the page, the names of files name nothing: this header stands in for files/input.h.
#pragma once

#include <string>

#include "files/error.h"
#include "files/progress.h"
#include "strew/tensor.h"

namespace strew::files {

class Input {
 public:
  Input(const std::string& name, Progress&) { throw FileError("\"" + printable(name) + "\" is no value; write a list such as [1, 2, 3]"); }
  [[nodiscard]] const ConstTensorRef& view() const { return view_; }
  void require_intact() const {}

 private:
  ConstTensorRef view_;
};

}  // namespace strew::files
