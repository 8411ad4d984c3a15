// PyTorch's scatter family, as PyTorch 2.13 computes it on a CPU.
//
// Updates apply in row-major order of the index; without a reduction the last one wins, where PyTorch leaves it open.
// Negative indices are out of range. 16-bit floats are summed in float32 and rounded once (index_add: see
// docs/semantics.md). amax and amin let a NaN through from either side. An empty index leaves the tensor as it is.
// A source may be larger than the index: its leading part is used.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::pytorch {

namespace describe {

// `reduce`: "" (replace), "add" or "multiply". `src` is a tensor or a number.
[[nodiscard]] STREW_API ScatterOp scatter(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                          const Source& src, std::string_view reduce = {});
[[nodiscard]] STREW_API ScatterOp scatter_add(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                              const ConstTensorRef& index, const ConstTensorRef& src);
// `reduce`: "sum", "prod", "mean", "amax" or "amin". Without `include_self` touched elements start from the neutral
// element instead of their own value.
[[nodiscard]] STREW_API ScatterOp scatter_reduce(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                                 const ConstTensorRef& index, const ConstTensorRef& src, std::string_view reduce,
                                                 bool include_self = true);
[[nodiscard]] STREW_API ScatterOp index_add(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                            const ConstTensorRef& index, const ConstTensorRef& source,
                                            const Number& alpha = std::int64_t{1});
[[nodiscard]] STREW_API ScatterOp index_copy(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                             const ConstTensorRef& index, const ConstTensorRef& source);
[[nodiscard]] STREW_API GatherOp gather(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index);

}  // namespace describe

// Functional, into the caller's memory, and with a trailing underscore in place.

[[nodiscard]] inline Tensor scatter(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index, const Source& src,
                                    std::string_view reduce = {}) {
  return compute(describe::scatter({}, input, dim, index, src, reduce));
}
inline void scatter_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                         const Source& src, std::string_view reduce = {}) {
  run(describe::scatter(out, input, dim, index, src, reduce));
}
inline void scatter_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const Source& src,
                     std::string_view reduce = {}) {
  run(describe::scatter(input, input, dim, index, src, reduce));
}
[[nodiscard]] inline Tensor scatter_add(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                        const ConstTensorRef& src) {
  return compute(describe::scatter_add({}, input, dim, index, src));
}
inline void scatter_add_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                             const ConstTensorRef& src) {
  run(describe::scatter_add(out, input, dim, index, src));
}
inline void scatter_add_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& src) {
  run(describe::scatter_add(input, input, dim, index, src));
}
[[nodiscard]] inline Tensor scatter_reduce(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                           const ConstTensorRef& src, std::string_view reduce, bool include_self = true) {
  return compute(describe::scatter_reduce({}, input, dim, index, src, reduce, include_self));
}
inline void scatter_reduce_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                const ConstTensorRef& src, std::string_view reduce, bool include_self = true) {
  run(describe::scatter_reduce(out, input, dim, index, src, reduce, include_self));
}
inline void scatter_reduce_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& src,
                            std::string_view reduce, bool include_self = true) {
  run(describe::scatter_reduce(input, input, dim, index, src, reduce, include_self));
}
[[nodiscard]] inline Tensor index_add(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                      const ConstTensorRef& source, const Number& alpha = std::int64_t{1}) {
  return compute(describe::index_add({}, input, dim, index, source, alpha));
}
inline void index_add_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                           const ConstTensorRef& source, const Number& alpha = std::int64_t{1}) {
  run(describe::index_add(out, input, dim, index, source, alpha));
}
inline void index_add_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& source,
                       const Number& alpha = std::int64_t{1}) {
  run(describe::index_add(input, input, dim, index, source, alpha));
}
[[nodiscard]] inline Tensor index_copy(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                       const ConstTensorRef& source) {
  return compute(describe::index_copy({}, input, dim, index, source));
}
inline void index_copy_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                            const ConstTensorRef& source) {
  run(describe::index_copy(out, input, dim, index, source));
}
inline void index_copy_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& source) {
  run(describe::index_copy(input, input, dim, index, source));
}
[[nodiscard]] inline Tensor gather(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index) {
  return compute(describe::gather({}, input, dim, index));
}
inline void gather_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index) {
  run(describe::gather(out, input, dim, index));
}

}  // namespace strew::inline v0::pytorch
