// strew list: what the registry says about each operator.
#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "commands.h"
#include "dialects/registry.h"
#include "print.h"

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

// The words of a text that begins in column `begin`, in lines that fit a terminal of 100 columns.
std::string wrapped(std::string_view text, std::size_t begin) {
  constexpr std::size_t width = 100;
  std::string lines;
  std::size_t column = begin;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool first = column == begin, fits = column + word.size() + (first ? 0 : 1) <= width;
    if (!first) lines += fits ? " " : cat("\n", std::string(begin, ' '));
    column = (first ? begin : fits ? column + 1 : begin) + word.size();
    lines += word;
  }
  return cat(lines, "\n");
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

}  // namespace

std::string dialect_names() {
  std::string text;
  for (const std::span<const Operator> operators : registry()) text += cat(text.empty() ? "" : ", ", operators.front().dialect);
  return text;
}

int list(const std::string& dialect) {
  bool found = false;
  for (const std::span<const Operator> operators : registry()) {
    if (!dialect.empty() && operators.front().dialect != dialect) continue;
    print(cat(found ? "\n" : "", painted(Paint::bold, operators.front().dialect), "\n"));
    for (const Operator& op : operators) show(op);
    found = true;
  }
  if (found) return 0;
  std::fputs(cat("strew list: there is no dialect \"", dialect, "\"; there are ", dialect_names(), "\n").c_str(), stderr);
  return 2;
}

}  // namespace strew::cli
