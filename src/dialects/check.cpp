// The sentences that several operators share.
#include "dialects/check.h"

#include <algorithm>

namespace strew {

void Check::fail(ErrorCode code, const std::string& sentence) const { throw Error(code, cat(op_, ": ", sentence)); }

void Check::refuse_view(const ConstTensorRef& tensor) const {
  if (tensor.dtype > Dtype::string) fail(ErrorCode::dtype, cat("there is no dtype ", static_cast<int>(tensor.dtype)));
  if (tensor.rank() > max_rank) fail(ErrorCode::shape, cat("rank must be at most ", max_rank, ", got ", tensor.rank()));
  if (tensor.strides.size() != tensor.rank()) {
    fail(ErrorCode::shape,
         cat("strides must have one entry per dimension, got ", tensor.strides.size(), " for shape ", bracketed(tensor.shape)));
  }
  fail(ErrorCode::shape, cat("sizes must be >= 0, got shape ", bracketed(tensor.shape)));
}

void Check::refuse_dtype(std::string_view argument, const ConstTensorRef& tensor, DtypeSet allowed) const {
  fail(ErrorCode::dtype, cat(argument, " must be one of ", names_of(allowed), ", got ", name(tensor.dtype)));
}

void Check::refuse_output(const TensorRef& out, Dtype dtype, const Dims& shape) const {
  if (out.dtype != dtype) fail(ErrorCode::dtype, cat("out must be ", name(dtype), ", got ", name(out.dtype)));
  fail(ErrorCode::shape, cat("out must have shape ", bracketed(shape), ", got ", bracketed(out.shape)));
}

void Check::same_dtype(std::string_view a, const ConstTensorRef& first, std::string_view b, const ConstTensorRef& second) const {
  if (first.dtype != second.dtype)
    fail(ErrorCode::dtype, cat(a, " and ", b, " must have the same dtype, got ", name(first.dtype), " and ", name(second.dtype)));
}

std::string names_of(DtypeSet set) {
  std::string names;
  for (const DtypeInfo& row : dtypes) {
    if (set.has(row.dtype)) append(names, cat(names.empty() ? "" : ", ", row.name));
  }
  return names;
}

}  // namespace strew
