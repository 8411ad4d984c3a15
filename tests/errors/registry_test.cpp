// Calls by name: arguments that are missing, unknown or of another type.
#include <gtest/gtest.h>

#include <algorithm>

#include "dialects/registry.h"
#include "errors/rows.h"
#include "harness/generator.h"
#include "harness/runner.h"

namespace strew::harness {
namespace {

Case call(Arguments_ args) {
  Case c;
  c.id = "a call";
  c.system = "pytorch";
  c.op = "scatter_reduce";
  c.args = std::move(args);
  return c;
}

TEST(Registry, ArgumentsAreChecked) {
  const Arguments_ whole{{"input", f32({3})}, {"dim", n(0)}, {"index", i64({2})}, {"src", f32({2})}, {"reduce", w("sum")}};
  ASSERT_TRUE(run_case(call(whole)).result);
  const struct {
    std::size_t place;
    CaseArgument change;
    const char* text;
  } rows[] = {
      {0, {"input", n(1)}, "pytorch.scatter_reduce: argument \"input\" must be a tensor"},
      {0, {"self", f32({3})}, "pytorch.scatter_reduce: there is no argument \"self\""},
      {1, {"dim", Number(0.5)}, "pytorch.scatter_reduce: argument \"dim\" must be an integer"},
      {1, {"dim", Number(true)}, "pytorch.scatter_reduce: argument \"dim\" must be an integer"},
      {1, {"dim", w("0")}, "pytorch.scatter_reduce: argument \"dim\" must be an integer"},
      {4, {"reduce", n(1)}, "pytorch.scatter_reduce: argument \"reduce\" must be a string"},
      {4, {"include_self", n(1)}, "pytorch.scatter_reduce: argument \"include_self\" must be a bool"},
  };
  for (const auto& row : rows) {
    Arguments_ args = whole;
    // The last row keeps the word and adds to it.
    if (row.change.name == "include_self") args.push_back(row.change);
    else args[row.place] = row.change;
    const Answer answer = run_case(call(args));
    EXPECT_EQ(answer.code, ErrorCode::argument);
    EXPECT_EQ(answer.message, row.text);
  }
}

TEST(Registry, WhatIsScatteredHasAShape) {
  for (const std::span<const Operator> dialect : registry()) {
    for (const Operator& op : dialect) {
      const auto scattered = [](const Parameter& p) { return p.type == Parameter::updates || p.type == Parameter::source; };
      EXPECT_EQ(std::count_if(op.parameters.begin(), op.parameters.end(), scattered), op.scatters() ? 1 : 0)
          << op.dialect << "." << op.name;
      EXPECT_EQ(op.scatters(), !op.name.starts_with("gather")) << op.dialect << "." << op.name;
    }
  }
}

TEST(Registry, WhatIsRequiredMustBeThere) {
  const Arguments_ whole{{"input", f32({3})}, {"dim", n(0)}, {"index", i64({2})}, {"src", f32({2})}, {"reduce", w("sum")}};
  for (std::size_t left_out = 0; left_out < whole.size(); ++left_out) {
    Arguments_ args = whole;
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(left_out));
    const Answer answer = run_case(call(args));
    EXPECT_EQ(answer.code, ErrorCode::argument);
    EXPECT_EQ(answer.message, "pytorch.scatter_reduce: argument \"" + whole[left_out].name + "\" is missing");
  }
}

TEST(Registry, NamesAreFound) {
  EXPECT_EQ(find_operator("pytorch", "scatter_").op, find_operator("pytorch", "scatter").op);
  EXPECT_TRUE(find_operator("pytorch", "scatter_").in_place);
  EXPECT_EQ(find_operator("pytorch", "gather_").op, nullptr);
  EXPECT_EQ(find_operator("tensorflow", "scatter").op, nullptr);
  EXPECT_EQ(find_operator("", "").op, nullptr);
}

// A word that the table offers is never refused as a word, and another one is, with the same list in the message.
TEST(Registry, WordsAreThoseThatTheOperatorsTake) {
  int seen = 0;
  for (const OperatorForm& form : operator_forms()) {
    for (const Parameter& p : form.op->parameters) {
      if (p.type != Parameter::word) continue;
      ASSERT_FALSE(p.words.empty()) << form.full_name();
      const bool has_fallback = !p.fallback || std::find(p.words.begin(), p.words.end(), *p.fallback) != p.words.end();
      EXPECT_TRUE(has_fallback) << form.full_name() << " " << p.name;
      ++seen;
    }
  }
  EXPECT_GT(seen, 20);
  Case c = call({{"input", f32({3})}, {"dim", n(0)}, {"index", i64({2})}, {"src", f32({2})}, {"reduce", w("sum")}});
  for (const Parameter& p : find_operator("pytorch", "scatter_reduce").op->parameters) {
    for (const std::string_view word : p.words) {
      c.args.back().value = std::string(word);
      EXPECT_TRUE(run_case(c).result) << word;
    }
  }
}

// Every operator is in the table once, with its first tensor first and a text for every default.
TEST(Registry, IsWellFormed) {
  std::vector<std::string> names;
  for (const OperatorForm& form : operator_forms()) {
    names.push_back(form.full_name());
    ASSERT_FALSE(form.op->parameters.empty()) << names.back();
    EXPECT_TRUE(form.op->dtypes.has(Dtype::float32)) << names.back();
    for (const DtypeInfo& dtype : dtypes) {
      EXPECT_TRUE(is_integer(dtype.dtype) || !form.op->index_dtypes.has(dtype.dtype)) << names.back();
    }
  }
  EXPECT_EQ(names.size(), 50u);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace strew::harness
