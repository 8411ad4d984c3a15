// Comparing dialects: the questions of the table of disagreements, with the answers that the frameworks' documents and recordings give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "compare/agreement.h"
#include "compare/compare.h"
#include "compare/vocabulary.h"
#include "picture/elements.h"
#include "strew/strew.h"

namespace strew::internal {
namespace {

Tensor ints(std::initializer_list<std::int32_t> values) { return Tensor(values, {static_cast<std::int64_t>(values.size())}); }
Tensor longs(std::initializer_list<std::int64_t> values) { return Tensor(values, {static_cast<std::int64_t>(values.size())}); }

std::string text_of(const Answer& answer) {
  if (answer.op == nullptr) return "-";
  return answer.error ? std::string(to_string(answer.error->code())) : view_text(ConstTensorRef(*answer.result));
}
// tensorflow pytorch paddle onnx directml numpy strew
using Texts = std::vector<std::string>;
Texts texts_of(const Question& question) {
  Texts texts;
  for (const Answer& answer : ask(question)) texts.push_back(text_of(answer));
  return texts;
}

TEST(Compare, NegativeIndices) {
  const Tensor x = ints({1, 2, 3}), index = longs({-1}), nine = ints({9});
  EXPECT_EQ(texts_of({x, index, nine, 0}), (Texts{"index", "index", "[1, 2, 9]", "[1, 2, 9]", "[1, 2, 9]", "[1, 2, 9]", "index"}));
}

TEST(Compare, LenientModes) {
  const Tensor x = ints({1, 2, 3}), index = longs({7}), nine = ints({9});
  EXPECT_EQ(texts_of({.data = x, .indices = index, .updates = nine, .axis = 0, .lenient = true}),
            (Texts{"[1, 2, 3]", "-", "-", "-", "[1, 2, 9]", "-", "-"}));
}

TEST(Compare, SumsOfHalves) {
  const Tensor x({to_half(2048)}, {1}), ones({to_half(1), to_half(1), to_half(1), to_half(1)}, {4}), index = longs({0, 0, 0, 0});
  EXPECT_EQ(texts_of({x, index, ones, 0, "add"}), (Texts{"[2048]", "[2052]", "[2048]", "[2048]", "-", "[2048]", "[2052]"}));
}

TEST(Compare, LargestOfNan) {
  const Tensor is({NAN}, {1}), one({1.f}, {1}), index = longs({0});
  EXPECT_EQ(texts_of({is, index, one, 0, "max"}), (Texts{"[NaN]", "[NaN]", "[NaN]", "[1]", "-", "[NaN]", "[NaN]"}));
  const Tensor nan({NAN}, {1});
  const Tensor was({1.f}, {1});
  EXPECT_EQ(texts_of({was, index, nan, 0, "max"}), (Texts{"[1]", "[NaN]", "[1]", "[NaN]", "-", "[NaN]", "[NaN]"}));
}

TEST(Compare, OldValueLeftOut) {
  const Tensor x = ints({100}), index = longs({0, 0}), updates = ints({-3, 0});
  const Question mean{.data = x, .indices = index, .updates = updates, .axis = 0, .reduction = "mean", .include_self = false};
  EXPECT_EQ(texts_of(mean), (Texts{"-", "[-2]", "[-2]", "-", "-", "-", "[-2]"}));
  const Tensor ten = ints({10, 20}), three = ints({1, 2});
  const Question sum{.data = ten, .indices = index, .updates = three, .axis = 0, .reduction = "add", .include_self = false};
  EXPECT_EQ(texts_of(sum), (Texts{"-", "[3, 20]", "[3, 20]", "-", "-", "-", "-"}));
}

TEST(Compare, EmptyTuples) {
  const Tensor x({65, 17, -14, -25}, {2, 2}), tuples(Dtype::int64, {2, 0}), updates({-1, -2, 1, 2, 3, 4, -3, -4}, {2, 2, 2});
  const std::string sum = "[[67, 19], [-16, -27]]";
  EXPECT_EQ(texts_of({x, tuples, updates, {}, "add"}), (Texts{"shape", sum, sum, sum, "-", sum, sum}));
}

TEST(Compare, EveryFormOfTheSameQuestion) {
  const Tensor x = Tensor::zeros(Dtype::int32, {3, 2}), index = longs({2, 0, 2}), updates({1, 2, 3, 4, 5, 6}, {3, 2});
  const std::string sum = "[[3, 4], [0, 0], [6, 8]]";
  EXPECT_EQ(texts_of({x, index, updates, 0, "add"}), (Texts{sum, sum, sum, sum, "-", sum, sum}));
  const Tensor column({std::int64_t{2}, std::int64_t{0}, std::int64_t{2}}, {3, 1});
  EXPECT_EQ(texts_of({x, column, updates, {}, "add"}), (Texts{sum, sum, sum, sum, "-", sum, sum}));
  const Tensor wide = Tensor::zeros(Dtype::int32, {2, 3}), across({1, 3, 5, 2, 4, 6}, {2, 3});
  const std::string transposed = "[[3, 0, 6], [4, 0, 8]]";
  EXPECT_EQ(texts_of({wide, index, across, 1, "add"}),
            (Texts{transposed, transposed, transposed, transposed, "-", transposed, transposed}));
  EXPECT_EQ(*static_cast<const std::int32_t*>(wide.data()), 0);
}

TEST(Compare, WrongQuestions) {
  const Tensor x = ints({1, 2}), index = longs({0}), one = ints({1}), half({0.5f}, {1});
  const auto message = [](const Question& question) {
    try {
      static_cast<void>(ask(question));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({x, half, one, 0}), "compare: indices must be integers, got float32");
  EXPECT_EQ(message({x, index, one, 1}), "compare: axis must be in [-1, 1), got 1");
  EXPECT_EQ(message({x, index, one, 0, "sum"}), "compare: reduction must be one of assign, add, sub, mul, min, max, mean, got \"sum\"");
}

TEST(Compare, OneSentence) {
  const Tensor x = ints({1, 2, 3}), index = longs({-1}), nine = ints({9});
  const std::vector<Answer> answers = ask({x, index, nine, 0});
  EXPECT_EQ(agreement_text(answers),
            "They disagree: tensorflow, pytorch and strew reject it; paddle, onnx, directml and numpy say [1, 2, 9].");
  EXPECT_EQ(agreement_text(answers, ints({1, 2, 9})),
            "Yours agrees with paddle, onnx, directml and numpy. tensorflow, pytorch and strew reject it.");
  EXPECT_EQ(agreement_text(answers, ints({9, 2, 8})),
            "Yours agrees with none. tensorflow, pytorch and strew reject it. It differs from paddle, "
            "onnx, directml and numpy at [0] and [2].");
}

TEST(Compare, Differences) {
  const Tensor a({NAN, 0.f, 1.f}, {3}), b({NAN, -0.f, 1.f}, {3});
  EXPECT_TRUE(differences(a, a, 3).none());
  EXPECT_EQ(differences(a, b, 3).count, 1);
  EXPECT_EQ(differences(a, b, 3).positions[0], Dims{1});
  EXPECT_FALSE(differences(a, ints({0, 0, 0}), 3).same_form);
  EXPECT_FALSE(differences(ints({1}), Tensor({1}, {1, 1}), 3).same_form);
}

TEST(Compare, OnlyOperatorsAndWordsThatExist) {
  for (const Entry& entry : vocabulary()) {
    for (const std::string_view word : entry.words) {
      if (word.empty()) continue;
      const Operator* const op = find_operator(entry.dialect, entry.op.empty() ? word : entry.op).op;
      ASSERT_NE(op, nullptr) << word;
      for (const std::string_view name : {entry.attribute, entry.fixed}) {
        if (name.empty()) continue;
        const auto parameter =
            std::find_if(op->parameters.begin(), op->parameters.end(), [&](const Parameter& p) { return p.name == name; });
        ASSERT_NE(parameter, op->parameters.end()) << name;
        if (parameter->words.empty()) continue;
        EXPECT_NE(std::count(parameter->words.begin(), parameter->words.end(), word), 0) << word;
      }
    }
  }
}

// A call, said as a question, is answered by its own dialect as the call itself.
TEST(Compare, CallsAsQuestions) {
  const Tensor x({1, 2, 3, 4, 5, 6}, {3, 2}), index({std::int64_t{0}, std::int64_t{2}}, {2}), rows({10, 20, 30, 40}, {2, 2});
  const Tensor tuples({std::int64_t{0}, std::int64_t{2}}, {2, 1}), elements({std::int64_t{0}, std::int64_t{1}}, {1, 2}),
      two({7, 8}, {1, 2});
  struct Row {
    std::string_view dialect, op;
    std::vector<Argument> arguments;
    std::string_view reduction;
  };
  const ConstTensorRef data = x;
  const Row table[] = {
      {"pytorch", "index_add", {{"input", data}, {"dim", Number(0)}, {"index", index}, {"source", rows}}, "add"},
      {"pytorch", "scatter", {{"input", data}, {"dim", Number(0)}, {"index", elements}, {"src", two}}, "assign"},
      {"pytorch",
       "scatter",
       {{"input", data}, {"dim", Number(0)}, {"index", elements}, {"src", two}, {"reduce", std::string("multiply")}},
       "mul"},
      {"paddle", "scatter", {{"x", data}, {"index", index}, {"updates", rows}, {"overwrite", Number(false)}}, "add"},
      {"onnx", "scatter_nd", {{"data", data}, {"indices", tuples}, {"updates", rows}, {"reduction", std::string("max")}}, "max"},
      {"tensorflow", "scatter_nd", {{"indices", tuples}, {"updates", rows}, {"shape", Dims{3, 2}}}, "add"},
      {"strew", "scatter_max", {{"out", data}, {"index", IndexKey{index}}, {"values", rows}}, "max"},
  };
  for (const Row& row : table) {
    const Operator& op = *find_operator(row.dialect, row.op).op;
    const std::optional<OwnedQuestion> asked = question_of(op, row.arguments);
    ASSERT_TRUE(asked) << row.op;
    EXPECT_EQ(asked->question.reduction, row.reduction) << row.op;
    Tensor own = x.clone();
    std::vector<Argument> arguments = row.arguments;
    const bool in_place = op.writes_first_argument();
    if (in_place) arguments[0].value = ConstTensorRef(own);
    const AnyOp any = op.describe(in_place ? TensorRef(own) : TensorRef(), Arguments(op, arguments));
    if (in_place) run(std::get<ScatterOp>(any));
    else own = compute(std::get<ScatterOp>(any));
    for (const Answer& answer : ask(asked->question)) {
      if (answer.dialect != row.dialect) continue;
      EXPECT_EQ(text_of(answer), view_text(ConstTensorRef(own))) << row.op;
    }
  }
  const Operator& index_add = *find_operator("pytorch", "index_add").op;
  const std::vector<Argument> scaled = {{"input", data}, {"dim", Number(0)}, {"index", index}, {"source", rows}, {"alpha", Number(2)}};
  EXPECT_FALSE(question_of(index_add, scaled));
  EXPECT_FALSE(question_of(*find_operator("pytorch", "gather").op, {}));
}

}  // namespace
}  // namespace strew::internal
