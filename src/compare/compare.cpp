// Asks each dialect in the first form that it can express, if possible one whose operator accepts the dtypes.
#include "compare/compare.h"

#include <algorithm>
#include <charconv>

#include "base/cancellation.h"
#include "base/text.h"
#include "compare/agreement.h"
#include "compare/vocabulary.h"
#include "core/core.h"
#include "strew/picture.h"

namespace strew::internal {
namespace {

// The modes in which an index out of range is no error.
struct LenientWord {
  std::string_view parameter, word;
};
constexpr LenientWord lenient_words[] = {{"bad_indices_policy", "IGNORE"}, {"out_of_range", "clamp"}};

const Parameter* parameter_named(const Operator& op, std::string_view name) {
  const auto found = std::find_if(op.parameters.begin(), op.parameters.end(), [&](const Parameter& p) { return p.name == name; });
  return found == op.parameters.end() ? nullptr : &*found;
}

const LenientWord* lenient_word(const Operator& op) {
  for (const LenientWord& each : lenient_words) {
    if (parameter_named(op, each.parameter) != nullptr) return &each;
  }
  return nullptr;
}

// A word of the table as the argument's type has it.
Argument attribute(const Operator& op, std::string_view name, std::string_view word) {
  const Parameter* const parameter = parameter_named(op, name);
  if (parameter->type == Parameter::boolean) return {parameter->name, Number(word == "true")};
  if (parameter->type != Parameter::number && parameter->type != Parameter::integer) return {parameter->name, std::string(word)};
  std::int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return {parameter->name, Number(number)};
}

std::size_t reduction_number(std::string_view reduction) {
  return static_cast<std::size_t>(std::find(std::begin(compared_reductions), std::end(compared_reductions), reduction) -
                                  std::begin(compared_reductions));
}

void check(const Question& question) {
  const auto fail = [](ErrorCode code, const std::string& sentence) { throw Error(code, cat("compare: ", sentence)); };
  check_view("compare", "data", question.data);
  check_view("compare", "indices", question.indices);
  check_view("compare", "updates", question.updates);
  if (reduction_number(question.reduction) == std::size(compared_reductions)) {
    std::string names;
    for (const std::string_view name : compared_reductions) append(names, cat(names.empty() ? "" : ", ", name));
    fail(ErrorCode::argument, cat("reduction must be one of ", names, ", got \"", question.reduction, "\""));
  }
  if (!is_integer(question.indices.dtype)) fail(ErrorCode::dtype, cat("indices must be integers, got ", to_string(question.indices.dtype)));
  const auto rank = static_cast<std::int64_t>(question.data.rank());
  if (question.axis && (*question.axis < -rank || *question.axis >= rank))
    fail(ErrorCode::axis, cat("axis must be in [", -rank, ", ", rank, "), got ", *question.axis));
}

// The call of an operator that answers for a dialect.
struct Call {
  const Operator* op;
  Rewritten rewritten;
  const Entry* entry;
};

class Asker {
 public:
  Asker(const Question& question, const RunOptions& options)
      : question_(question), options_(options), reduction_(reduction_number(question.reduction)) {
    if (question.data.strides == dense_strides(question.data.shape)) return;
    question_.data = made_.emplace_back(Tensor::copy_of(question.data));
  }

  Answer ask(std::string_view dialect) {
    Answer answer;
    answer.dialect = dialect;
    const std::optional<Call> call = choose(dialect);
    if (!call) {
      answer.reason = reason(dialect);
      return answer;
    }
    answer.op = call->op;
    try {
      answer.result = run(*call);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::memory) throw;  // it says nothing about the dialect
      answer.error = error;
    }
    return answer;
  }

  // Empty if the op could not be described.
  std::string draw(std::string_view dialect) {
    const std::optional<Call> call = choose(dialect);
    if (!call) return {};
    try {
      return std::visit([](const auto& op) { return picture(op); }, describe(*call).op);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::memory) throw;
      return {};
    }
  }

 private:
  // The operator of an entry for the question; null if it cannot express it.
  const Operator* operator_of(const Entry& entry) const {
    const std::string_view word = entry.words[reduction_];
    if (word.empty()) return nullptr;
    const Operator* const op = find_operator(entry.dialect, entry.op.empty() ? word : entry.op).op;
    const bool says_self =
        question_.include_self ? entry.self != Self::excluded : question_.reduction == "assign" || entry.self != Self::included;
    // For bool, multiplying by -1 changes nothing, and addition is "or".
    const bool negates = entry.attribute == "alpha" && question_.data.dtype == Dtype::bool_;
    return says_self && !negates && (!question_.lenient || lenient_word(*op) != nullptr) ? op : nullptr;
  }

  std::optional<Call> choose(std::string_view dialect) {
    std::optional<Call> chosen;
    each_form(question_, made_, [&](const Rewritten& rewritten) {
      for (const Entry& entry : vocabulary()) {
        if (entry.dialect != dialect || entry.form != rewritten.form) continue;
        const Operator* const op = operator_of(entry);
        if (op == nullptr) continue;
        const bool accepts = op->dtypes.has(rewritten.data.dtype) && op->index_dtypes.has(rewritten.indices.dtype);
        if (!chosen || accepts) chosen = Call{op, rewritten, &entry};
        if (accepts) return false;
        break;
      }
      return true;
    });
    return chosen;
  }

  std::string reason(std::string_view dialect) const {
    const bool has_reduction = std::any_of(vocabulary().begin(), vocabulary().end(), [&](const Entry& entry) {
      return entry.dialect == dialect && !entry.words[reduction_].empty();
    });
    if (!has_reduction) return cat(dialect, " has no ", question_.reduction);
    if (question_.lenient) return cat(dialect, " has no mode in which an index out of range is no error");
    if (!question_.include_self) return cat(dialect, " has no ", question_.reduction, " that leaves out the old value");
    return cat(dialect, " has no ", question_.reduction, question_.axis ? " along an axis with such indices" : " with such index tuples");
  }

  Tensor run(const Call& call) {
    Described described = describe(call);
    if (described.whole) {
      std::visit([&](const auto& op) { strew::run(op, options_); }, described.op);
      return std::move(*described.whole);
    }
    Tensor result = std::visit([&](const auto& op) { return compute(op, options_); }, described.op);
    if (result.shape() == question_.data.shape) return result;
    return Tensor::copy_of(ConstTensorRef(result.data(), result.dtype(), question_.data.shape));  // tuples without an index
  }

  // An op, with a copy of the data if it works in place.
  struct Described {
    std::shared_ptr<Tensor> whole;
    AnyOp op;
  };
  Described describe(const Call& call) const {
    const Operator& op = *call.op;
    ConstTensorRef data = call.rewritten.data;
    std::shared_ptr<Tensor> whole;
    if (op.writes_first_argument()) {
      whole = std::make_shared<Tensor>(Tensor::copy_of(question_.data));
      data.data = whole->data();
    }
    SmallVector<Argument, 8> arguments;
    for (const Parameter& parameter : op.parameters) add_argument(arguments, call, parameter, data);
    TensorRef target;
    if (whole) {
      target.data = whole->data();
      target.dtype = data.dtype;
      target.shape = data.shape;
      target.strides = data.strides;
    }
    return {whole, op.describe(target, Arguments(op, arguments))};
  }

  void add_argument(SmallVector<Argument, 8>& arguments, const Call& call, const Parameter& parameter, const ConstTensorRef& data) const {
    const Rewritten& rewritten = call.rewritten;
    const Entry& entry = *call.entry;
    const auto add = [&](auto value) { arguments.push_back({parameter.name, std::move(value)}); };
    if (&parameter == &call.op->parameters.front()) return add(data);
    if (parameter.name == entry.attribute) return arguments.push_back(attribute(*call.op, entry.attribute, entry.words[reduction_]));
    if (parameter.name == entry.fixed) return add(Number(false));
    if (parameter.name == "include_self" && entry.self == Self::as_said) return add(Number(question_.include_self));
    if (question_.lenient) {
      if (const LenientWord* const word = lenient_word(*call.op); word->parameter == parameter.name) return add(std::string(word->word));
    }
    if (parameter.fallback && parameter.name != "axis") return;
    switch (parameter.type) {
      case Parameter::indices: return add(rewritten.indices);
      case Parameter::index_key:
      case Parameter::columns: return add(key_of(rewritten));
      case Parameter::updates:
      case Parameter::source: return add(rewritten.updates);
      case Parameter::integer: return add(Number(rewritten.axis.value_or(0)));
      default: return;
    }
  }

  Question question_;
  RunOptions options_;
  std::size_t reduction_;
  std::deque<Tensor> made_;
};

}  // namespace

bool Answer::counts() const {
  return op != nullptr && (!error || (error->code() != ErrorCode::dtype && error->code() != ErrorCode::unsupported));
}

std::vector<Answer> ask(const Question& question, const RunOptions& options) {
  check(question);
  std::vector<Answer> answers;
  for (const std::span<const Operator> operators : registry()) {
    cancellation_point();
    answers.push_back(Asker(question, options).ask(operators.front().dialect));
  }
  return answers;
}

std::vector<std::string> pictures_of(const Question& question, const std::vector<Answer>& answers) {
  std::vector<std::string> pictures(answers.size());
  for (const Group& group : groups_of(answers)) {
    const auto number = static_cast<std::size_t>(group.answers.front() - answers.data());
    pictures[number] = Asker(question, {}).draw(answers[number].dialect);
  }
  return pictures;
}

}  // namespace strew::internal
