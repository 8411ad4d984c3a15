// Keeps the inputs of a call apart from its output in memory.
#pragma once

#include <utility>
#include <vector>

#include "core/copy.h"
#include "core/core.h"

namespace strew::internal {

class Inputs {
 public:
  Inputs(const OpNames& name, const TensorRef& out, const Extents& extents) : name_(name), out_(out), extents_(extents) {}

  // Copies inputs that may share memory with the output; rejects those that certainly do, and an output that overlaps itself. A base that
  // is the output itself means in place.
  void separate(ScatterOp& op);
  void separate(GatherOp& op);

  // Replaces an input by a copy, without its broadcast repeats, and keeps the copy alive.
  void replace(ConstTensorRef& input, Tensor by) {
    copies_.push_back(std::move(by));
    input = with_repeats(copies_.back(), input);
  }

 private:
  void check_output() const;
  void separate(const char* argument, ConstTensorRef& input, const Extent& extent);
  void separate(Addressing& where);

  const OpNames name_;
  const char* out_name_ = "out";
  const View out_;
  const Extents& extents_;
  std::vector<Tensor> copies_;
};

}  // namespace strew::internal
