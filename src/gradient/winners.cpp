// Which update of an assignment stays.
#include "base/text.h"
#include "core/memory_errors.h"
#include "gradient/elementwise.h"
#include "gradient/problem.h"

namespace strew::inline v0 {
using namespace internal;

Tensor winners(const ScatterOp& op, const RunOptions& options) {
  if (op.fold.step != Reduction::assign) {
    throw Error(ErrorCode::argument, cat(op.name, ": only an assignment has winners; ", to_string(op.fold.step), " combines all updates"));
  }
  return naming_memory_errors(op.name, "the winners", "", [&] {
    Problem problem(op, options, nullptr, Problem::Types::any);
    Tensor stays(Dtype::bool_, op.where.points);
    const ConstTensorRef numbers = problem.point_numbers();
    apply_strips(equal_kernel(numbers.dtype), stays, {numbers, problem.last_numbers()}, options);
    return stays;
  });
}

}  // namespace strew::inline v0
