// Runs a call, and asks the other dialects the same.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "compare/compare.h"

namespace strew::internal {
namespace {

// The call with memory of its own for its output, if it writes to its first argument.
class Ran {
 public:
  Ran(const Found& call, std::span<const Argument> arguments, const RunOptions& options) : arguments_(arguments.begin(), arguments.end()) {
    answer_.dialect = call.op->dialect;
    answer_.op = call.op;
    try {
      describe(call);
      Tensor result = call.in_place ? std::move(target_) : Tensor();
      if (call.in_place) std::visit([&](const auto& op) { strew::run(op, options); }, *op_);
      else result = std::visit([&](const auto& op) { return compute(op, options); }, *op_);
      answer_.result = std::move(result);
    } catch (const Error& error) {
      answer_.error = error;
    }
  }

  [[nodiscard]] Answer& answer() { return answer_; }
  // Null if the operator refuses the call before it reads an index.
  [[nodiscard]] const ScatterOp* described() const { return op_ ? std::get_if<ScatterOp>(&*op_) : nullptr; }

 private:
  void describe(const Found& call) {
    const Operator& op = *call.op;
    TensorRef out;
    if (call.in_place) {
      const std::string_view name = op.parameters.front().name;
      target_ = Tensor::copy_of(Arguments(op, arguments_).tensor(name));
      out = target_;
      for (Argument& argument : arguments_) {
        if (argument.name == name) argument.value = ConstTensorRef(out);
      }
    }
    op_.emplace(op.describe(out, Arguments(op, arguments_)));
  }

  std::vector<Argument> arguments_;
  Tensor target_;
  std::optional<AnyOp> op_;
  Answer answer_;
};

std::vector<Answer> not_asked(std::string_view reason) {
  std::vector<Answer> answers;
  for (const std::span<const Operator> operators : registry()) {
    Answer& answer = answers.emplace_back();
    answer.dialect = operators.front().dialect;
    answer.reason = cat("not asked: ", reason);
  }
  return answers;
}

std::vector<Answer> others(const Found& call, std::span<const Argument> arguments, const ScatterOp* described, const RunOptions& options) {
  try {
    const OwnedQuestion asked = question_of(*call.op, arguments, described);
    return asked.reason.empty() ? ask(asked.question, options) : not_asked(asked.reason);
  } catch (const Error& error) {
    std::string_view sentence = error.what();
    sentence.remove_prefix(std::min(sentence.size(), sentence.find(": ") + 2));
    return not_asked(sentence);
  }
}

}  // namespace

std::optional<std::vector<Answer>> ask_as(const Found& call, std::span<const Argument> arguments, const RunOptions& options) {
  if (!call.op->scatters()) return {};
  Ran own(call, arguments, options);
  std::vector<Answer> answers = others(call, arguments, own.described(), options);
  const std::optional<Tensor>& result = own.answer().result;
  for (Answer& answer : answers) {
    // The question leaves out dimensions of size 1, or counts through all elements.
    const bool is_other_form = result && answer.result && !(answer.result->shape() == result->shape());
    if (is_other_form && answer.result->size() == result->size())
      answer.result = Tensor::copy_of(ConstTensorRef(answer.result->data(), answer.result->dtype(), result->shape()));
  }
  const auto is_own = [&](const Answer& answer) { return answer.dialect == call.op->dialect; };
  *std::find_if(answers.begin(), answers.end(), is_own) = std::move(own.answer());
  return answers;
}

}  // namespace strew::internal
