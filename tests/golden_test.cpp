// Replays what the real frameworks answered. A case that differs must stand in docs/differences.md, and only such a case.
#include <gtest/gtest.h>

#include <set>

#include "harness/golden.h"

namespace strew::harness {
namespace {

const std::vector<Case>& golden() {
  static const std::vector<Case> cases = read_golden(STREW_TESTS_DIR "/golden");
  return cases;
}

const std::map<std::string, Difference>& listed() {
  static const std::map<std::string, Difference> rows = read_differences(STREW_TESTS_DIR "/../docs/differences.md");
  return rows;
}

std::string cells(const Difference& d) { return d.framework + " | " + d.strew; }

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, AnswersAsRecordedOrListed) {
  const std::vector<Rule> rules = rules_of(golden());
  int seen = 0;
  for (std::size_t i = 0; i < golden().size(); ++i) {
    const Case& c = golden()[i];
    if (c.system != GetParam()) continue;
    ++seen;
    const Answer answer = run_case(c);
    EXPECT_EQ(answer.damage, "") << c.id;
    const std::optional<Difference> found = difference(c, rules[i], answer);
    const auto row = listed().find(c.id);
    if (found && row == listed().end()) ADD_FAILURE() << c.id << " differs and is not listed: " << cells(*found);
    if (!found && row != listed().end()) ADD_FAILURE() << c.id << " is listed but does not differ";
    if (found && row != listed().end() && !(*found == row->second)) {
      ADD_FAILURE() << c.id << " is listed with other answers\n  now:    " << cells(*found) << "\n  listed: " << cells(row->second);
    }
  }
  EXPECT_GT(seen, 600);
}

INSTANTIATE_TEST_SUITE_P(Systems, Golden, testing::Values("tensorflow", "pytorch", "paddle", "onnxruntime", "onnx_reference", "numpy"),
                         [](const auto& system) { return std::string(system.param); });

TEST(Differences, ListsOnlyKnownCases) {
  std::set<std::string> ids;
  for (const Case& c : golden()) ids.insert(c.id);
  EXPECT_EQ(ids.size(), golden().size());
  for (const auto& [id, row] : listed()) EXPECT_TRUE(ids.contains(id)) << id;
}

// The judge itself: another bit, another shape, an error for a result and the reverse are differences.
TEST(Differences, AreSeen) {
  Case c;
  c.id = "system/case";
  c.result = Values{{2}, buffer_of<float>({1, 2})};
  Answer answer;
  answer.result = c.result;
  EXPECT_FALSE(difference(c, Rule::compare, answer));
  answer.result->data = buffer_of<float>({1, 2.0000002f});
  EXPECT_TRUE(difference(c, Rule::compare, answer));
  EXPECT_FALSE(difference(c, Rule::no_error, answer));
  answer.result = Values{{2, 1}, c.result->data};
  EXPECT_TRUE(difference(c, Rule::compare, answer));
  answer.result = Values{{2}, buffer_of<float>({1, -0.0f})};
  c.result->data = buffer_of<float>({1, 0.0f});
  EXPECT_TRUE(difference(c, Rule::compare, answer));
  answer.result.reset();
  answer.code = ErrorCode::index;
  EXPECT_TRUE(difference(c, Rule::compare, answer));
  EXPECT_TRUE(difference(c, Rule::no_error, answer));
  EXPECT_FALSE(difference(c, Rule::no_rule, answer));
}

TEST(Differences, AnyNanEqualsAnyNan) {
  const Values quiet{{1}, buffer_of<std::uint32_t>({0x7fc00000})}, other{{1}, buffer_of<std::uint32_t>({0xffc00001})};
  Values a = quiet, b = other;
  EXPECT_FALSE(same(a, b));
  a.data.dtype = b.data.dtype = Dtype::float32;
  EXPECT_TRUE(same(a, b));
  EXPECT_FALSE(same_bits(a, b));
}

}  // namespace
}  // namespace strew::harness
