// Finds inputs that share memory with the output, and copies or rejects them.
#include "core/inputs.h"

#include "base/text.h"
#include "core/overlap.h"

namespace strew::internal {

void Inputs::check_output() const {
  if (extents_.out.evenly_spaced || !overlaps_itself(out_)) return;
  const auto* const words = name_.overlap;
  throw Error(ErrorCode::overlap, words != nullptr ? cat(name_, ": ", words->output, "; pass a copy of it")
                                                   : cat(name_, ": elements of ", out_name_, " share memory; pass a copy of ", out_name_));
}

void Inputs::separate(const char* argument, ConstTensorRef& input, const Extent& extent) {
  if (!meet(extents_.out, extent)) return;
  if (overlap(out_, input) == Overlap::unknown) {
    replace(input, Tensor::copy_of(without_repeats(input)));
    return;
  }
  const auto* const words = name_.overlap;
  const std::string sentence = words != nullptr ? cat(words->input) : cat(argument, " shares memory with ", out_name_);
  throw Error(ErrorCode::overlap, cat(name_, ": ", sentence, "; pass a copy of ", argument));
}

void Inputs::separate(Addressing& where) {
  for (std::size_t i = 0; i < where.columns.size(); ++i) separate(where.words.argument, where.columns[i], extents_.columns[i]);
}

void Inputs::separate(ScatterOp& op) {
  if (std::holds_alternative<InPlace>(op.base)) out_name_ = op.name.input;
  check_output();
  if (auto* base = std::get_if<ConstTensorRef>(&op.base)) {
    if (base->data == op.out.data && same_view(*base, op.out)) {
      op.base = InPlace{};
    } else {
      separate(op.name.input, *base, extents_.input);
    }
  }
  separate(op.where);
  if (!op.scalar) separate(op.name.updates, op.updates, extents_.updates);
}

void Inputs::separate(GatherOp& op) {
  check_output();
  separate(op.name.input, op.from, extents_.input);
  separate(op.where);
}

}  // namespace strew::internal
