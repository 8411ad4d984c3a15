// Checks with a framework's own wording: the operator's name, and the messages that several operators share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "core/view.h"
#include "strew/op.h"

namespace strew::internal {

// A tensor with the framework's name for the argument.
struct Named {
  const char* name;
  const ConstTensorRef& tensor;
};

// Whether a tensor's dtype exists, and its rank and strides are valid.
[[nodiscard]] inline bool has_layout(const ConstTensorRef& tensor) {
  return tensor.dtype <= Dtype::string && tensor.rank() <= max_rank && tensor.strides.size() == tensor.rank();
}

class Check {
 public:
  explicit Check(const OpNames& op) : op_(op) {}
  [[nodiscard]] const OpNames& op() const { return op_; }

  [[noreturn]] void fail(ErrorCode code, std::string_view sentence) const;

  // Checks rank, sizes, strides and how far they reach, so that views of any part of the tensor can be made. The core checks the memory of
  // those views.
  void views(std::initializer_list<Named> tensors) const {
    constexpr std::int64_t near = 1 << 24;  // smaller sizes and strides reach less than 2^63 bytes in every rank
    for (const auto& [name, tensor] : tensors) {
      std::int64_t sizes = 0, strides = 0;
      for (const std::int64_t size : tensor.shape) sizes |= size;
      for (const std::int64_t stride : tensor.strides) strides |= stride ^ (stride >> 63);
      if (!has_layout(tensor) || sizes < 0 || (sizes | strides) >= near) require_view(name, tensor);
    }
  }

  void dtype(std::string_view argument, const ConstTensorRef& tensor, DtypeSet allowed) const {
    if (!allowed.has(tensor.dtype)) refuse_dtype(argument, tensor, allowed);
  }
  void same_dtype(std::string_view a, const ConstTensorRef& first, std::string_view b, const ConstTensorRef& second) const;

  // The framework's messages for an output of another dtype or shape.
  struct OutputWords {
    std::string (*dtype)(Dtype expected, Dtype got);
    std::string (*shape)(const Dims& expected, const Dims& got);
  };

  // The output: the caller's, or only its dtype and shape if compute() will allocate it.
  [[nodiscard]] TensorRef output(const TensorRef& out, Dtype dtype, const Dims& shape,
                                 const OutputWords& words = plain_output_words) const {
    if (out.data == nullptr && out.rank() == 0) return {nullptr, dtype, shape};
    if (out.dtype != dtype || !same(out.shape, shape)) refuse_output(out, dtype, shape, words);
    return out;
  }

 private:
  void require_view(const char* argument, const ConstTensorRef& tensor) const;
  [[noreturn, gnu::cold]] void refuse_dtype(std::string_view argument, const ConstTensorRef& tensor, DtypeSet allowed) const;
  [[noreturn, gnu::cold]] void refuse_output(const TensorRef& out, Dtype dtype, const Dims& shape, const OutputWords& words) const;

  static const OutputWords plain_output_words;

  OpNames op_;
};

// "one of int32, int64", or the only one.
[[nodiscard]] std::string choice_of(DtypeSet set);

// The axis, counted from the end if negative; nullopt if it is out of range.
[[nodiscard]] inline std::optional<std::size_t> wrapped_axis(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

// A fold that only steps. A function, because g++ clears the whole op, including inline storage for shapes, if part of its initializer is
// constant.
[[nodiscard]] inline Fold stepping(Reduction step, FoldCompare compare = FoldCompare::keep_out) {
  return {.step = step, .compare = compare};
}

// Whether `out` is `input` itself: the operator runs in place.
[[nodiscard]] inline bool in_place(const TensorRef& out, const ConstTensorRef& input) {
  const bool is_output = out.data != nullptr || out.rank() > 0;
  return is_output && out.data == input.data;
}

// The base: the input, which may be the output itself. Check::output has verified that the output has the input's type and shape.
[[nodiscard]] inline std::variant<InPlace, Zeros, ConstTensorRef> base_of(const TensorRef& out, const ConstTensorRef& input) {
  if (in_place(out, input) && same(out.strides, input.strides)) return InPlace{};
  return input;
}

}  // namespace strew::internal
