// strew compare: one scatter in every dialect.
#include "compare/compare.h"

#include <algorithm>

#include "base/text.h"
#include "call.h"
#include "commands.h"
#include "compare/agreement.h"
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

// A question in its own words, or the one that the call of an operator asks.
OwnedQuestion question_from(const Call& call) {
  if (&call.op() != &question) {
    auto owned = question_of(call.op(), call.arguments());
    if (!owned) throw UsageError(cat("no other dialect can be asked what ", call.name(), " computes from these arguments"));
    return *std::move(owned);
  }
  const Arguments arguments(question, call.arguments());
  OwnedQuestion own;
  own.question = {.data = arguments.tensor("data"),
                  .indices = arguments.tensor("indices"),
                  .updates = arguments.tensor("updates"),
                  .axis = arguments.optional_integer("axis"),
                  .reduction = arguments.word("reduction"),
                  .include_self = arguments.boolean("include_self"),
                  .lenient = arguments.boolean("lenient")};
  return own;
}

std::string said(const Answer& answer) {
  if (answer.error) return cat("error: ", answer.error->what());
  return answer.result ? view_text(ConstTensorRef(*answer.result)) : cat("cannot express it: ", answer.reason);
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

}  // namespace

int compare(const Request& request) {
  TerminalProgress progress(request.quiet);
  const std::span<const std::string> words = request.words;
  const bool names_operator = !words.empty() && words.front().find('=') == std::string::npos;
  const Call call = names_operator ? call_of("compare", words, progress) : Call("compare", {&question, false}, words, progress);
  const OwnedQuestion own = question_from(call);
  progress.begin("asking every dialect", 0);
  const std::vector<Answer> answers = ask(own.question, call.options());
  call.require_intact();
  const ConstTensorRef* const mine = call.array("mine");
  const std::string sentence = mine != nullptr ? agreement_text(answers, *mine) : agreement_text(answers);
  if (!request.json) {
    print(cat(sentence, "\n\n", table_of(answers)));
    return 0;
  }
  std::string rows;
  for (const Answer& answer : answers) rows += cat(rows.empty() ? "" : ", ", json_of(answer));
  print(cat(JsonObject()
                .raw("agree", groups_of(answers).size() <= 1 ? "true" : "false")
                .text("sentence", sentence)
                .raw("answers", cat("[", rows, "]"))
                .str(),
            "\n"));
  return 0;
}

// The names of its arguments, for completions.
std::span<const Parameter> compare_parameters() { return parameters; }

}  // namespace strew::cli
