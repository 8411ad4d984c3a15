// Laws that hold for every case: how a call is run, where its memory lies and in which form it is made never shows in the bits.
#include <gtest/gtest.h>

#include <set>

#include "harness/executor.h"
#include "harness/generator.h"
#include "harness/golden.h"
#include "harness/memory.h"
#include "harness/runner.h"
#include "kernels/pin.h"
#include "strategies/strategy.h"

namespace strew::harness {
namespace {

// The recorded cases and some of each operator from the generator. STREW_SEED replays another set.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list = read_golden(STREW_TESTS_DIR "/golden");
    const char* const wanted = std::getenv("STREW_SEED");
    const std::uint64_t seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 20;
    testing::Test::RecordProperty("seed", std::to_string(seed));
    for (const OperatorForm& form : operator_forms()) {
      for (std::int64_t i = 0; i < 150; ++i) list.push_back(generate_case(form, seed, i));
    }
    return list;
  }();
  return all;
}

std::string text(const Answer& answer) {
  return answer.result ? text(*answer.result) : std::string(to_string(*answer.code)) + ": " + answer.message;
}

// Whether two answers are the same, bit by bit; errors by their text as well unless the forms name the operator differently.
enum class Texts : std::uint8_t { compared, ignored };
bool agree(const Answer& a, const Answer& b, Texts texts = Texts::compared) {
  if (a.result && b.result) return same_bits(*a.result, *b.result);
  return a.code && b.code && *a.code == *b.code && (texts == Texts::ignored || a.message == b.message);
}

bool declined(const Answer& answer) {
  return answer.code == ErrorCode::argument && answer.message.find(": strategy \"") != std::string::npos;
}

TEST(Laws, EveryWayToRunGivesTheSerialBits) {
  ThreadExecutor threads(4);
  for (const Case& c : cases()) {
    const Answer serial = run_case(c, {.options = {.executor = nullptr, .strategy = "serial", .block_points = 0}});
    EXPECT_EQ(serial.damage, "") << c.id;
    EXPECT_TRUE(agree(serial, run_case(c))) << c.id << ": the strategy chosen by itself";
    for (const Strategy* strategy : strategies()) {
      const auto run_by = [&](const Executor* executor, std::int64_t block) {
        Answer answer = run_case(c, {.options = {.executor = executor, .strategy = strategy->name, .block_points = block}});
        EXPECT_EQ(answer.damage, "") << c.id;
        return answer;
      };
      const auto expect_serial = [&](const Answer& other, const char* way) {
        EXPECT_TRUE(agree(serial, other)) << c.id << " by " << strategy->name << way << "\n  serial: " << text(serial)
                                          << "\n  other:  " << text(other);
      };
      // Small blocks make many tasks. What is declined with threads is declined without them.
      const Answer threaded = run_by(threads.get(), 3), alone = run_by(nullptr, 1);
      EXPECT_EQ(declined(threaded), declined(alone)) << c.id << " by " << strategy->name;
      if (declined(threaded)) continue;
      expect_serial(threaded, " on threads");
      expect_serial(alone, " in blocks of 1");
      expect_serial(run_by(nullptr, 3), " in blocks of 3");
      expect_serial(run_by(nullptr, 512), " in blocks of 512");
    }
  }
}

// The best set and the baseline at least, or this says nothing.
TEST(Laws, EveryInstructionSetGivesTheSameBits) {
  const std::vector<std::string_view> sets = instruction_sets();
  ASSERT_FALSE(sets.empty());
  EXPECT_FALSE(pin_instruction_set("no such set"));
  std::vector<Answer> expected;
  for (const std::string_view set : sets) {
    ASSERT_TRUE(pin_instruction_set(set)) << set;
    const bool is_first = expected.empty();
    for (std::size_t i = 0; i < cases().size(); ++i) {
      const Answer answer = run_case(cases()[i]);
      if (is_first) {
        expected.push_back(answer);
      } else {
        EXPECT_TRUE(agree(expected[i], answer))
            << cases()[i].id << " on " << set << "\n  " << sets[0] << ": " << text(expected[i]) << "\n  " << set << ": " << text(answer);
      }
    }
  }
  EXPECT_TRUE(pin_instruction_set(""));
}

TEST(Laws, IntoAndInPlaceGiveTheFunctionalBits) {
  for (const Case& original : cases()) {
    // In place a view may overlap itself, which is an error of its own.
    const Case c = without_views(original);
    const Answer functional = run_case(c, {.form = Form::functional});
    const Answer into = run_case(c, {.form = Form::into});
    EXPECT_EQ(functional.damage + into.damage, "") << c.id;
    EXPECT_TRUE(agree(functional, into)) << c.id << "\n  functional: " << text(functional) << "\n  into:       " << text(into);
    if (!has_in_place_form(c)) continue;
    const Answer in_place = run_case(c, {.form = Form::in_place});
    EXPECT_EQ(in_place.damage, "") << c.id;
    EXPECT_TRUE(agree(functional, in_place, Texts::ignored))
        << c.id << "\n  functional: " << text(functional) << "\n  in place:   " << text(in_place);
  }
}

TEST(Laws, ExplainThrowsWhatTheRunThrows) {
  for (const Case& c : cases()) {
    for (const Form form : {Form::functional, Form::into, Form::in_place}) {
      if (form == Form::in_place && !has_in_place_form(c)) continue;
      const Answer ran = run_case(c, {.form = form}), explained = run_case(c, {.form = form, .explained = true});
      EXPECT_EQ(explained.damage, "") << c.id;
      if (ran.code == ErrorCode::memory) continue;  // explaining needs none
      EXPECT_TRUE(ran.code ? agree(ran, explained) : explained.result.has_value())
          << c.id << "\n  run:     " << text(ran) << "\n  explain: " << text(explained);
    }
  }
}

// Whether the operator writes into its first argument, and elements of that are the same memory: they change together.
bool writes_shared_memory(const Case& c) {
  const Found found = find_operator(c.dialect(), c.op);
  if (!found.op->writes_first_argument()) return false;
  const auto& written = std::get<TensorSpec>(c.args[0].value);
  std::set<std::int64_t> places;
  each_place(written, [&](std::int64_t place) { places.insert(place); });
  return static_cast<std::int64_t>(places.size()) != element_count(written.shape);
}

TEST(Laws, ViewsDoNotShow) {
  for (const Case& c : cases()) {
    const Answer strided = run_case(c, {.form = Form::functional});
    // NumPy's axis=None takes row-major arrays only.
    if (writes_shared_memory(c) || strided.message.find("must be dense and row-major") != std::string::npos) continue;
    // In place an input may share the memory that is written. Dense, each tensor has its own.
    if (strided.code == ErrorCode::overlap && find_operator(c.dialect(), c.op).op->writes_first_argument()) continue;
    const Answer dense = run_case(without_views(c), {.form = Form::functional});
    EXPECT_EQ(strided.damage + dense.damage, "") << c.id;
    EXPECT_TRUE(agree(strided, dense)) << c.id << "\n  strided: " << text(strided) << "\n  dense:   " << text(dense);
  }
}

TEST(Laws, AlignmentDoesNotShow) {
  for (const Case& c : cases()) {
    const Answer aligned = run_case(c);
    for (const std::size_t shift : {std::size_t{1}, std::size_t{7}}) {
      const Answer shifted = run_case(c, {.shift = shift});
      EXPECT_EQ(shifted.damage, "") << c.id;
      EXPECT_TRUE(agree(aligned, shifted)) << c.id << " shifted by " << shift;
    }
  }
}

// The generator must reach both results and each kind of error, or the laws above say little.
TEST(Laws, CasesReachEverything) {
  std::map<std::string, int> seen;
  for (const Case& c : cases()) {
    const Answer answer = run_case(c);
    ++seen[answer.result ? "result" : std::string(to_string(*answer.code))];
  }
  for (const char* code : {"result", "shape", "dtype", "argument", "axis", "overlap", "unsupported", "index"})
    EXPECT_GT(seen[code], 10) << code;
  EXPECT_GT(seen["result"], static_cast<int>(cases().size() / 2));
}

// A stray write, which a sanitizer must not stop first.
__attribute__((no_sanitize("address"))) void scribble(volatile std::byte* at) { *at = std::byte{0}; }

// The watch itself: a run that wrote where it must not is seen.
TEST(Laws, DamageIsSeen) {
  for (const std::int64_t stray : {-1, 12, -200, 200}) {
    GuardedBuffer memory(buffer_of<std::int32_t>({1, 2, 3}));
    EXPECT_TRUE(memory.intact());
    EXPECT_TRUE(same_bits(memory.content(), buffer_of<std::int32_t>({1, 2, 3})));
    scribble(static_cast<std::byte*>(memory.data()) + stray);
    EXPECT_FALSE(memory.intact()) << stray;
  }
}

}  // namespace
}  // namespace strew::harness
