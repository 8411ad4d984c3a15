// Error messages that several operators share.
#include "dialects/check.h"

#include "core/core.h"

namespace strew::internal {

void Check::fail(ErrorCode code, std::string_view sentence) const { throw Error(code, cat(op_, ": ", sentence)); }

// The core has the messages. It validates data pointers later, for the views made of this tensor.
void Check::require_view(const char* argument, const ConstTensorRef& tensor) const { check_view(op_, argument, tensor, false); }

void Check::refuse_dtype(std::string_view argument, const ConstTensorRef& tensor, DtypeSet allowed) const {
  fail(ErrorCode::dtype, cat(argument, " must be ", choice_of(allowed), ", got ", to_string(tensor.dtype)));
}

const Check::OutputWords Check::plain_output_words{
    [](Dtype expected, Dtype got) { return cat("out must be ", to_string(expected), ", got ", to_string(got)); },
    [](const Dims& expected, const Dims& got) { return cat("out must have shape ", bracketed(expected), ", got ", bracketed(got)); },
};

void Check::refuse_output(const TensorRef& out, Dtype dtype, const Dims& shape, const OutputWords& words) const {
  if (out.dtype != dtype) fail(ErrorCode::dtype, words.dtype(dtype, out.dtype));
  fail(ErrorCode::shape, words.shape(shape, out.shape));
}

void Check::same_dtype(std::string_view a, const ConstTensorRef& first, std::string_view b, const ConstTensorRef& second) const {
  if (first.dtype != second.dtype)
    fail(ErrorCode::dtype, cat(a, " and ", b, " must have the same dtype, got ", to_string(first.dtype), " and ", to_string(second.dtype)));
}

std::string choice_of(DtypeSet set) {
  std::string names;
  std::size_t count = 0;
  for (const DtypeInfo& row : dtypes) {
    if (set.has(row.dtype)) append(names, cat(count++ == 0 ? "" : ", ", row.name));
  }
  return count > 1 ? cat("one of ", names) : names;
}

}  // namespace strew::internal
