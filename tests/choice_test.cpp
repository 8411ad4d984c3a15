// The strategies and layouts that are chosen for the indices of real programs; explain() reports what runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "strew/strew.h"

namespace strew {
namespace {

// Returns the word after a label in a text.
std::string word_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  return at == std::string::npos ? "" : text.substr(at + label.size(), text.find(' ', at + label.size()) - at - label.size());
}

std::string strategy_for(std::int64_t places, const std::vector<std::int64_t>& index, const RunOptions& options) {
  std::vector<float> out(static_cast<std::size_t>(places)), updates(index.size());
  return word_after(explain(pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)), options),
                    "  strategy: ");
}

// The corners of cells on a grid of side^3 points, in random order.
std::vector<std::int64_t> corners_of_random_cells(std::int64_t cells, std::int64_t side) {
  std::mt19937_64 random(3);
  const auto any = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(side - 1)); };
  std::vector<std::int64_t> index;
  for (std::int64_t i = 0; i < cells; ++i) {
    const std::int64_t cell = (any() * side + any()) * side + any();
    for (const std::int64_t corner : {0, 1, 2, 3, 4, 5, 6, 7})
      index.push_back(cell + ((corner >> 2) * side + (corner >> 1 & 1)) * side + (corner & 1));
  }
  return index;
}

// For all periods of the indices and all divisors of their number.
TEST(Choice, OneMoreParticleChangesNothing) {
  constexpr std::int64_t side = 100;
  for (const std::int64_t threads : {1, 2}) {
    const std::string usual = strategy_for(side * side * side, corners_of_random_cells(20'001, side), {.threads = threads});
    for (const std::int64_t particles : {19'999, 20'000, 20'002, 20'032, 20'048, 20'480, 24'576, 32'768})
      EXPECT_EQ(strategy_for(side * side * side, corners_of_random_cells(particles, side), {.threads = threads}), usual) << particles;
  }
}

// One index for all of 2^50 points: no code may iterate over the points.
TEST(Choice, ARepeatedIndexIsNotLookedAtAgain) {
  constexpr std::int64_t count = std::int64_t{1} << 50;
  const std::int64_t bad = 1 << 20;
  const float update = 1;
  std::vector<float> out(1 << 20);
  ScatterOp op = pytorch::describe::scatter_add(tensor(out), tensor(out), 0, ConstTensorRef(&bad, Dtype::int64, {count}, {0}),
                                                ConstTensorRef(&update, Dtype::float32, {count}, {0}));
  for (const std::int64_t threads : {1, 2, 64}) {
    EXPECT_THROW(run(op, {.threads = threads}), Error);
    EXPECT_THROW(static_cast<void>(explain(op, {.threads = threads})), Error);
    EXPECT_THROW(run(op, {.threads = threads, .strategy = "ranges"}), Error);
  }
}

// Blocks of 64 updates, as the matrices of elements with 8 nodes are: rows of 8 neighbours, far from each other.
TEST(Choice, OneMoreElementChangesNothing) {
  const auto blocks = [](std::int64_t count) {
    std::vector<std::int64_t> index;
    for (std::int64_t block = 0; block < count; ++block) {
      for (std::int64_t row = 0; row < 8; ++row) {
        for (std::int64_t column = 0; column < 8; ++column) index.push_back(block * 27 + row * 60'000 + column);
      }
    }
    return index;
  };
  for (const std::int64_t threads : {1, 2}) {
    const std::string usual = strategy_for(1 << 20, blocks(16'001), {.threads = threads});
    for (const std::int64_t count : {15'999, 16'000, 16'384, 17'000, 18'432, 20'000})
      EXPECT_EQ(strategy_for(1 << 20, blocks(count), {.threads = threads}), usual) << count;
  }
}

TEST(Choice, WhatIsExplainedIsWhatRuns) {
  std::vector<std::int64_t> index(1 << 20);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i / 4);
  EXPECT_EQ(strategy_for(1 << 18, index, {.threads = 2}), "sorted");
  // One index is out of order, which sampling is unlikely to detect.
  std::swap(index[524'287], index[524'288]);
  std::vector<float> out(1 << 18), updates(index.size());
  const ScatterOp op = pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates));
  const std::string text = explain(op, {.threads = 2});
  EXPECT_NE(word_after(text, "  strategy: "), "sorted") << text;
  EXPECT_NE(text.find("strategy sorted declined: the indices are not sorted"), std::string::npos) << text;
  // The pass that finds out has validated all indices, so there is no draft, which so many updates would pay for.
  EXPECT_NE(text.find("validated in one pass before the first write"), std::string::npos) << text;
  EXPECT_EQ(text.find("draft"), std::string::npos) << text;
  // When requested by name, it reports the strategy that it delegates to.
  const std::string asked = explain(op, {.threads = 2, .strategy = "sorted"});
  EXPECT_EQ(word_after(asked, "  strategy: "), "sorted") << asked;
  EXPECT_EQ(word_after(asked, "  then: "), word_after(text, "  strategy: ")) << asked;
}

// In both directions, threads own nearby updates; if all updates go to the same places, they cannot.
TEST(Choice, ThreadsOwnRangesWhereUpdatesStayNear) {
  constexpr std::int64_t count = 1 << 20, places = count / 4;
  std::vector<std::int64_t> index(count);
  std::vector<float> out(places), updates(count);
  const auto chosen = [&](std::int64_t threads) { return strategy_for(places, index, {.threads = threads}); };
  for (std::int64_t i = 0; i < count; ++i) index[static_cast<std::size_t>(i)] = (i ^ 5) / 4;
  EXPECT_EQ(chosen(2), "ranges");
  EXPECT_EQ(chosen(7), "ranges");
  EXPECT_NE(chosen(1), "ranges");
  std::reverse(index.begin(), index.end());
  EXPECT_EQ(chosen(2), "ranges");
  // The second half comes first.
  std::rotate(index.begin(), index.begin() + count / 2, index.end());
  EXPECT_EQ(chosen(2), "ranges");
  // Back and forth: each stretch of 300 goes near, the next far from it.
  for (std::int64_t i = 0; i < count; ++i) index[static_cast<std::size_t>(i)] = (i / 300 % 2 * count / 2 + i / 2) / 4;
  EXPECT_NE(chosen(2), "ranges");
  // Most updates go to the first places, and so do those around them.
  std::mt19937_64 random(4);
  for (std::int64_t& i : index)
    i = random() % 4 != 0 ? static_cast<std::int64_t>(random() % 2048) : static_cast<std::int64_t>(random() % places);
  const ScatterOp hot = pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates));
  EXPECT_NE(explain(hot, {.threads = 2}).find("strategy ranges declined: updates return to the same places"), std::string::npos);
  for (std::int64_t i = 0; i < count; ++i) index[static_cast<std::size_t>(i)] = i % 7;
  EXPECT_NE(chosen(2), "ranges");
}

TEST(Choice, PlansStayInOrderWhereUpdatesStayNear) {
  constexpr std::int64_t places = 1 << 21;
  std::vector<double> out(places), updates(1 << 21);
  std::vector<std::int64_t> index(updates.size());
  const auto layout = [&](std::int64_t threads) {
    const Plan made =
        plan(pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)), {.threads = threads});
    return word_after(made.describe(), "  layout: ");
  };
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i ^ 5);
  EXPECT_EQ(layout(1), "in_order");
  EXPECT_EQ(layout(2), "in_order");
  std::shuffle(index.begin(), index.end(), std::mt19937_64(5));
  EXPECT_EQ(layout(1), "buckets");
  EXPECT_EQ(layout(2), "buckets");
}

}  // namespace
}  // namespace strew
