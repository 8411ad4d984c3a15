// strew list: what the registry says about each operator.
#include <algorithm>

#include "base/text.h"
#include "commands.h"
#include "dialects/registry.h"
#include "files/error.h"
#include "json.h"
#include "print.h"
#include "usage.h"

namespace strew::cli {
using namespace internal;
namespace {

std::string signature(const Operator& op) {
  std::string text;
  for (const Parameter& parameter : op.parameters) {
    text += cat(text.empty() ? "" : ", ", parameter.name);
    if (!parameter.fallback || parameter.must_be_said) continue;
    const std::string quote = parameter.type == Parameter::word ? "\"" : "";
    text += cat("=", quote, *parameter.fallback, quote);
  }
  return cat("(", text, ")");
}

// Names, with a family of integers written as int8..int64.
std::string names(DtypeSet set) {
  std::string text;
  for (const DtypeInfo& row : dtypes) {
    if (!set.has(row.dtype)) continue;
    const DtypeSet family = of_kind(row.kind);
    const bool whole = is_integer(row.dtype) && (family - set) == DtypeSet();
    if (whole && size_of(row.dtype) > 1) {
      if (size_of(row.dtype) == 8) text += cat("..", row.name);
      continue;
    }
    text += cat(text.empty() ? "" : " ", row.name);
  }
  return text;
}

// What a word may be; the empty one is the default and has no name.
std::string quoted(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!word.empty()) text += cat(text.empty() ? "\"" : " \"", word, "\"");
  }
  return text;
}

void show(const Operator& op) {
  const auto row = [](std::string title, std::string_view text) {
    title.resize(std::max<std::size_t>(title.size(), 8), ' ');
    print(cat("      ", painted(Paint::dim, title), " ", wrapped(text, 7 + title.size())));
  };
  print(cat("  ", painted(Paint::bold, op.name), wrapped(signature(op), 2 + op.name.size())));
  if (!op.summary.empty()) print(cat("      ", wrapped(op.summary, 6)));
  for (const Parameter& parameter : op.parameters) {
    if (!parameter.words.empty()) row(std::string(parameter.name), quoted(parameter.words));
  }
  row("dtypes", names(op.dtypes));
  row("indices", names(op.index_dtypes));
  if (op.in_place) row("in place", cat(op.name, "_"));
}

UsageError no_dialect(std::string_view dialect) {
  return UsageError(cat("there is no dialect \"", files::printable(dialect), "\"; there are ", dialect_names()));
}

std::string list_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += cat(text.empty() ? "" : ", ", quoted_json(word));
  return cat("[", text, "]");
}

std::string list_of(DtypeSet set) {
  std::string text;
  for (const DtypeInfo& row : dtypes) {
    if (set.has(row.dtype)) text += cat(text.empty() ? "" : ", ", quoted_json(row.name));
  }
  return cat("[", text, "]");
}

std::string json_of(const Parameter& parameter) {
  JsonObject object;
  object.text("name", parameter.name).text("type", to_string(parameter.type));
  if (parameter.fallback && !parameter.must_be_said) object.text("default", *parameter.fallback);
  if (!parameter.words.empty()) object.raw("words", list_of(parameter.words));
  return object.str();
}

std::string json_of(const Operator& op) {
  std::string parameters;
  for (const Parameter& parameter : op.parameters) parameters += cat(parameters.empty() ? "" : ", ", json_of(parameter));
  return JsonObject()
      .text("operator", cat(op.dialect, ".", op.name))
      .text("summary", op.summary)
      .raw("parameters", cat("[", parameters, "]"))
      .raw("dtypes", list_of(op.dtypes))
      .raw("index_dtypes", list_of(op.index_dtypes))
      .raw("in_place", op.writes_first_argument() ? "\"always\""
                       : op.in_place              ? quoted_json(cat(op.name, "_"))
                                                  : "null")
      .str();
}

std::string listed_json(std::string_view dialect) {
  std::string rows;
  for (const std::span<const Operator> operators : registry()) {
    if (!dialect.empty() && operators.front().dialect != dialect) continue;
    for (const Operator& op : operators) rows += cat(rows.empty() ? "[" : ",\n ", json_of(op));
  }
  if (rows.empty()) throw no_dialect(dialect);
  return rows + "]\n";
}

}  // namespace

std::string dialect_names() {
  std::string text;
  for (const std::span<const Operator> operators : registry()) text += cat(text.empty() ? "" : ", ", operators.front().dialect);
  return text;
}

int list(const Request& request) {
  if (request.words.size() > 1) throw UsageError(cat("list takes one dialect, got ", request.words.size()));
  const std::string dialect = request.words.empty() ? "" : request.words.front();
  if (request.json) {
    print(listed_json(dialect));
    return 0;
  }
  bool found = false;
  for (const std::span<const Operator> operators : registry()) {
    if (!dialect.empty() && operators.front().dialect != dialect) continue;
    print(cat(found ? "\n" : "", painted(Paint::bold, operators.front().dialect), "\n"));
    for (const Operator& op : operators) show(op);
    found = true;
  }
  if (found) return 0;
  throw no_dialect(dialect);
}

}  // namespace strew::cli
