// Runs a call for the page. The same code runs in a native program, which the tests compare with the page.
#include "web/answer.h"

#include <vector>

#include "base/checked.h"
#include "base/text.h"
#include "cli/call.h"
#include "cli/json.h"
#include "cli/usage.h"
#include "compare/agreement.h"
#include "compare/compare.h"
#include "picture/elements.h"
#include "picture/legible.h"
#include "strew/picture.h"

namespace strew::web {
using namespace internal;
using cli::JsonObject;
using cli::quoted_json;
namespace {

constexpr char separator = '\x1f';
constexpr std::int64_t most_elements = 1 << 22;  // of a result: more would make the page wait
constexpr std::size_t most_cells = 400;          // that a table shows

template <class Items, class Text>
std::string list_json(const Items& items, Text text) {
  std::string list = "[";
  for (const auto& item : items) append(list, cat(list.size() > 1 ? "," : "", text(item)));
  return list + "]";
}

std::string dtypes_json(DtypeSet set) {
  std::vector<std::string_view> names;
  for (const DtypeInfo& row : dtypes) {
    if (set.has(row.dtype)) names.push_back(row.name);
  }
  return list_json(names, quoted_json);
}

std::string parameter_json(const Parameter& parameter) {
  JsonObject object;
  object.text("name", parameter.name).text("type", to_string(parameter.type));
  if (parameter.fallback) object.text("fallback", *parameter.fallback);
  if (parameter.must_be_said) object.raw("must_be_said", "true");
  if (parameter.keyword_only) object.raw("keyword_only", "true");
  if (takes_none(parameter)) object.raw("takes_none", "true");
  if (!parameter.words.empty()) object.raw("words", list_json(parameter.words, quoted_json));
  return object.str();
}

std::string operator_json(const Operator& op) {
  JsonObject object;
  object.text("dialect", op.dialect).text("name", op.name).text("summary", op.summary);
  object.raw("parameters", list_json(op.parameters, parameter_json));
  object.raw("dtypes", dtypes_json(op.dtypes)).raw("index_dtypes", dtypes_json(op.index_dtypes));
  return object.raw("writes_first", op.writes_first_argument() ? "true" : "false").raw("scatters", op.scatters() ? "true" : "false").str();
}

std::string dims_text(const Dims& dims) { return bracketed(dims); }

// Elements as text, because JavaScript's numbers do not hold every int64.
std::string tensor_json(const Tensor& tensor) {
  std::vector<std::string> cells;
  const auto* const data = static_cast<const std::byte*>(tensor.data());
  const auto shown = std::min(tensor.size(), static_cast<std::int64_t>(most_cells));
  for (std::int64_t i = 0; i < shown; ++i) cells.push_back(element_text(tensor.dtype(), data + i * size_of(tensor.dtype()), 24));
  JsonObject object;
  object.text("dtype", to_string(tensor.dtype())).raw("shape", dims_text(tensor.shape())).raw("size", cat(tensor.size()));
  return object.raw("cells", list_json(cells, quoted_json)).text("text", view_text(ConstTensorRef(tensor))).str();
}

std::string comparison_json(const std::vector<Answer>& answers) {
  const std::vector<Group> groups = groups_of(answers);
  std::string list = "[";
  for (const Answer& answer : answers) {
    JsonObject object;
    object.text("dialect", answer.dialect);
    if (answer.op != nullptr) object.text("operator", answer.op->name);
    if (!answer.reason.empty()) object.text("reason", answer.reason);
    if (answer.error) object.text("error", answer.error->what()).text("code", to_string(answer.error->code()));
    if (answer.result) object.raw("result", tensor_json(*answer.result));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const Answer* const member : groups[g].answers) {
        if (member == &answer) object.raw("group", cat(g));
      }
    }
    append(list, cat(list.size() > 1 ? "," : "", object.str()));
  }
  return JsonObject()
      .text("sentence", agreement_text(answers))
      .raw("agree", groups.size() < 2 ? "true" : "false")
      .raw("answers", list + "]")
      .str();
}

// None for a gather.
void compare(JsonObject& answer, const cli::Call& call) {
  if (const auto answers = ask_as({&call.op(), call.in_place()}, call.arguments(), call.options()))
    answer.raw("comparison", comparison_json(*answers));
}

void require_small(const cli::Call& call) {
  for (const Argument& argument : call.arguments()) {
    const auto* const shape = std::get_if<Dims>(&argument.value);
    std::int64_t count = 1;
    for (std::size_t d = 0; shape != nullptr && d < shape->size(); ++d)
      count = saturating_mul(count, std::max<std::int64_t>((*shape)[d], 0));
    if (count > most_elements) throw cli::UsageError(cat("the page computes at most ", grouped(most_elements), " elements"));
  }
}

// An op with memory of its own for its output, if it writes to an argument.
struct Run {
  Tensor target;
  AnyOp op;
};
Run run_of(const cli::Call& call) {
  if (!call.in_place()) return {Tensor(), call.describe({})};
  Tensor target = Tensor::copy_of(call.target());
  AnyOp op = call.describe(target);
  return {std::move(target), std::move(op)};
}

void answer_call(JsonObject& answer, const cli::Call& call) {
  require_small(call);
  Run run = run_of(call);
  answer.text("picture", std::visit([](const auto& op) { return picture(op); }, run.op));
  compare(answer, call);
  answer.text("explain", std::visit([&](const auto& op) { return explain(op, call.options()); }, run.op));
  if (call.in_place()) std::visit([&](const auto& op) { strew::run(op, call.options()); }, run.op);
  else run.target = std::visit([&](const auto& op) { return compute(op, call.options()); }, run.op);
  answer.raw("result", tensor_json(run.target));
}

}  // namespace

std::string registry_json() {
  std::string list = "[";
  for (const std::span<const Operator> operators : registry()) {
    for (const Operator& op : operators) append(list, cat(list.size() > 1 ? ",\n" : "", operator_json(op)));
  }
  return list + "]";
}

std::string answer_json(std::string_view request) {
  std::vector<std::string> words;
  for (std::size_t end = 0; end != std::string_view::npos; request.remove_prefix(end == std::string_view::npos ? 0 : end + 1)) {
    end = request.find(separator);
    words.emplace_back(request.substr(0, end));
  }
  JsonObject answer;
  files::Progress progress;
  try {
    const cli::Call call(words.front(), cli::operator_named(words.front()), std::span<const std::string>(words).subspan(1), progress);
    try {
      answer_call(answer, call);
    } catch (const cli::UsageError&) {
      throw;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::index) compare(answer, call);
      answer.raw("error", cli::error_object(error, false));
    }
  } catch (const Error& error) {
    answer.raw("error", cli::error_object(error, true));
  }
  return answer.str();
}

}  // namespace strew::web
