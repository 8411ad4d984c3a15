// What a plan consists of.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/core.h"
#include "strew/plan.h"

namespace strew::internal {

// What a higher layer keeps with a plan.
struct KeptByPlan {
  virtual ~KeptByPlan() = default;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
};

}  // namespace strew::internal

namespace strew::inline v0 {

// Not exported, although the enclosing class is.
struct [[gnu::visibility("hidden")]] Plan::State {
  std::string op, input, updates;  // the op's names
  const OverlapWords* overlap = nullptr;
  ScatterOp form;                  // without data and indices: its tensors only have shapes
  std::unique_ptr<const internal::Replay> replay;
  std::string layout;  // as text
  mutable std::mutex guard;  // of the next
  mutable std::shared_ptr<const internal::KeptByPlan> kept;

  void keep(const ScatterOp& described);
  // The op of one call, without an output yet.
  [[nodiscard]] ScatterOp with(const ConstTensorRef& source, internal::Extents& extents) const;
  void require_same_form(const ScatterOp& other) const;
  [[nodiscard]] OpNames names() const { return {op.c_str(), input.c_str(), updates.c_str(), overlap}; }
};

}  // namespace strew::inline v0
