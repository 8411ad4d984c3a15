// Comparing dialects: the questions of the table of disagreements, with the answers that the frameworks' documents and recordings give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "compare/agreement.h"
#include "compare/compare.h"
#include "compare/vocabulary.h"
#include "harness/generator.h"
#include "harness/runner.h"
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

TEST(Compare, AShortenedValueEndsTheSentence) {
  const Tensor x = Tensor::zeros(Dtype::int64, {60}), index = longs({0}), nine({std::int64_t{9}}, {1});
  const std::string sentence = agreement_text(ask({x, index, nine, 0}));
  EXPECT_TRUE(sentence.starts_with("They agree: ") && sentence.ends_with("\xE2\x80\xA6")) << sentence;
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

// The arguments of a generated case, in memory of their own.
class Given {
 public:
  explicit Given(const harness::Case& c) {
    for (const harness::CaseArgument& argument : c.args)
      arguments.push_back({argument.name, std::visit([&](const auto& value) { return taken(value); }, argument.value)});
  }
  std::vector<Argument> arguments;

 private:
  using Value = decltype(Argument::value);
  ConstTensorRef view(const harness::TensorSpec& spec) {
    Tensor& tensor = made_.emplace_back(spec.data.dtype, spec.shape);
    if (tensor.dtype() == Dtype::string)
      std::copy(spec.data.strings.begin(), spec.data.strings.end(), tensor.values<std::string>().begin());
    else if (tensor.size() > 0) std::memcpy(tensor.data(), spec.data.bytes.data(), spec.data.bytes.size());
    return std::as_const(tensor);
  }
  Value taken(const harness::TensorSpec& spec) { return view(spec); }
  Value taken(const harness::KeySpec& parts) {
    IndexKey key;
    for (const harness::KeyPart& part : parts) {
      std::visit(
          [&](const auto& each) {
            if constexpr (std::is_same_v<std::decay_t<decltype(each)>, harness::TensorSpec>) key.push_back(view(each));
            else key.push_back(each);
          },
          part);
    }
    return key;
  }
  Value taken(const auto& value) { return value; }

  std::deque<Tensor> made_;
};

const Answer& of(const std::vector<Answer>& answers, std::string_view dialect) {
  return *std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) { return answer.dialect == dialect; });
}

// What its own dialect answers to a call is what the call does, whatever the other dialects make of it.
TEST(Compare, OwnAnswerIsTheCall) {
  std::int64_t asked = 0, compared = 0;
  for (const harness::OperatorForm& form : harness::operator_forms()) {
    if (!form.op->scatters()) continue;
    for (std::int64_t i = 0; i < 200; ++i) {
      const harness::Case c = harness::without_views(harness::generate_case(form, 7, i));
      const Given given(c);
      const std::optional<std::vector<Answer>> answers =
          ask_as({form.op, form.in_place || form.op->writes_first_argument()}, given.arguments);
      ASSERT_TRUE(answers && answers->size() == registry().size());
      const Answer& own = of(*answers, form.op->dialect);
      const harness::Answer expected = harness::run_case(c);
      ASSERT_EQ(own.result.has_value(), expected.result.has_value()) << c.id << ": " << text_of(own) << ", not " << expected.message;
      if (own.error) {
        EXPECT_EQ(own.error->what(), expected.message) << c.id;
        continue;
      }
      harness::Case whole;
      whole.args = {{"out", harness::TensorSpec{expected.result->shape, expected.result->data, {}, 0, {}}}};
      const Given alone(whole);
      const auto& result = std::get<ConstTensorRef>(alone.arguments[0].value);
      EXPECT_TRUE(differences(*own.result, result, 1).none()) << c.id;
      EXPECT_EQ(own.result->shape(), result.shape) << c.id;
      ++compared;
      asked += std::count_if(answers->begin(), answers->end(), [](const Answer& answer) { return answer.counts(); }) > 1;
    }
  }
  EXPECT_GT(asked, compared / 3);
}

// The question that a call asks: the same values in every dialect where the semantics coincide.
TEST(Compare, CallsAsQuestions) {
  const Tensor x({1, 2, 3, 4, 5, 6}, {3, 2}), index({std::int64_t{0}, std::int64_t{2}}, {2}), rows({10, 20, 30, 40}, {2, 2});
  const Tensor tuples({std::int64_t{0}, std::int64_t{2}}, {2, 1}), elements({std::int64_t{0}, std::int64_t{1}}, {1, 2}),
      two({7, 8}, {1, 2}), column({std::int64_t{1}, std::int64_t{0}, std::int64_t{0}}, {3, 1}), three({7, 8, 9}, {3, 1}), one({7}, {1, 1}),
      wide({1, 2, 3, 4, 5, 6}, {1, 6}), place({std::int64_t{4}}, {1, 1}), flat({std::int64_t{4}}, {1}), seven({7}, {1});
  struct Row {
    std::string_view dialect, op;
    std::vector<Argument> arguments;
    std::vector<std::string_view> agree;  // with the call
  };
  const ConstTensorRef data = x;
  const Row table[] = {
      {"pytorch",
       "index_add",
       {{"input", data}, {"dim", Number(0)}, {"index", index}, {"source", rows}},
       {"tensorflow", "paddle", "numpy"}},
      {"pytorch", "scatter", {{"input", data}, {"dim", Number(0)}, {"index", elements}, {"src", two}}, {"tensorflow", "paddle", "onnx"}},
      {"pytorch",
       "scatter",
       {{"input", data}, {"dim", Number(0)}, {"index", elements}, {"src", Number(5)}},
       {"tensorflow", "paddle", "onnx"}},
      {"pytorch",
       "scatter",
       {{"input", data}, {"dim", Number(0)}, {"index", elements}, {"src", two}, {"reduce", std::string("multiply")}},
       {"paddle", "onnx", "numpy"}},
      {"onnx",
       "scatter_nd",
       {{"data", data}, {"indices", tuples}, {"updates", rows}, {"reduction", std::string("max")}},
       {"pytorch", "numpy"}},
      {"tensorflow", "scatter_nd", {{"indices", tuples}, {"updates", rows}, {"shape", Dims{3, 2}}}, {"pytorch", "paddle", "onnx", "numpy"}},
      {"strew", "scatter_max", {{"out", data}, {"index", IndexKey{index}}, {"values", rows}}, {"pytorch", "onnx", "numpy"}},
      // Broadcast arguments.
      {"numpy",
       "put_along_axis",
       {{"arr", data}, {"indices", column}, {"values", one}, {"axis", Number(1)}},
       {"pytorch", "paddle", "onnx", "directml"}},
      {"numpy", "put_along_axis", {{"arr", data}, {"indices", flat}, {"values", seven}}, {"pytorch", "paddle", "onnx", "directml"}},
      {"paddle", "put_along_axis", {{"arr", data}, {"indices", place}, {"values", three}, {"axis", Number(0)}}, {}},
      {"numpy", "add_at", {{"a", data}, {"indices", IndexKey{index, std::int64_t{1}}}, {"b", Number(1)}}, {"tensorflow", "paddle", "onnx"}},
      {"numpy", "add_at", {{"a", data}, {"indices", IndexKey{index}}, {"b", Number(1)}}, {"tensorflow", "pytorch", "onnx"}},
      {"directml",
       "scatter_nd",
       {{"input", wide}, {"indices", place}, {"updates", seven}, {"input_dimension_count", Number(1)}},
       {"tensorflow", "pytorch", "paddle", "onnx", "numpy"}},
  };
  for (const Row& row : table) {
    const Found call = find_operator(row.dialect, row.op);
    const std::optional<std::vector<Answer>> answers = ask_as(call, row.arguments);
    ASSERT_TRUE(answers) << row.op;
    const Answer& own = of(*answers, row.dialect);
    for (const std::string_view other : row.agree) EXPECT_EQ(text_of(of(*answers, other)), text_of(own)) << row.op << ", " << other;
  }
  const auto reason = [](std::string_view dialect, std::string_view op, const std::vector<Argument>& arguments) {
    return of(*ask_as(find_operator(dialect, op), arguments), dialect == "onnx" ? "numpy" : "onnx").reason;
  };
  EXPECT_EQ(reason("pytorch", "index_add", {{"input", data}, {"dim", Number(0)}, {"index", index}, {"source", rows}, {"alpha", Number(2)}}),
            "not asked: pytorch.index_add has no counterpart with these arguments");
  EXPECT_EQ(reason("numpy", "add_at", {{"a", data}, {"indices", IndexKey{numpy::Slice{}}}, {"b", Number(2)}}),
            "not asked: only integers and index tensors of one shape have a counterpart in other dialects");
  EXPECT_EQ(reason("pytorch", "index_add", {{"input", data}, {"dim", Number(1)}, {"index", elements}, {"source", two}}),
            "not asked: the index is not a vector");
  EXPECT_EQ(reason("pytorch", "scatter_add", {{"input", data}, {"dim", Number(0)}, {"index", index}, {"src", rows}}),
            "not asked: the index has another rank than the data");
  EXPECT_EQ(reason("pytorch", "scatter_add", {{"input", data}, {"dim", Number(2)}, {"index", elements}, {"src", two}}),
            "not asked: axis must be in [-2, 2), got 2");
  EXPECT_FALSE(ask_as(find_operator("pytorch", "gather"), {}));
}

}  // namespace
}  // namespace strew::internal
