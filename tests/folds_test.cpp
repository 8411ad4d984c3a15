// Folds that begin, finish or round once, with every strategy and on outputs of every memory layout, compared with a plain loop over the
// updates of each element.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/types.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace strew {
using namespace internal;
namespace {

constexpr Fold mean{.step = Reduction::add, .finish = FoldFinish::mean, .round = FoldRound::at_finish};
constexpr Fold mean_without{
    .step = Reduction::add, .begin = FoldBegin::identity, .finish = FoldFinish::mean, .round = FoldRound::at_finish};
constexpr Fold sum{.step = Reduction::add, .round = FoldRound::at_finish}, product{.step = Reduction::mul, .round = FoldRound::at_finish};
constexpr Fold largest{.step = Reduction::max, .begin = FoldBegin::identity},
    first_product{.step = Reduction::mul, .begin = FoldBegin::first};
constexpr Fold folds[] = {mean, mean_without, sum, product, largest, first_product};

// With so many updates that a count needs 64 bits, a float and its count are no longer a pair of one size.
TEST(Folds, OnlyPairsOfOneSizeHaveLoopsOfTheirOwn) {
  EXPECT_TRUE((Counts{.at = 4}).is_common(4));
  EXPECT_TRUE((Counts{.at = 8, .wide = true}).is_common(8));
  EXPECT_FALSE((Counts{.at = 8, .wide = true}).is_common(4));
}

enum class Base : std::uint8_t { in_place, other, zeros };
enum class Lies : std::uint8_t { dense, backwards, turned, apart };  // how the output lies in memory
enum class Names : std::uint8_t { elements, rows };                  // what an index names: out[a, i, c], or out[i, :, :]

struct Sizes {
  std::int64_t outer, places, inner, updates;
};

struct Setting {
  Dtype dtype;
  Fold fold;
  Base base;
  Lies lies;
  Names names;
  Sizes sizes;
  bool skips;
};

std::string text(const Setting& s) {
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  return std::string(to_string(s.dtype)) + ", step " + std::string(to_string(s.fold.step)) + ", begin " + number(s.fold.begin) +
         ", finish " + number(s.fold.finish) + ", base " + number(s.base) + ", lies " + number(s.lies) + ", names " + number(s.names) +
         (s.skips ? ", some left out" : "");
}

template <class T>
T element(double value) {
  if constexpr (HalfLike<T>) return Computing<T>::narrow(static_cast<float>(value));
  else return static_cast<T>(value);
}

// finish(step(... step(begin, first update) ..., last update)), on numbers that are no NaN.
template <class T>
T folded(T before, const std::vector<T>& updates, const Fold& fold) {
  if (updates.empty()) return before;
  using A = std::conditional_t<HalfLike<T>, float, T>;
  const auto wide = [](T x) { return static_cast<A>(Computing<T>::widen(x)); };
  // Rounded at every step, unless the fold rounds once; what is compared needs no rounding.
  const auto settled = [&](A x) { return fold.round == FoldRound::at_finish ? x : wide(Computing<T>::narrow(x)); };
  const auto times = [](A a, A b) {
    if constexpr (std::integral<A>) return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));  // it wraps
    else return a * b;
  };
  A value = wide(before);
  if (fold.begin == FoldBegin::identity)
    value = fold.step == Reduction::add            ? A(0)
            : std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                   : std::numeric_limits<A>::lowest();
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const A update = wide(updates[i]);
    if (i == 0 && fold.begin == FoldBegin::first) value = update;
    else if (fold.step == Reduction::add) value = settled(value + update);
    else if (fold.step == Reduction::mul) value = settled(times(value, update));
    else value = update > value ? update : value;
  }
  const T result = Computing<T>::narrow(value);
  if (fold.finish == FoldFinish::keep) return result;
  const auto count = static_cast<std::int64_t>(updates.size()) + (fold.begin == FoldBegin::current ? 1 : 0);
  if constexpr (std::integral<T>) return static_cast<T>(std::floor(static_cast<double>(result) / static_cast<double>(count)));
  else return Computing<T>::narrow(Computing<T>::widen(result) / Computing<T>::widen(element<T>(static_cast<double>(count))));
}

template <class T>
class Made {
 public:
  explicit Made(const Setting& setting) : setting_(setting) {
    const auto [outer, places, inner, updates] = setting.sizes;
    shape_ = {outer, places, inner};
    lay_out();
    const bool rows = setting.names == Names::rows;
    op_.where.points = rows ? Dims{updates} : Dims{outer, updates, inner};
    op_.where.row = rows ? Dims{outer, inner} : Dims{};
    if (rows) op_.where.axes = {{Axis::row, 0}, {Axis::column, 0}, {Axis::row, 1}};
    else op_.where.axes = {{Axis::point, 0}, {Axis::column, 0}, {Axis::point, 2}};
    op_.where.out_of_range = setting.skips ? OutOfRange::skip : OutOfRange::error;
    Dims updates_shape = op_.where.points;
    updates_shape.append(op_.where.row);
    for (std::int64_t i = 0; i < element_count(op_.where.points); ++i) {
      // Few of the places get most of the updates, and some get none.
      const std::int64_t place = draw() % 2 == 0 ? draw() % places : draw() % (1 + places / 8);
      index_.push_back(setting.skips && draw() % 8 == 0 ? places + draw() % 3 : place);
    }
    for (std::int64_t i = 0; i < element_count(updates_shape); ++i) updates_.push_back(number());
    op_.where.columns.push_back(ConstTensorRef(index_.data(), Dtype::int64, op_.where.points));
    op_.updates = ConstTensorRef(updates_.data(), setting.dtype, updates_shape);
    op_.out = TensorRef(memory_.data() + start_, setting.dtype, shape_, strides_);
    op_.fold = setting.fold;
    if (setting.base == Base::zeros) op_.base = Zeros{};
    if (setting.base == Base::other) op_.base = ConstTensorRef(other_.data(), setting.dtype, shape_);
    compute_expected();
  }

  // Whether a run leaves exactly what it should in the output's memory, the gaps between its elements included. Nothing if it declines.
  std::optional<bool> runs_well(const RunOptions& options) {
    memory_ = before_;
    try {
      run(op_, options);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::argument) return std::nullopt;
      ADD_FAILURE() << error.what();
    }
    return same(memory_, expected_);
  }

  // Whether an error is thrown, and nothing is written, when the index at a place is bad.
  bool refuses(std::size_t place, const RunOptions& options) {
    memory_ = before_;
    const std::int64_t good = std::exchange(index_[place], setting_.sizes.places);
    bool refused = false;
    try {
      run(op_, options);
    } catch (const Error& error) {
      refused = error.code() == ErrorCode::index || error.code() == ErrorCode::argument;
    }
    index_[place] = good;
    return refused && same(memory_, before_);
  }
  [[nodiscard]] std::size_t points() const { return index_.size(); }
  [[nodiscard]] std::string explained(const RunOptions& options) const { return explain(op_, options); }
  [[nodiscard]] bool does_something() const { return !same(before_, expected_); }

 private:
  std::int64_t draw() { return static_cast<std::int64_t>(random_() >> 8); }
  T number() {
    const std::int64_t drawn = draw();
    if (drawn % 64 == 0) return element<T>(-0.0);
    return element<T>(static_cast<double>(drawn % 2001 - 1000) / (std::integral<T> ? 1 : 777));
  }
  static bool same(const std::vector<T>& a, const std::vector<T>& b) { return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0; }

  void lay_out() {
    const std::int64_t outer = shape_[0], places = shape_[1], inner = shape_[2], count = outer * places * inner;
    std::int64_t step = 1;
    switch (setting_.lies) {
      case Lies::dense: strides_ = {places * inner, inner, 1}; break;
      case Lies::backwards:
        strides_ = {-places * inner, -inner, -1};
        start_ = count - 1;
        break;
      case Lies::turned: strides_ = {1, outer * inner, outer}; break;
      case Lies::apart:
        step = 3;
        strides_ = {places * inner * step, inner * step, step};
        break;
    }
    for (std::int64_t i = 0; i < count * step; ++i) before_.push_back(number());
    for (std::int64_t i = 0; i < count; ++i) other_.push_back(number());
    memory_ = before_;
  }

  void compute_expected() {
    const auto [outer, places, inner, updates] = setting_.sizes;
    expected_ = before_;
    for (std::int64_t a = 0; a < outer; ++a) {
      for (std::int64_t c = 0; c < inner; ++c) {
        std::vector<std::vector<T>> of_place(static_cast<std::size_t>(places));
        for (std::int64_t u = 0; u < updates; ++u) {
          const bool rows = setting_.names == Names::rows;
          const std::int64_t point = rows ? u : (a * updates + u) * inner + c, from = rows ? (u * outer + a) * inner + c : point;
          const std::int64_t place = index_[static_cast<std::size_t>(point)];
          if (place < places) of_place[static_cast<std::size_t>(place)].push_back(updates_[static_cast<std::size_t>(from)]);
        }
        for (std::int64_t b = 0; b < places; ++b) {
          T& out = expected_[static_cast<std::size_t>(start_ + a * strides_[0] + b * strides_[1] + c * strides_[2])];
          if (setting_.base == Base::zeros) out = T{};
          if (setting_.base == Base::other) out = other_[static_cast<std::size_t>((a * places + b) * inner + c)];
          out = folded(out, of_place[static_cast<std::size_t>(b)], setting_.fold);
        }
      }
    }
  }

  const Setting setting_;
  std::mt19937_64 random_{5};
  Dims shape_, strides_;
  std::int64_t start_ = 0;
  std::vector<T> before_, memory_, other_, updates_, expected_;
  std::vector<std::int64_t> index_;
  ScatterOp op_;
};

// Calls use(made, setting) for a setting of its type.
template <class Use>
void with_made(const Setting& setting, Use use) {
  visit_dtype(Types<Half, Bfloat16, float, double, std::int32_t, std::int64_t>{}, setting.dtype, [&]<class T>(Tag<T>) {
    Made<T> made(setting);
    use(made);
  });
}

constexpr Dtype dtypes_folded[] = {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64, Dtype::int32, Dtype::int64};

TEST(FoldWays, EveryWayOnEveryLayout) {
  std::map<std::string_view, int> ran;
  for (const Dtype dtype : dtypes_folded) {
    for (const Fold& fold : folds) {
      for (const Base base : {Base::in_place, Base::other, Base::zeros}) {
        for (const Lies lies : {Lies::dense, Lies::backwards, Lies::turned, Lies::apart}) {
          for (const Setting& setting : {Setting{dtype, fold, base, lies, Names::elements, {3, 7, 5, 9}, base == Base::in_place},
                                         Setting{dtype, fold, base, lies, Names::rows, {3, 7, 5, 9}, base == Base::in_place},
                                         Setting{dtype, fold, base, lies, Names::rows, {1, 7, 5, 9}, base == Base::in_place},
                                         Setting{dtype, fold, base, lies, Names::rows, {1, 3, 70, 4}, base == Base::in_place},
                                         Setting{dtype, fold, base, lies, Names::rows, {1, 7, 1, 9}, base == Base::in_place}}) {
            with_made(setting, [&](auto& made) {
              EXPECT_TRUE(made.does_something());
              EXPECT_EQ(made.runs_well({.threads = 1}), true) << text(setting);
              for (const Strategy* strategy : strategies()) {
                for (const std::int64_t threads : {1, 3}) {
                  for (const std::int64_t block : {1, 512}) {
                    const auto well = made.runs_well({.threads = threads, .strategy = strategy->name, .block_points = block});
                    ran[strategy->name] += well.has_value();
                    EXPECT_NE(well, false) << text(setting) << " by " << strategy->name << " on " << threads << " threads";
                  }
                }
              }
            });
          }
        }
      }
    }
  }
  for (const char* strategy : {"rows", "split", "partition", "filter", "exchange", "elements", "serial"})
    EXPECT_GT(ran[strategy], 0) << strategy;
}

// Sizes that cross the cut-offs, and the way they choose on two threads.
TEST(FoldWays, SizesChoose) {
  struct Chosen {
    Setting setting;
    const char* strategy;
  };
  const Chosen cases[] = {
      {{Dtype::float16, mean, Base::in_place, Lies::dense, Names::elements, {16, 40, 64, 100}, false}, "split"},
      {{Dtype::float32, largest, Base::other, Lies::turned, Names::elements, {16, 40, 64, 100}, true}, "split"},
      {{Dtype::bfloat16, sum, Base::in_place, Lies::dense, Names::rows, {1, 1600, 700, 900}, false}, "rows"},
      {{Dtype::float32, mean_without, Base::zeros, Lies::dense, Names::rows, {1, 9000, 64, 5000}, true}, "rows"},
      {{Dtype::float64, mean, Base::in_place, Lies::dense, Names::rows, {1, 50000, 32, 9000}, false}, "rows"},  // fewer counters than rows
      {{Dtype::float32, mean, Base::in_place, Lies::dense, Names::rows, {1, 1 << 20, 1, 600000}, false}, "filter"},
      {{Dtype::float64, mean, Base::in_place, Lies::dense, Names::rows, {1, 1 << 20, 1, 300000}, false}, "partition"},
      {{Dtype::float16, mean, Base::in_place, Lies::dense, Names::rows, {1, 1 << 20, 1, 600000}, false}, "exchange"},
      {{Dtype::int64, mean, Base::in_place, Lies::dense, Names::rows, {1, 1000, 1, 5000}, false}, "elements"},
  };
  for (const Chosen& one : cases) {
    const Setting& setting = one.setting;
    with_made(setting, [&](auto& made) {
      const std::string told = made.explained({.threads = 2});
      EXPECT_NE(told.find(std::string("  strategy: ") + one.strategy + " ("), std::string::npos) << text(setting) << "\n" << told;
      for (const std::int64_t threads : {1, 2, 8}) {
        EXPECT_EQ(made.runs_well({.threads = threads}), true) << text(setting) << " on " << threads << " threads";
      }
    });
  }
}

TEST(FoldWays, ABadIndexLeavesNoMark) {
  for (const Names names : {Names::elements, Names::rows}) {
    for (const Base base : {Base::in_place, Base::other, Base::zeros}) {
      const Setting setting{Dtype::bfloat16, mean, base, Lies::dense, names, {4, 30, 33, 40}, false};
      with_made(setting, [&](auto& made) {
        for (const std::size_t place : {std::size_t{0}, made.points() / 2, made.points() - 1}) {
          for (const Strategy* strategy : strategies()) {
            for (const std::int64_t threads : {1, 3}) {
              EXPECT_TRUE(made.refuses(place, {.threads = threads, .strategy = strategy->name}))
                  << text(setting) << " by " << strategy->name << ", bad index at " << place;
            }
          }
        }
      });
    }
  }
}

}  // namespace
}  // namespace strew
