// One question to every dialect: the same data, indices and updates, in the form that each dialect's operators take.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/registry.h"
#include "strew/run.h"

namespace strew::internal {

// With an axis, indices are positions along it: one per element of the updates, or one per row if they are a vector and data is not.
// Without one, the last axis of the indices contains tuples. All tensors are borrowed.
struct Question {
  ConstTensorRef data, indices, updates;
  std::optional<std::int64_t> axis;
  std::string_view reduction = "assign";  // one of compared_reductions
  bool include_self = true;   // whether the old value of an element takes part
  bool lenient = false;       // indices out of range are no error, in the dialects that have such a mode
};

inline constexpr std::string_view compared_reductions[] = {"assign", "add", "sub", "mul", "min", "max", "mean"};

// What one dialect says: a result, an error, or the reason why it cannot express the question.
struct Answer {
  std::string_view dialect;
  const Operator* op = nullptr;  // null: it cannot express the question, or is not asked
  std::string reason;
  std::optional<Tensor> result;
  std::optional<Error> error;

  // Whether it takes part in the comparison: it can express the question, and accepts the dtypes.
  [[nodiscard]] bool counts() const;
};

// The answers of all dialects, in the order of the registry. Throws an Error if the question itself is wrong: its reduction, its axis, an
// invalid tensor, indices that are not integers. Errors of the dialects are answers.
[[nodiscard]] std::vector<Answer> ask(const Question& question, const RunOptions& options = {});

// By answer, a picture of what its operator does: of the first answer in each group that agrees, so that every picture is another one.
// Empty for the other answers, and where there is nothing to draw.
[[nodiscard]] std::vector<std::string> pictures_of(const Question& question, const std::vector<Answer>& answers);

// The question that the call of a scatter asks, for other dialects. It owns what it had to make, and views the call's tensors.
struct OwnedQuestion {
  Question question;
  std::deque<Tensor> made;
  std::string reason;  // why there is no question: an argument has no counterpart, such as a slice among NumPy's indices
};
// `described` is the op of the call, which the question views as well; null if the operator refuses the call. Arguments that are wrong may
// be in the question: then the answers say so.
[[nodiscard]] OwnedQuestion question_of(const Operator& op, std::span<const Argument> arguments, const ScatterOp* described);

// What every dialect says to a call of one of them: its own dialect the result or the error of the call itself, the others the answer to
// the same question, or why they are not asked. No value if the operator gathers.
[[nodiscard]] std::optional<std::vector<Answer>> ask_as(const Found& call, std::span<const Argument> arguments,
                                                        const RunOptions& options = {});

}  // namespace strew::internal
