// Finds inputs that share memory with the output, and copies or rejects them.
#include "core/inputs.h"

#include "base/text.h"
#include "core/overlap.h"

namespace strew::internal {

void Inputs::check_output() const {
  if (extents_.out.evenly_spaced || !overlaps_itself(out_)) return;
  throw Error(ErrorCode::overlap, cat(op_,
                                      ": unsupported operation: more than one element of the written-to tensor refers to a single memory "
                                      "location; pass a copy of it"));
}

void Inputs::separate(const char* argument, ConstTensorRef& input, const Extent& extent) {
  if (!meet(extents_.out, extent)) return;
  if (overlap(out_, input) == Overlap::unknown) {
    replace(input, Tensor::copy_of(without_repeats(input)));
    return;
  }
  throw Error(ErrorCode::overlap, cat(op_,
                                      ": unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                                      "single memory location; pass a copy of ",
                                      argument));
}

void Inputs::separate(Addressing& where) {
  for (std::size_t i = 0; i < where.columns.size(); ++i) separate(where.words.argument, where.columns[i], extents_.columns[i]);
}

void Inputs::separate(ScatterOp& op) {
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
