// Cuts the middle out of large results.
#include "result.h"

#include <algorithm>

#include "base/text.h"
#include "print.h"

namespace strew::cli {
using namespace internal;
namespace {

constexpr std::int64_t shown_elements = 200;  // the largest result that is printed in full
constexpr std::int64_t edge = 3;              // elements at each end of an axis of a larger one

class Printer {
 public:
  explicit Printer(const Tensor& tensor) : tensor_(tensor), strides_(dense_strides(tensor.shape())), ends_(tensor.shape()) {
    std::int64_t elements = 1;
    for (std::size_t d = ends_.size(); d-- > 0 && tensor.size() > shown_elements;) {
      // Of a tensor of many axes, only the first part along the outer ones.
      ends_[d] = elements > shown_elements ? 0 : edge;
      elements *= std::min(tensor.shape()[d], 2 * edge);
    }
  }

  [[nodiscard]] std::string text(std::size_t axis = 0, std::int64_t first = 0) const {
    const Dims& shape = tensor_.shape();
    if (axis == shape.size()) return element_text(tensor_, first);
    const std::string separator = axis + 1 == shape.size() ? ", " : cat(",\n", std::string(axis + 1, ' '));
    const std::int64_t size = shape[axis], begin = std::max<std::int64_t>(ends_[axis], 1);
    const bool is_cut = size > begin + ends_[axis] && ends_[axis] != size;
    std::string text = "[";
    for (std::int64_t i = 0; i < size; ++i) {
      if (i > 0) text += separator;
      if (is_cut && i == begin) {
        text += "...";
        i = size - ends_[axis] - 1;
        continue;
      }
      text += this->text(axis + 1, first + i * strides_[axis]);
    }
    return text + "]";
  }

 private:
  const Tensor& tensor_;
  Dims strides_;
  Dims ends_;  // how many parts are shown at the end of an axis, and at least one at its beginning; all if it is the size
};

}  // namespace

std::string type_text(Dtype dtype, const Dims& shape) {
  return cat(to_string(dtype), ", shape ", bracketed({shape.begin(), shape.size()}));
}

std::string result_text(const Tensor& tensor) {
  return cat(type_text(tensor.dtype(), tensor.shape()), "\n", tensor.size() == 0 ? "[]" : Printer(tensor).text(), "\n");
}

}  // namespace strew::cli
