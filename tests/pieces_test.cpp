// Scatters in pieces: whatever the cut, the threads, the strategy and what was refused meanwhile, the bits are those of one call.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "base/cancellation.h"
#include "base/text.h"
#include "core/unfinished.h"
#include "harness/choices.h"
#include "harness/cut.h"
#include "harness/executor.h"
#include "harness/generator.h"
#include "harness/golden.h"
#include "harness/runner.h"
#include "kernels/pin.h"
#include "ops/recipe.h"
#include "strategies/strategy.h"
#include "strew/pieces.h"
#include "strew/strew.h"

namespace strew::harness {
namespace {

// The recorded scatters and some of each operator from the generator.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list = read_golden(STREW_TESTS_DIR "/golden");
    for (const OperatorForm& form : operator_forms()) {
      for (std::int64_t i = 0; i < 60; ++i) list.push_back(generate_case(form, 31, i));
    }
    std::erase_if(list, [](const Case& c) { return c.op.starts_with("gather"); });
    return list;
  }();
  return all;
}

std::string text(const Answer& answer) {
  return answer.result ? text(*answer.result) : std::string(to_string(*answer.code)) + ": " + answer.message;
}

// Errors of a piece name it, and a place within it; those of making the op are as in a call.
bool agree(const Answer& once, const Answer& pieces) {
  if (once.result && pieces.result) return same_bits(*once.result, *pieces.result);
  // Whether views with a common extent share memory is told of dense ones only, as a part may not be.
  if (once.code == ErrorCode::overlap) return true;
  if (!once.code || !pieces.code || *once.code != *pieces.code) return false;
  return once.message == pieces.message || pieces.message.find(": piece ") != std::string::npos;
}

TEST(Pieces, EveryCutGivesTheBitsOfOneCall) {
  ThreadExecutor threads(4);
  std::uint64_t seed = 0;
  int results = 0;
  for (const Case& c : cases()) {
    const auto check = [&](Form form, const RunOptions& options, std::string_view how) {
      const Answer once = run_case(c, {.form = form}), pieces = run_case(c, {.options = options, .form = form, .pieces = ++seed});
      EXPECT_EQ(pieces.damage, "") << c.id << " " << how;
      EXPECT_TRUE(agree(once, pieces)) << c.id << " " << how << " seed " << seed << "\n  once:   " << text(once)
                                       << "\n  pieces: " << text(pieces);
      results += once.result ? 1 : 0;
    };
    check(Form::into, {}, "into other memory");
    const bool in_place = has_in_place_form(c);
    const Form form = in_place ? Form::in_place : Form::into;
    check(form, {.executor = threads.get(), .threads = 4, .block_points = 3}, "on threads");
    check(form, {.block_points = 1}, "in blocks of 1");
  }
  EXPECT_GT(results, 5000);
}

TEST(Pieces, EveryStrategyGivesTheSameBits) {
  ThreadExecutor threads(3);
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < cases().size(); i += 11) {
    const Case& c = cases()[i];
    const Answer once = run_case(c);
    for (const internal::Strategy* strategy : internal::strategies()) {
      const bool on_threads = seed % 2 == 0;
      const RunOptions options{.executor = on_threads ? threads.get() : nullptr,
                               .threads = on_threads ? 3 : 1,
                               .strategy = strategy->name,
                               .block_points = on_threads ? 3 : 512};
      const Answer pieces = run_case(c, {.options = options, .form = Form::into, .pieces = ++seed});
      EXPECT_EQ(pieces.damage, "") << c.id << " by " << strategy->name;
      const Answer into = run_case(c, {.form = Form::into});
      EXPECT_TRUE(agree(into, pieces)) << c.id << " by " << strategy->name << " seed " << seed << "\n  once:   " << text(once)
                                       << "\n  pieces: " << text(pieces);
    }
  }
}

TEST(Pieces, EveryInstructionSetGivesTheSameBits) {
  std::vector<Answer> expected;
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set)) << set;
    const bool is_first = expected.empty();
    for (std::size_t i = 0; i < cases().size(); i += 5) {
      const Answer answer = run_case(cases()[i], {.form = Form::into, .pieces = i + 1});
      if (is_first) {
        expected.push_back(answer);
      } else {
        EXPECT_TRUE(agree(expected[i / 5], answer)) << cases()[i].id << " on " << set;
      }
    }
  }
  EXPECT_TRUE(pin_instruction_set(""));
}

// Ops that no dialect has: every addressing with every fold, base and stride.
TEST(Pieces, OfOpsByHand) {
  using namespace ops;
  int results = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SeededChoices choices(seed);
    Memory once;
    const Recipe recipe = make_recipe(choices, once);
    if (recipe.huge || recipe.gathers) continue;
    Memory pieces = once;
    const Memory before = once;
    std::string message;
    const auto attempt = [&](auto call) -> std::optional<ErrorCode> {
      try {
        call();
      } catch (const Error& error) {
        message = error.what();
        return error.code();
      }
      return std::nullopt;
    };
    const auto ran = attempt([&] { run(recipe.scatter(once), {.strategy = "serial"}); });
    const auto stepped = attempt([&] { run_in_pieces(recipe.scatter(pieces), seed + 1, {}); });
    // A part of a dense tensor may not be dense, and the other way round.
    if (ran == ErrorCode::overlap || stepped == ErrorCode::overlap) continue;
    EXPECT_EQ(ran, stepped) << seed << " " << message << "\n" << print(recipe);
    EXPECT_EQ(pieces, stepped ? before : once) << seed << "\n" << print(recipe);
    results += ran ? 0 : 1;
  }
  EXPECT_GT(results, 700);
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + " | " + error.what();
  }
  return "no error";
}

// A mean with include_self = false: it begins, counts and finishes.
struct Mean {
  std::vector<float> out{10, 20, 30};
  std::vector<std::int64_t> index{0, 2, 0, 2};
  std::vector<float> updates{1, 2, 4, 8};

  [[nodiscard]] ScatterOp op(std::size_t begin, std::size_t end) {
    const auto count = static_cast<std::int64_t>(end - begin);
    return pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, ConstTensorRef(index.data() + begin, Dtype::int64, {count}),
                                             ConstTensorRef(updates.data() + begin, Dtype::float32, {count}), "mean", false);
  }
};

TEST(Pieces, TheOutputIsWrittenByFinishAlone) {
  Mean mean;
  Pieces pieces(mean.op(0, 0));
  EXPECT_EQ(pieces.nbytes(), 0);
  pieces.step(mean.op(0, 3));
  pieces.step(mean.op(3, 4));
  EXPECT_EQ(pieces.count(), 2);
  EXPECT_EQ(pieces.nbytes(), 3 * 8);
  EXPECT_EQ(mean.out, (std::vector<float>{10, 20, 30}));
  pieces.finish();
  EXPECT_EQ(mean.out, (std::vector<float>{2.5, 20, 5}));
  EXPECT_EQ(pieces.nbytes(), 0);
}

TEST(Pieces, ByColumnsAndNumbers) {
  std::vector<float> out(6);
  std::vector<std::int64_t> row{1, 0}, column{2, 0};
  std::vector<std::int32_t> narrow_row{1}, narrow_column{2};
  const std::vector<float> values{1, 2};
  const TensorRef grid(out.data(), Dtype::float32, {2, 3});
  Pieces pieces(describe::scatter_add(grid, {row, column}, values));
  const ConstTensorRef columns[] = {tensor(row), tensor(column)}, narrow[] = {tensor(narrow_row), tensor(narrow_column)};
  pieces.step(columns, tensor(values));
  Scalar number{Dtype::float32, {}};
  const float four = 4;
  std::memcpy(number.bytes, &four, sizeof four);
  pieces.step(narrow, number);
  pieces.finish();
  EXPECT_EQ(out, (std::vector<float>{2, 0, 0, 0, 0, 5}));
}

TEST(Pieces, ARefusedPieceChangesNothing) {
  Mean mean, same;
  Pieces pieces(mean.op(0, 4)), plain(same.op(0, 4));
  plain.step(same.op(0, 4));
  plain.finish();
  const auto refused = [&](const ScatterOp& op) { return error_of([&] { pieces.step(op); }); };
  mean.index[1] = 3;
  EXPECT_EQ(
      refused(mean.op(0, 4)),
      "index | pytorch.scatter_reduce_: piece 0: index 3 is out of bounds for dimension 0 with size 3 (index[1] = 3 for axis 0 of size "
      "3, valid: 0..2)");
  mean.index[1] = 2;
  pieces.step(mean.op(0, 2));
  mean.index[3] = -1;
  EXPECT_EQ(refused(mean.op(2, 4)),
            "index | pytorch.scatter_reduce_: piece 1: index -1 is out of bounds for dimension 0 with size 3 (index[1] = -1 for axis 0 of "
            "size 3, valid: 0..2)");
  mean.index[3] = 2;
  std::vector<double> doubles(2);
  ScatterOp other = mean.op(2, 4);
  other.updates = tensor(doubles);
  EXPECT_EQ(refused(other), "dtype | pytorch.scatter_reduce_: piece 1: updates must be float32, got float64");
  other = mean.op(2, 4);
  other.fold.begin = FoldBegin::current;
  EXPECT_EQ(refused(other), "argument | pytorch.scatter_reduce_: piece 1: pieces must have one fold");
  std::vector<float> elsewhere(3);
  other = mean.op(2, 4);
  other.out = tensor(elsewhere);
  EXPECT_EQ(refused(other),
            "argument | pytorch.scatter_reduce_: piece 1: the piece goes to another output, or to another part of it, than the first one");
  other = mean.op(2, 4);
  other.updates = ConstTensorRef(mean.out.data(), Dtype::float32, {2});
  EXPECT_EQ(refused(other).substr(0, 44), "overlap | pytorch.scatter_reduce_: piece 1: ");
  EXPECT_EQ(error_of([&] { pieces.step(mean.op(2, 4), {.strategy = "nothing"}); }).substr(0, 76),
            "argument | pytorch.scatter_reduce_: piece 1: there is no strategy \"nothing\";");
  EXPECT_EQ(pieces.count(), 1);
  pieces.step(mean.op(2, 4));
  pieces.finish();
  EXPECT_EQ(mean.out, same.out);
}

TEST(Pieces, EndOnce) {
  Mean mean;
  const std::vector<float> before = mean.out;
  Pieces pieces(mean.op(0, 4));
  pieces.step(mean.op(0, 4));
  pieces.abort();
  EXPECT_EQ(mean.out, before);
  const std::string aborted = "argument | pytorch.scatter_reduce_: the pieces were aborted already";
  EXPECT_EQ(error_of([&] { pieces.finish(); }), aborted);
  EXPECT_EQ(error_of([&] { pieces.abort(); }), aborted);
  EXPECT_EQ(error_of([&] { pieces.step(mean.op(0, 4)); }), aborted);
  Pieces others(mean.op(0, 4));
  Pieces moved = std::move(others);
  EXPECT_EQ(error_of([&] { others.finish(); }), "argument | Pieces: the object was moved from");
  moved.finish();
  EXPECT_EQ(mean.out, before);
  EXPECT_EQ(error_of([&] { moved.step(mean.op(0, 4)); }), "argument | pytorch.scatter_reduce_: the pieces were finished already");
  { Pieces dropped(mean.op(0, 4)); }
  EXPECT_EQ(mean.out, before);
}

// An executor whose tasks call back before they run.
struct Calling {
  std::function<void()> call;
  Executor executor{this, [](void* context, std::int64_t tasks, void (*task)(void* work, std::int64_t i), void* work) {
                      static_cast<Calling*>(context)->call();
                      for (std::int64_t i = 0; i < tasks; ++i) task(work, i);
                    }};
};

TEST(Pieces, TakeOneThreadAtATime) {
  const std::int64_t count = 1 << 17;
  std::vector<float> out(1 << 18), updates(static_cast<std::size_t>(count), 1);
  std::vector<std::int64_t> index(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) index[static_cast<std::size_t>(i)] = i * 7919 % (1 << 18);
  const ScatterOp op = pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "mean", false);
  Pieces pieces(op);
  std::vector<std::string> errors;
  Calling calling{[&] {
    std::thread other([&] {
      errors.push_back(error_of([&] { pieces.step(op); }));
      errors.push_back(error_of([&] { pieces.finish(); }));
      errors.push_back(error_of([&] { pieces.abort(); }));
      errors.push_back(error_of([&] { static_cast<void>(pieces.nbytes()); }));
    });
    other.join();
  }};
  pieces.step(op, {.executor = &calling.executor, .threads = 2});
  ASSERT_GE(errors.size(), 4u);
  for (const std::string& error : errors) {
    EXPECT_EQ(error, "argument | pytorch.scatter_reduce_: another call is running; pieces take one thread at a time");
  }
  pieces.finish();
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_TRUE(out[i] == 0 || out[i] == 1);
}

// Calls from two threads at once: each is done or refused, and none of those that are done is lost.
TEST(Pieces, AreRefusedOrDone) {
  Mean mean;
  Pieces pieces(mean.op(0, 4));
  std::atomic<std::int64_t> done = 0;
  const auto step_often = [&] {
    for (int i = 0; i < 2000; ++i) {
      try {
        pieces.step(mean.op(0, 4));
        ++done;
      } catch (const Error& error) {
        EXPECT_EQ(std::string_view(error.what()), "pytorch.scatter_reduce_: another call is running; pieces take one thread at a time");
      }
    }
  };
  std::thread other(step_often);
  step_often();
  other.join();
  EXPECT_EQ(pieces.count(), done);
  pieces.finish();
  EXPECT_EQ(mean.out, (std::vector<float>{2.5, 20, 5}));
}

// Indices that change between their validation and their use leave only abort().
TEST(Pieces, ChangedIndicesLeaveTheOutputAsItWas) {
  for (const char* word : {"mean", "sum"}) {
    std::vector<float> out{10, 20, 30}, updates(1000, 1);
    std::vector<std::int64_t> index(1000, 1);
    const ScatterOp op = pytorch::describe::scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), word, true);
    Pieces pieces(op);
    pieces.step(op);
    int asked = 0;
    struct Spoiling {
      std::vector<std::int64_t>& index;
      int& asked;
    } spoiling{index, asked};
    const internal::CancellationScope scope(
        [](void* context) {
          auto& own = *static_cast<Spoiling*>(context);
          own.index[900] = 1 << 20;
          ++own.asked;
        },
        &spoiling);
    EXPECT_EQ(error_of([&] { pieces.step(op, {.strategy = "serial"}); }),
              "changed | pytorch.scatter_reduce_: piece 1: indices changed while they were read; only abort() is left, the output is as it "
              "was");
    EXPECT_GE(asked, 1);
    const std::string rest = "indices changed while an earlier piece was stepped; only abort() is left";
    EXPECT_EQ(error_of([&] { pieces.step(op); }), "changed | pytorch.scatter_reduce_: piece 1: " + rest);
    EXPECT_EQ(error_of([&] { pieces.finish(); }), "changed | pytorch.scatter_reduce_: " + rest);
    pieces.abort();
    EXPECT_EQ(out, (std::vector<float>{10, 20, 30}));
  }
}

// Counts of updates get 64 bits before they could overflow.
TEST(Pieces, CountsAreWidened) {
  for (const char* word : {"mean", "sum", "amax"}) {
    std::vector<Half> once(50), out(50), updates(1000);
    std::vector<std::int64_t> index(1000);
    SeededChoices choices(3);
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[i] = static_cast<std::int64_t>(choices.below(50));
      updates[i] = to_half(static_cast<float>(choices.below(100)) / 8);
    }
    const auto op = [&](std::vector<Half>& into, std::int64_t begin, std::int64_t end) {
      return pytorch::describe::scatter_reduce(tensor(into), tensor(into), 0,
                                               ConstTensorRef(index.data() + begin, Dtype::int64, {end - begin}),
                                               ConstTensorRef(updates.data() + begin, Dtype::float16, {end - begin}), word, false);
    };
    run(op(once, 0, 1000));
    for (const std::int64_t narrow : {1, 100, 101, 999, 1000, 5000}) {
      std::fill(out.begin(), out.end(), Half{});
      internal::UnfinishedScatter scatter(op(out, 0, 1000), {}, narrow);
      const std::int64_t before = scatter.nbytes();
      for (std::int64_t begin = 0; begin < 1000; begin += 100) scatter.step(op(out, begin, begin + 100), {});
      EXPECT_EQ(scatter.nbytes() > before, narrow <= 1000) << narrow;
      scatter.finish({});
      EXPECT_EQ(std::memcmp(once.data(), out.data(), 100), 0) << word << " " << narrow;
    }
  }
}

TEST(Pieces, OfStrings) {
  std::vector<std::string> out{"a", "b", "c"};
  const std::vector<std::string> updates{"first", "second"};
  std::vector<std::int64_t> index{2, 2};
  const auto op = [&](std::int64_t i) {
    return tensorflow::describe::tensor_scatter_nd_add(tensor(out), tensor(out), ConstTensorRef(index.data() + i, Dtype::int64, {1, 1}),
                                                       ConstTensorRef(updates.data() + i, Dtype::string, {1}));
  };
  Pieces pieces(op(0));
  pieces.step(op(0));
  pieces.step(op(1));
  EXPECT_EQ(out[2], "c");
  pieces.finish();
  EXPECT_EQ(out, (std::vector<std::string>{"a", "b", "cfirstsecond"}));
}

}  // namespace
}  // namespace strew::harness
