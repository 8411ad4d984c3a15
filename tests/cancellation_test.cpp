// The check before the first write can cancel a call with every strategy; nothing is written then.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "compare/compare.h"
#include "harness/same_bits.h"
#include "strategies/strategy.h"
#include "strew/gradient.h"
#include "strew/strew.h"

namespace strew {
using namespace internal;
namespace {

struct Stopped {};
void stop(void*) { throw Stopped(); }

constexpr std::int64_t count = 1 << 17, places = 1 << 18, width = 64;

// Runs a call that must stop before it writes to `out`. Returns false if the strategy declined.
template <class Call>
bool stops(const std::vector<float>& out, const Call& call) {
  const std::vector<float> before = out;
  try {
    const CancellationScope scope(&stop, nullptr);
    call();
    ADD_FAILURE() << "no cancellation point";
  } catch (const Stopped&) {
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument) << error.what();
    return false;
  }
  EXPECT_TRUE(harness::same_bits(out, before));
  return true;
}

// Returns how often a call, failing or not, passes a cancellation point; -1 if the strategy declined.
std::int64_t points_passed(const ScatterOp& op, const RunOptions& options) {
  std::int64_t times = 0;
  const CancellationScope scope([](void* context) { ++*static_cast<std::int64_t*>(context); }, &times);
  try {
    run(op, options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::argument) return -1;
  }
  return times;
}

// A call whose last index is bad ends after it has validated all of them, so a valid call passes a cancellation point once more.
void expect_point_after_validation(const ScatterOp& op, std::int64_t& last, const RunOptions& options) {
  const std::int64_t good = last, when_good = points_passed(op, options);
  last = std::int64_t{1} << 40;
  EXPECT_TRUE(when_good < 0 || points_passed(op, options) < when_good);
  last = good;
}

TEST(Cancellation, EveryStrategyStops) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> index(count), rising(count), pairs(2 * count), rows(count / width);
  for (std::int64_t& i : index) i = static_cast<std::int64_t>(random() % places);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<std::int64_t>(2 * i);
  for (std::int64_t& i : pairs) i = static_cast<std::int64_t>(random() % 512);
  for (std::int64_t& i : rows) i = static_cast<std::int64_t>(random() % (places / width));
  std::vector<float> out(places, 2);
  const std::vector<float> updates(count, 1);
  const TensorRef table(out.data(), Dtype::float32, {places / width, width}), grid(out.data(), Dtype::float32, {512, 512});
  const ConstTensorRef row_updates(updates.data(), Dtype::float32, {count / width, width}), tuples(pairs.data(), Dtype::int64, {count, 2});
  const ConstTensorRef whole_rows(rows.data(), Dtype::int64, {count / width, width}, {1, 0});
  using namespace pytorch::describe;
  const ScatterOp ops[] = {
      scatter_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
      scatter_add(tensor(out), tensor(out), 0, tensor(rising), tensor(updates)),
      scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "amax"),
      scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "mean"),
      index_copy(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
      index_add(table, table, 0, tensor(rows), row_updates),
      index_copy(table, table, 0, tensor(rows), row_updates),
      scatter_reduce(table, table, 0, whole_rows, row_updates, "mean"),
      scatter_add(table, table, 0, whole_rows, row_updates),
      tensorflow::describe::tensor_scatter_nd_add(grid, grid, tuples, tensor(updates)),
      numpy::describe::maximum_at(tensor(out), {tensor(index)}, tensor(updates)),
  };
  std::set<std::string_view> stopped;
  for (const ScatterOp& op : ops) {
    for (const std::int64_t threads : {1, 2, 5}) {
      EXPECT_TRUE(stops(out, [&] { run(op, {.threads = threads}); })) << op.name.op;
      for (const Strategy* strategy : strategies()) {
        SCOPED_TRACE(strategy->name);
        const RunOptions options{.threads = threads, .strategy = strategy->name};
        if (stops(out, [&] { run(op, options); })) stopped.insert(strategy->name);
        for (std::vector<std::int64_t>* const last_of : {&index, &rising, &pairs, &rows}) {
          if (op.where.columns.back().data == last_of->data() + (last_of == &pairs ? 1 : 0))
            expect_point_after_validation(op, last_of->back(), options);
        }
      }
      const Plan made = plan(op, {.threads = threads});
      EXPECT_TRUE(stops(out, [&] { made.apply(op.updates, op.out, {.threads = threads}); })) << op.name.op;
    }
  }
  EXPECT_EQ(stopped.size(), strategies().size());
  std::vector<float> gathered(count, 3);
  EXPECT_TRUE(stops(gathered, [&] { run(gather(tensor(gathered), tensor(out), 0, tensor(index))); }));
}

// Calls of several passes can be stopped before each of them.
TEST(Cancellation, EveryPassStops) {
  const std::vector<std::int64_t> index(count, 1);
  const std::vector<float> updates(count, 1), cotangent(places, 1);
  std::vector<float> out(places, 2);
  using namespace pytorch::describe;
  const ScatterOp ops[] = {
      scatter(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
      scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "prod"),
      scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "amax"),
      scatter_reduce(tensor(out), tensor(out), 0, tensor(index), tensor(updates), "mean"),
  };
  struct Countdown {
    int left;
    static void count(void* context) {
      if (static_cast<Countdown*>(context)->left-- == 0) throw Stopped();
    }
  };
  // The number of passes before each of which a call stops.
  const auto passes = [](const auto& call) {
    for (int before = 0;; ++before) {
      Countdown countdown{before};
      const CancellationScope asking(&Countdown::count, &countdown);
      try {
        call();
        return before;
      } catch (const Stopped&) {
      }
    }
  };
  for (const ScatterOp& op : ops) {
    const ScatterTangents tangents{.base = tensor(cotangent), .updates = tensor(updates)};
    EXPECT_GT(passes([&] { static_cast<void>(vjp(op, tensor(cotangent))); }), 2) << op.name.op;
    const bool is_linear = op.fold.step == Reduction::assign || op.fold.step == Reduction::add;  // the op itself, on tangents
    EXPECT_GE(passes([&] { static_cast<void>(jvp(op, tangents)); }), is_linear ? 1 : 3) << op.name.op;
  }
  EXPECT_GT(passes([&] { static_cast<void>(winners(ops[0])); }), 2);
  const Question question{.data = tensor(out), .indices = tensor(index), .updates = tensor(updates), .axis = 0, .reduction = "add"};
  EXPECT_GT(passes([&] { static_cast<void>(ask(question)); }), 6);
}

TEST(Cancellation, OnlyAsLongAsItLives) {
  std::vector<float> out(4);
  const std::vector<std::int64_t> index{1};
  const std::vector<float> updates{1};
  const auto call = [&] { pytorch::scatter_add_(tensor(out), 0, tensor(index), tensor(updates)); };
  const CancellationScope outer(&stop, nullptr);
  {
    const CancellationScope nobody(nullptr, nullptr);
    call();
  }
  EXPECT_EQ(out[1], 1);
  EXPECT_THROW(call(), Stopped);
  EXPECT_EQ(out[1], 1);
}

}  // namespace
}  // namespace strew
