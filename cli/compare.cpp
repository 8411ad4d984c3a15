// strew compare: one scatter in every dialect.
#include "compare/compare.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "call.h"
#include "commands.h"
#include "compare/agreement.h"
#include "files/error.h"
#include "json.h"
#include "picture/elements.h"
#include "print.h"
#include "progress.h"
#include "usage.h"

namespace strew::cli {
using namespace internal;
namespace {

// The arguments of a question, as those of an operator. `mine` is an answer to compare with the others.
constexpr Parameter parameters[] = {{"data", Parameter::tensor},
                                    {"indices", Parameter::indices},
                                    {"updates", Parameter::updates},
                                    {"axis", Parameter::integer, "none"},
                                    one_of(compared_reductions, {"reduction", Parameter::word, "assign"}),
                                    {"include_self", Parameter::boolean, "true"},
                                    {"lenient", Parameter::boolean, "false"},
                                    {"mine", Parameter::tensor, "none"}};
constexpr Operator question{.dialect = "strew",
                            .name = "compare",
                            .parameters = parameters,
                            .dtypes = all_dtypes,
                            .index_dtypes = integer_dtypes,
                            .in_place = false,
                            .describe = nullptr};

// An answer of one's own, which the call of an operator does not have.
constexpr const Parameter& mine_parameter = parameters[std::size(parameters) - 1];

// A call of an operator, with `mine` among its arguments.
struct Extended {
  internal::Found found;
  std::vector<Parameter> parameters;
  Operator op;

  explicit Extended(std::string_view name) : found(operator_named(name)), op(*found.op) {
    parameters.assign(op.parameters.begin(), op.parameters.end());
    parameters.push_back(mine_parameter);
    op.parameters = parameters;
  }
  Extended(const Extended&) = delete;
  Extended& operator=(const Extended&) = delete;
};

std::vector<Answer> answers_to_operator(const internal::Found& found, const Call& call) {
  std::vector<Argument> arguments(call.arguments().begin(), call.arguments().end());
  std::erase_if(arguments, [](const Argument& argument) { return argument.name == mine_parameter.name; });
  auto answers = ask_as(found, arguments, call.options());
  if (!answers) throw UsageError(cat("no other dialect can be asked what ", call.name(), " computes: only scatters are compared"));
  return *std::move(answers);
}

std::vector<Answer> answers_to_question(const Call& call) {
  const Arguments arguments(question, call.arguments());
  return ask({.data = arguments.tensor("data"),
              .indices = arguments.tensor("indices"),
              .updates = arguments.tensor("updates"),
              .axis = arguments.optional_integer("axis"),
              .reduction = arguments.word("reduction"),
              .include_self = arguments.boolean("include_self"),
              .lenient = arguments.boolean("lenient")},
             call.options());
}

std::string said(const Answer& answer) {
  if (answer.error) return cat("error: ", files::printable(answer.error->what(), std::string_view::npos));
  if (answer.result) return view_text(ConstTensorRef(*answer.result));
  return answer.reason.starts_with("not asked") ? answer.reason : cat("cannot express it: ", answer.reason);
}

std::string table_of(const std::vector<Answer>& answers) {
  std::size_t dialects = 0, operators = 0;
  for (const Answer& answer : answers) {
    dialects = std::max(dialects, answer.dialect.size());
    operators = std::max(operators, answer.op == nullptr ? 0 : answer.op->name.size());
  }
  std::string text;
  for (const Answer& answer : answers) {
    const std::string_view op = answer.op == nullptr ? "" : answer.op->name;
    text += cat(padded(answer.dialect, dialects), "  ", padded(op, operators), "  ", said(answer), "\n");
  }
  return text;
}

std::string json_of(const Answer& answer) {
  JsonObject object;
  object.text("dialect", answer.dialect);
  if (answer.op != nullptr) object.text("operator", cat(answer.dialect, ".", answer.op->name));
  if (answer.op == nullptr) object.text("reason", answer.reason);
  if (answer.error) object.raw("error", error_object(*answer.error, false));
  if (answer.result) {
    const Dims& shape = answer.result->shape();
    object.text("dtype", to_string(answer.result->dtype()))
        .dims("shape", {shape.begin(), shape.size()})
        .raw("values", values_json(*answer.result));
  }
  return object.str();
}

void show(const std::vector<Answer>& answers, const ConstTensorRef* mine, bool as_json) {
  const std::string sentence = mine != nullptr ? agreement_text(answers, *mine) : agreement_text(answers);
  if (!as_json) return print(cat(sentence, "\n\n", table_of(answers)));
  std::string rows;
  for (const Answer& answer : answers) rows += cat(rows.empty() ? "" : ", ", json_of(answer));
  print(cat(JsonObject()
                .raw("agree", groups_of(answers).size() <= 1 ? "true" : "false")
                .text("sentence", sentence)
                .raw("answers", cat("[", rows, "]"))
                .str(),
            "\n"));
}

}  // namespace

int compare(const Request& request) {
  TerminalProgress progress(request.quiet);
  const std::span<const std::string> words = request.words;
  const bool names_operator = !words.empty() && words.front().find('=') == std::string::npos;
  std::optional<Extended> extended;
  if (names_operator) extended.emplace(words.front());
  const Call call = names_operator ? Call(words.front(), {&extended->op, extended->found.in_place}, words.subspan(1), progress)
                                   : Call("compare", {&question, false}, words, progress);
  progress.begin("asking every dialect", 0);
  const std::vector<Answer> answers = names_operator ? answers_to_operator(extended->found, call) : answers_to_question(call);
  call.require_intact();
  progress.end();
  show(answers, call.array(mine_parameter.name), request.json);
  return 0;
}

// The names of its arguments, for completions.
std::span<const Parameter> compare_parameters() { return parameters; }

}  // namespace strew::cli
