// Who gives the same answer, and where results differ.
#pragma once

#include <string>
#include <vector>

#include "compare/compare.h"

namespace strew::internal {

// Where two tensors differ. All NaNs are equal; 0.0 and -0.0 differ.
struct Differences {
  bool same_form = true;        // whether dtypes and shapes are equal; if not, there are no positions
  std::int64_t count = 0;       // of elements that differ
  std::vector<Dims> positions;  // of the first ones

  [[nodiscard]] bool none() const { return same_form && count == 0; }
};
[[nodiscard]] Differences differences(const ConstTensorRef& a, const ConstTensorRef& b, std::size_t most_positions);

// The answers that take part in the comparison, in groups that agree. An answer that is an error is in the group without a result.
struct Group {
  std::vector<const Answer*> answers;
  [[nodiscard]] const Tensor* result() const { return answers.front()->result ? &*answers.front()->result : nullptr; }
};
[[nodiscard]] std::vector<Group> groups_of(const std::vector<Answer>& answers);

// One sentence: "They disagree: onnx and paddle say [1, 2, 9], pytorch rejects it."
[[nodiscard]] std::string agreement_text(const std::vector<Answer>& answers);

// With whom somebody's own result agrees, and where it differs from the others.
[[nodiscard]] std::string agreement_text(const std::vector<Answer>& answers, const ConstTensorRef& mine);

}  // namespace strew::internal
