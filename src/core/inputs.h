// Keeps the inputs of a call apart from its output in memory.
#pragma once

#include <utility>
#include <vector>

#include "core/copy.h"
#include "core/core.h"

namespace strew::internal {

class Inputs {
 public:
  Inputs(const char* op, const TensorRef& out, const Extents& extents) : op_(op), out_(out), extents_(extents) {}

  // Inputs that may share memory with the output become copies; those that surely do are refused, and so is an output that shares memory
  // with itself. A base that is the output means in place.
  void separate(ScatterOp& op);
  void separate(GatherOp& op);

  // Keeps a tensor whose elements stand for those of an input without its repeats.
  void replace(ConstTensorRef& input, Tensor by) {
    copies_.push_back(std::move(by));
    input = with_repeats(copies_.back(), input);
  }

 private:
  void check_output() const;
  void separate(const char* argument, ConstTensorRef& input, const Extent& extent);
  void separate(Addressing& where);

  const char* op_;
  const View out_;
  const Extents& extents_;
  std::vector<Tensor> copies_;
};

}  // namespace strew::internal
