// Stretches of the updates that different threads step into copies of the output, wherever they meet: the bits of the serial loop, and
// nothing written when an index is bad.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "harness/same_bits.h"
#include "strew/strew.h"

namespace strew {
namespace {

constexpr std::int64_t places = 50'001, count = 300'000;

// Where the updates go, by their number.
struct Course {
  const char* name;
  std::function<std::int64_t(std::int64_t i)> place;
  bool is_left_to_others = false;
};

const std::vector<Course>& courses() {
  static const std::vector<Course> list{
      {"rising", [](std::int64_t i) { return i * places / count; }},
      {"falling", [](std::int64_t i) { return places - 1 - i * places / count; }},
      {"the later half first", [](std::int64_t i) { return (i + count / 2) % count * places / count; }, true},
      {"out and back over a border", [](std::int64_t i) { return std::min(i * places / count + i % 7 * 150, places - 1); }},
      {"all to one place", [](std::int64_t) { return std::int64_t{77}; }, true},
      {"every stretch everywhere", [](std::int64_t i) { return i * 7919 % places; }, true},
      {"one update astray", [](std::int64_t i) { return i == count / 3 ? places - 1 : i * places / count; }, true},
  };
  return list;
}

template <class T, class Index>
void expect_serial_bits(const Course& course, bool reversed) {
  std::mt19937_64 random(1);
  std::vector<Index> index(count);
  std::vector<T> updates(count), before(places);
  for (std::int64_t i = 0; i < count; ++i) {
    index[static_cast<std::size_t>(i)] = static_cast<Index>(course.place(i));
    updates[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<double>(random() % 1000) / 7);
  }
  for (T& value : before) value = static_cast<T>(static_cast<double>(random() % 1000) / 3);
  const auto run_by = [&](std::string_view strategy, std::int64_t threads) {
    std::vector<T> out = before;
    const TensorRef view = reversed ? TensorRef(out.data() + places - 1, dtype_of<T>, {places}, {-1}) : tensor(out);
    const ScatterOp op = pytorch::describe::index_add(view, view, 0, tensor(index), tensor(updates));
    const RunOptions options{.threads = threads, .strategy = strategy};
    if (strategy == "stretches" && threads <= 5) {  // with more, stretches are short for what they have in common
      EXPECT_EQ(explain(op, options).find("  then: ") != std::string::npos, course.is_left_to_others) << explain(op, options);
    }
    run(op, options);
    return out;
  };
  const std::vector<T> serial = run_by("serial", 1);
  for (const std::int64_t threads : {1, 2, 3, 5, 16, 40})
    EXPECT_TRUE(harness::same_bits(run_by("stretches", threads), serial)) << course.name << " on " << threads << " threads";
}

TEST(Stretches, GiveTheSerialBits) {
  for (const Course& course : courses()) {
    expect_serial_bits<float, std::int64_t>(course, false);
    expect_serial_bits<double, std::int32_t>(course, true);
    expect_serial_bits<std::int64_t, std::int64_t>(course, true);
  }
}

// Each of the last updates of a stretch, wherever it is found.
TEST(Stretches, NothingIsWrittenForABadIndex) {
  for (const std::int64_t at : {std::int64_t{0}, count / 2, count - 1}) {
    for (const std::int64_t bad : {places, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
      std::vector<std::int64_t> index(count);
      for (std::int64_t i = 0; i < count; ++i) index[static_cast<std::size_t>(i)] = i * places / count;
      index[static_cast<std::size_t>(at)] = bad;
      const std::vector<float> updates(count, 1);
      std::vector<float> out(places, 3);
      const ScatterOp op = pytorch::describe::index_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates));
      try {
        run(op, {.threads = 3, .strategy = "stretches"});
        ADD_FAILURE() << bad << " at " << at;
      } catch (const Error& error) {
        ASSERT_TRUE(error.bad_index()) << error.what();
        EXPECT_EQ(error.bad_index()->value, bad);
        EXPECT_EQ(error.bad_index()->position[0], at);
        EXPECT_EQ(error.bad_index()->count, 1);
      }
      EXPECT_EQ(out, std::vector<float>(places, 3));
    }
  }
}

// Columns 0 and 1 of a table with four: what lies between belongs to others, and must not be copied with the rest.
TEST(Stretches, DeclineAViewWithGaps) {
  constexpr std::int64_t rows = 40'000, each = 32;
  std::vector<float> table(rows * 4), updates(rows * each, 1);
  std::vector<std::int32_t> row(updates.size()), column(updates.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<std::int32_t>(i / each);
    column[i] = static_cast<std::int32_t>(i % 2);
  }
  const auto then = [&](const TensorRef& out) {
    const std::string text = explain(describe::scatter_add(out, {row, column}, updates), {.threads = 2});
    return text.substr(text.find("  then: ") + 8, 9);
  };
  EXPECT_NE(then(TensorRef(table.data(), Dtype::float32, {rows, 2}, {4, 1})), "stretches");
  EXPECT_EQ(then(TensorRef(table.data(), Dtype::float32, {rows, 4})), "stretches");
}

}  // namespace
}  // namespace strew
