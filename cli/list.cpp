// strew list: what the registry says about each operator.
#include <cstdio>

#include "base/text.h"
#include "commands.h"
#include "dialects/registry.h"
#include "print.h"

namespace strew::cli {
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

void show(const Operator& op) {
  print(cat("  ", painted(Paint::bold, op.name), signature(op), "\n"));
  if (!op.summary.empty()) print(cat("      ", op.summary, "\n"));
  print(cat("      ", painted(Paint::dim, "dtypes  "), " ", names(op.dtypes), "\n"));
  print(cat("      ", painted(Paint::dim, "indices "), " ", names(op.index_dtypes), "\n"));
  if (op.in_place) print(cat("      ", painted(Paint::dim, "in place"), " ", op.name, "_\n"));
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
