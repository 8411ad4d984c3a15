// What the parts of the core share.
#pragma once

#include "kernels/finish.h"
#include "strategies/strategy.h"
#include "strew/run.h"

namespace strew {

// check(), which may leave out that the output has memory.
void check_form(const ScatterOp& op, bool needs_memory);
void check_form(const GatherOp& op, bool needs_memory);

// 16-bit sums and products that are rounded once are kept in float32 until then.
bool has_wide_accumulator(const Fold& fold, Dtype dtype);
// Whether a fold needs memory of its own for each element while it runs.
bool needs_accumulators(const Fold& fold, Dtype dtype);

// A rank-0 tensor that is addressed by one axis is seen as a vector of one element.
template <class View>
void see_as_addressed(View& view, const Addressing& where) {
  if (view.shape.empty() && where.axes.size() == 1) view.shape = view.strides = Dims{1};
}

// A tensor's layout, without its memory.
struct Layout {
  const Dims& shape;
  const Dims& strides;  // in elements
  std::int64_t element_size;
};
template <class View>
Layout layout(const View& view) {
  return {view.shape, view.strides, size_of(view.dtype)};
}

// The loop nest of an addressing over `place`, with `stream` of shape points ++ row.
void make_walk(Walk& walk, const Addressing& where, const Layout& place, const Layout& stream);

// The strategy for a job: the one asked for, or the first that accepts. `declined` collects why the others did not.
const Strategy& choose(const Job& job, std::string_view asked_for, std::string* declined = nullptr);

// Throws the error that names the first bad index of an addressing over a tensor of `shape`.
[[noreturn]] void throw_bad_index(const char* op, const Addressing& where, const Dims& shape);

}  // namespace strew
