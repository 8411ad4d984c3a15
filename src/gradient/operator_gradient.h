// Derivatives of any operator of the registry, by the names of its arguments. Nothing here knows an operator: a call is described again
// with the memory of a cotangent in the place of an argument, and the op's views then lead into exactly the elements that were used.
#pragma once

#include <span>
#include <vector>

#include "dialects/registry.h"

namespace strew::internal {

// A call of an operator, as it is described. An in-place operator is described with its first argument as it was before the call.
struct OperatorCall {
  const Operator& op;
  bool in_place;
  std::span<const Argument> arguments;
  const RunOptions& options;
};

// The cotangent of one argument: a tensor of its shape and type, or none if it is the cotangent of the output, unchanged.
using ArgumentCotangent = std::optional<Tensor>;

// Reverse mode, for the named arguments. `result` is the output of the call; without it minima and maxima compute it again.
[[nodiscard]] std::vector<ArgumentCotangent> vjp(const OperatorCall& call, const ConstTensorRef& cotangent,
                                                 std::span<const std::string_view> wanted,
                                                 const std::optional<ConstTensorRef>& result = {});

// Forward mode: tangents by the names of arguments; others have none.
[[nodiscard]] Tensor jvp(const OperatorCall& call, std::span<const Argument> tangents, const std::optional<ConstTensorRef>& result = {});

// The derivative of vjp() along tangents of the arguments and of the cotangent (none: zero). Every cotangent is a tensor here.
[[nodiscard]] std::vector<ArgumentCotangent> vjp_jvp(const OperatorCall& call, const ConstTensorRef& cotangent,
                                                     const std::optional<ConstTensorRef>& cotangent_tangent,
                                                     std::span<const Argument> tangents, std::span<const std::string_view> wanted);

// winners() of the call.
[[nodiscard]] Tensor winners(const OperatorCall& call);

}  // namespace strew::internal
