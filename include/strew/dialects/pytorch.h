// PyTorch's scatter family, as PyTorch 2.13 computes it on a CPU.
//
// Updates apply in row-major order of the index; without a reduction the last one wins, which PyTorch leaves open. Negative indices are out
// of range; a negative `dim` counts from the end. 16-bit floats are summed in float32 and rounded once (index_add: see docs/semantics.md).
// amax and amin propagate NaN from either side. An empty index changes nothing. A source may be larger than the index: only its leading
// part is used.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0::pytorch {

// The functions in `describe` validate their arguments and return the op, for run(), plan() and explain(). `out` may be empty: compute()
// then allocates it. They throw an Error if a type, shape, dimension or reduction is not allowed; indices are checked when the op runs.
namespace describe {

// Copies `input` and steps a value of `src` per index, which is the coordinate on `dim`. `reduce` is "" (replace), "add" or "multiply";
// `src` is a tensor or a number.
[[nodiscard]] STREW_API ScatterOp scatter(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                          const Source& src, std::string_view reduce = {});
// As scatter, and adds.
[[nodiscard]] STREW_API ScatterOp scatter_add(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                              const ConstTensorRef& index, const ConstTensorRef& src);
// As scatter, and reduces by "sum", "prod", "mean", "amax" or "amin". Without `include_self` the elements that the index addresses start
// from the neutral element instead of their own value.
[[nodiscard]] STREW_API ScatterOp scatter_reduce(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                                 const ConstTensorRef& index, const ConstTensorRef& src, std::string_view reduce,
                                                 bool include_self = true);
// Copies `input` and adds slice i of alpha * source to its slice index[i] on `dim`.
[[nodiscard]] STREW_API ScatterOp index_add(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                            const ConstTensorRef& index, const ConstTensorRef& source,
                                            const Number& alpha = std::int64_t{1});
// As index_add, and replaces.
[[nodiscard]] STREW_API ScatterOp index_copy(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim,
                                             const ConstTensorRef& index, const ConstTensorRef& source);
// Reads an element per index, which is the coordinate on `dim`.
[[nodiscard]] STREW_API GatherOp gather(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index);

}  // namespace describe

// The functions above, run: the plain form returns a new tensor, the form with `_into` writes to `out`, the form with a trailing underscore
// works in place. They throw the Errors of run().

// Returns a copy of `input` in which values of `src` replace, are added to, or multiply the indexed elements.
[[nodiscard]] inline Tensor scatter(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index, const Source& src,
                                    std::string_view reduce = {}, const RunOptions& options = {}) {
  return compute(describe::scatter({}, input, dim, index, src, reduce), options);
}
// The same, written to `out`.
inline void scatter_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                         const Source& src, std::string_view reduce = {}, const RunOptions& options = {}) {
  run(describe::scatter(out, input, dim, index, src, reduce), options);
}
// The same, in place on `input`.
inline void scatter_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const Source& src, std::string_view reduce = {},
                     const RunOptions& options = {}) {
  run(describe::scatter(input, input, dim, index, src, reduce), options);
}
// Returns a copy of `input` in which values of `src` are added to the indexed elements.
[[nodiscard]] inline Tensor scatter_add(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                        const ConstTensorRef& src, const RunOptions& options = {}) {
  return compute(describe::scatter_add({}, input, dim, index, src), options);
}
// The same, written to `out`.
inline void scatter_add_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                             const ConstTensorRef& src, const RunOptions& options = {}) {
  run(describe::scatter_add(out, input, dim, index, src), options);
}
// The same, in place on `input`.
inline void scatter_add_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& src,
                         const RunOptions& options = {}) {
  run(describe::scatter_add(input, input, dim, index, src), options);
}
// Returns a copy of `input` in which each indexed element is reduced with its values of `src`.
[[nodiscard]] inline Tensor scatter_reduce(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                           const ConstTensorRef& src, std::string_view reduce, bool include_self = true,
                                           const RunOptions& options = {}) {
  return compute(describe::scatter_reduce({}, input, dim, index, src, reduce, include_self), options);
}
// The same, written to `out`.
inline void scatter_reduce_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                const ConstTensorRef& src, std::string_view reduce, bool include_self = true,
                                const RunOptions& options = {}) {
  run(describe::scatter_reduce(out, input, dim, index, src, reduce, include_self), options);
}
// The same, in place on `input`.
inline void scatter_reduce_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& src,
                            std::string_view reduce, bool include_self = true, const RunOptions& options = {}) {
  run(describe::scatter_reduce(input, input, dim, index, src, reduce, include_self), options);
}
// Returns a copy of `input` in which the slices of alpha * `source` are added to the indexed slices.
[[nodiscard]] inline Tensor index_add(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                      const ConstTensorRef& source, const Number& alpha = std::int64_t{1}, const RunOptions& options = {}) {
  return compute(describe::index_add({}, input, dim, index, source, alpha), options);
}
// The same, written to `out`.
inline void index_add_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                           const ConstTensorRef& source, const Number& alpha = std::int64_t{1}, const RunOptions& options = {}) {
  run(describe::index_add(out, input, dim, index, source, alpha), options);
}
// The same, in place on `input`.
inline void index_add_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& source,
                       const Number& alpha = std::int64_t{1}, const RunOptions& options = {}) {
  run(describe::index_add(input, input, dim, index, source, alpha), options);
}
// Returns a copy of `input` in which the slices of `source` replace the indexed slices.
[[nodiscard]] inline Tensor index_copy(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                       const ConstTensorRef& source, const RunOptions& options = {}) {
  return compute(describe::index_copy({}, input, dim, index, source), options);
}
// The same, written to `out`.
inline void index_copy_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                            const ConstTensorRef& source, const RunOptions& options = {}) {
  run(describe::index_copy(out, input, dim, index, source), options);
}
// The same, in place on `input`.
inline void index_copy_(const TensorRef& input, std::int64_t dim, const ConstTensorRef& index, const ConstTensorRef& source,
                        const RunOptions& options = {}) {
  run(describe::index_copy(input, input, dim, index, source), options);
}
// Returns the elements of `input` that the index selects on `dim`.
[[nodiscard]] inline Tensor gather(const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                                   const RunOptions& options = {}) {
  return compute(describe::gather({}, input, dim, index), options);
}
// The same, written to `out`.
inline void gather_into(const TensorRef& out, const ConstTensorRef& input, std::int64_t dim, const ConstTensorRef& index,
                        const RunOptions& options = {}) {
  run(describe::gather(out, input, dim, index), options);
}

}  // namespace strew::inline v0::pytorch
