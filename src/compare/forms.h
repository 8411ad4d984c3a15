// The forms in which operators take indices, and the rewriting of a question from one into another.
#pragma once

#include <deque>
#include <functional>

#include "compare/compare.h"

namespace strew::internal {

enum class IndexForm : std::uint8_t {
  elements,           // one index per element of the updates, along an axis; they may cover a leading part
  covering,           // the same, for operators whose indices must cover all of the data on the other axes
  covering_in_place,  // the same, for operators that write into a part of the data
  rows,               // one index per row of the updates, along any axis
  first_rows,         // the same, along the first axis only
  tuples,             // index tuples, each for an element or for a row of all remaining axes
  keys,               // the same, with one index tensor per axis
};

// A question rewritten into one form. `data` is a view of the question's data, or of a dense copy with the same origin.
struct Rewritten {
  IndexForm form;
  ConstTensorRef data, indices, updates;
  std::optional<std::int64_t> axis = {};
};

// Calls use(rewritten) for every form of the question, the most similar first, until it returns false. The question's data is dense.
// Rewriting rearranges indices and updates, and adds the coordinates that a point has by its position. It never computes with an index, so
// that each dialect itself handles negative indices and indices out of range. New tensors are added to `made`.
void each_form(const Question& question, std::deque<Tensor>& made, const std::function<bool(const Rewritten&)>& use);

// Index tensors per axis for a question in the form rows, first_rows, tuples or keys.
[[nodiscard]] IndexKey key_of(const Rewritten& rewritten);

}  // namespace strew::internal
