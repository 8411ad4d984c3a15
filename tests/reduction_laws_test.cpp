// Every reduction of the list in kernels/reductions.h, with every type it has: what it says about itself is true, and every way to run it
// gives the bits of a plain loop over its step. A reduction that joins the list is tested without a change here.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>

#include "base/text.h"
#include "harness/choices.h"
#include "harness/executor.h"
#include "kernels/pin.h"
#include "kernels/properties.h"
#include "kernels/reductions.h"
#include "strategies/replay.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace strew::harness {
using namespace internal;
namespace {

// STREW_ONLY="bit_or,float8": nothing but these reductions, with every type, and these types, with every reduction.
std::string_view wanted() {
  static const char* const names = std::getenv("STREW_ONLY");
  return names == nullptr ? std::string_view() : names;
}
bool is_wanted(Reduction reduction, Dtype dtype) {
  const auto names = [](std::string_view one) { return cat(",", wanted(), ",").find(cat(",", one, ",")) != std::string::npos; };
  return wanted().empty() || names(to_string(reduction)) || names(to_string(dtype));
}

// Calls use.operator()<Op, T>() for every reduction and every type that it has.
template <class Op, class Use, class... T>
void each_type(Types<T...>, const Use& use) {
  const auto consider = [&]<class N>(Tag<N>) {
    if constexpr (Reduces<Op, N>) {
      if (is_wanted(Op::reduction, dtype_of<N>)) use.template operator()<Op, N>();
    }
  };
  (consider(Tag<T>{}), ...);
}
template <class Use, class... Op>
void each_reduction(Types<Op...>, const Use& use) {
  (each_type<Op>(Numbers{}, use), ...);
}
template <class Use>
void each_reduction(const Use& use) {
  each_reduction(Reductions{}, use);
}

template <class Op>
constexpr FoldCompare compare_of() {
  if constexpr (requires { Op::compare; }) return Op::compare;
  return FoldCompare::keep_out;
}
template <class Op, class T>
std::string title() {
  return std::string(to_string(Op::reduction)) + " (compare " + std::to_string(static_cast<int>(compare_of<Op>())) + ") of " +
         std::string(to_string(dtype_of<T>));
}

// Numbers where reductions part: extremes, which overflow; both zeros; infinities; NaN of several bits; and few small ones, which meet.
template <class T>
T some_value(Choices& choices) {
  if constexpr (std::same_as<T, bool>) {
    return choices.chance(50);
  } else if constexpr (Integer<T>) {
    const T special[] = {0, 1, 2, 3, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), static_cast<T>(-1), static_cast<T>(-2)};
    return choices.chance(70) ? choices.pick(special) : static_cast<T>(choices.bits(64));
  } else if constexpr (ComplexLike<T>) {
    using R = typename T::value_type;
    const R real = some_value<R>(choices);
    return {real, some_value<R>(choices)};
  } else {
    using Bits = unsigned_t<sizeof(T)>;
    const auto from = [](double x) { return Computing<T>::narrow(static_cast<computing_t<T>>(x)); };
    const auto quiet = std::bit_cast<Bits>(from(NAN));
    const T special[] = {from(0.0),
                         from(-0.0),
                         from(1.0),
                         from(-1.0),
                         from(1.5),
                         from(-2.25),
                         from(3.0),
                         from(0.1),
                         from(6e4),
                         from(INFINITY),
                         from(-INFINITY),
                         from(NAN),
                         from(1e38),
                         from(-0.0),
                         from(-7.0),
                         std::bit_cast<T>(static_cast<Bits>(quiet | 3)),
                         std::bit_cast<T>(static_cast<Bits>(quiet | 5 | Bits{1} << (8 * sizeof(Bits) - 1)))};
    return choices.pick(special);
  }
}

template <class T>
Tensor some_values(std::int64_t count, Choices& choices) {
  Tensor values(dtype_of<T>, {count});
  for (T& value : values.values<T>()) value = some_value<T>(choices);
  return values;
}

// One step by the definition alone.
template <class Op, class Acc, class T>
Acc step_of(Acc out, T update) {
  if constexpr (Replaces<Op> && std::same_as<Acc, T>) return update;  // bit by bit, even where widening a NaN would change it
  using C = computing_t<Acc>;
  return Computing<Acc>::narrow(Op::step(Computing<Acc>::widen(out), static_cast<C>(Computing<T>::widen(update))));
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// --- What a reduction says about itself.

template <class Op, class T>
void expect_properties(Choices& choices) {
  const T a = some_value<T>(choices), x = some_value<T>(choices), y = some_value<T>(choices);
  const T both = step_of<Op>(step_of<Op>(a, x), y), once = step_of<Op>(a, x);
  const auto expect = [](bool holds, const char* property) { EXPECT_TRUE(holds) << "it is not " << property; };
  if constexpr (Associative<Op, T>) expect(same_bits(both, step_of<Op>(a, step_of<Op>(x, y))), "associative");
  if constexpr (Associative<Op, T> && HasIdentity<Op, T>) {
    const T identity = Computing<T>::narrow(Op::template identity<computing_t<T>>());
    expect(same_bits(a, step_of<Op>(a, identity)) && same_bits(a, step_of<Op>(identity, a)), "associative: the identity is not neutral");
  }
  if constexpr (Commutative<Op, T>) expect(same_bits(both, step_of<Op>(step_of<Op>(a, y), x)), "commutative");
  // Narrowing may settle a NaN, so what is chosen is told in the type that computes.
  [[maybe_unused]] const auto wide_a = Computing<T>::widen(a), wide_x = Computing<T>::widen(x), wide_once = Op::step(wide_a, wide_x);
  if constexpr (Replaces<Op>) expect(same_bits(wide_x, wide_once), "replaces");
  if constexpr (Selects<Op>) expect(same_bits(wide_once, wide_a) || same_bits(wide_once, wide_x), "selects");
  if constexpr (KeepsNan<Op, T>) {
    const T value = Op::formula(a, x);
    if (a != a || x != x) expect(once != once && value != value, "keeps_nan");
    if (once == once) expect(same_bits(once, value), "keeps_nan: the formula differs");
  }
  if constexpr (KeepsLowBits<Op> && Integer<T>) {
    const auto wide = step_of<Op>(static_cast<std::int64_t>(a), static_cast<std::int64_t>(x));
    expect(once == static_cast<T>(wide), "keeps_low_bits");
  }
}

TEST(Reductions, AreWhatTheySay) {
  SeededChoices choices(1);
  each_reduction([&]<class Op, class T>() {
    SCOPED_TRACE((title<Op, T>()));
    for (int i = 0; i < 3000 && !testing::Test::HasNonfatalFailure(); ++i) expect_properties<Op, T>(choices);
    const Properties said = properties_of(Op::reduction, compare_of<Op>(), dtype_of<T>);
    EXPECT_EQ(said.combines(), (Associative<Op, T> && HasIdentity<Op, T>));
    EXPECT_EQ(said.commutative, (Commutative<Op, T>));
    EXPECT_EQ(said.replaces, Replaces<Op>);
  });
}

TEST(Reductions, EveryNameIsInTheList) {
  std::set<Reduction> listed;
  [&]<class... Op>(Types<Op...>) { (listed.insert(Op::reduction), ...); }(Reductions{});
  for (std::size_t i = 0; i < std::size(reduction_names); ++i)
    EXPECT_TRUE(listed.contains(static_cast<Reduction>(i))) << reduction_names[i];
}

// --- Every way to run it.

// How points find their places. All are seen as out[first, second], of which a row may take the second.
enum class Form : std::uint8_t { elements, rows, along, shared, tuples };

struct Shape {
  const char* name;
  Form form;
  std::int64_t first, second;  // the output
  std::int64_t points;         // along the first dimension; `along` and `shared` have one for each of the second too
  bool sorted = false;
  Dtype index = Dtype::int64;
};

constexpr Shape shapes[] = {
    {"a small vector", Form::elements, 5, 1, 300},
    {"a small vector by int32", Form::elements, 7, 1, 260, false, Dtype::int32},
    {"a vector in rising order", Form::elements, 70, 1, 400, true},
    {"a larger vector", Form::elements, 3000, 1, 1100, false, Dtype::int32},
    {"short rows", Form::rows, 9, 3, 90},
    {"long rows", Form::rows, 6, 37, 40, false, Dtype::int32},
    {"along an axis", Form::along, 6, 11, 40},
    {"a shared index", Form::shared, 6, 17, 40},
    {"tuples", Form::tuples, 4, 6, 200},
};

// A scatter and the order in which its elements meet.
template <class T>
struct Data {
  const Shape& shape;
  std::vector<std::int64_t> first, second;  // indices
  std::vector<std::int32_t> narrow;         // `first` again, where they are int32
  Tensor before, updates;

  Data(const Shape& wanted, Choices& choices) : shape(wanted) {
    const bool is_table = shape.form == Form::along || shape.form == Form::shared;
    const std::int64_t count = shape.points * (is_table ? shape.second : 1);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool repeats = shape.form == Form::shared && i % shape.second != 0;
      first.push_back(repeats ? first.back() : choices.between(0, shape.first - 1));
      second.push_back(choices.between(0, shape.second - 1));
    }
    if (shape.sorted) std::sort(first.begin(), first.end());
    narrow.assign(first.begin(), first.end());
    before = some_values<T>(shape.first * shape.second, choices);
    updates = some_values<T>(shape.form == Form::rows ? count * shape.second : count, choices);
  }

  // Calls use(place, update) for every element in order, as positions.
  template <class Use>
  void each_step(const Use& use) const {
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::int64_t at = first[i] * shape.second, number = static_cast<std::int64_t>(i);
      switch (shape.form) {
        case Form::elements: use(at, number); break;
        case Form::rows:
          for (std::int64_t j = 0; j < shape.second; ++j) use(at + j, number * shape.second + j);
          break;
        case Form::along:
        case Form::shared: use(at + number % shape.second, number); break;
        case Form::tuples: use(at + second[i], number); break;
      }
    }
  }

  [[nodiscard]] ScatterOp op(Tensor& out, const Fold& fold) const {
    ScatterOp op;
    const bool is_table = shape.form == Form::along || shape.form == Form::shared;
    op.where.points = is_table ? Dims{shape.points, shape.second} : Dims{shape.points};
    op.where.axes = {{Axis::column, 0}, {Axis::row, 0}};
    if (is_table) op.where.axes[1] = {Axis::point, 1};
    if (shape.form == Form::tuples) op.where.axes[1] = {Axis::column, 1};
    if (shape.form == Form::elements) op.where.axes.resize(1);
    if (shape.form == Form::rows) op.where.row = {shape.second};
    const bool is_narrow = shape.index == Dtype::int32;
    op.where.columns.push_back({is_narrow ? static_cast<const void*>(narrow.data()) : first.data(), shape.index, op.where.points});
    if (shape.form == Form::tuples) op.where.columns.push_back({second.data(), Dtype::int64, op.where.points});
    op.out = TensorRef(out.data(), dtype_of<T>, shape.form == Form::elements ? Dims{shape.first} : Dims{shape.first, shape.second});
    op.base = InPlace{};
    Dims updates_shape = op.where.points;
    updates_shape.append(op.where.row);
    op.updates = {updates.data(), dtype_of<T>, updates_shape};
    op.fold = fold;
    return op;
  }
};

// What the elements are after all steps, by the definition alone; null where the fold is a mean, which has a definition of its own.
template <class Op, class T, class Acc = T>
Tensor expected_of(const Data<T>& data, FoldBegin begin = FoldBegin::current) {
  Tensor out = data.before.clone();
  const std::span<T> elements = out.values<T>();
  const std::span<const T> updates = data.updates.template values<T>();
  std::vector<std::optional<Acc>> accumulators(elements.size());
  data.each_step([&](std::int64_t place, std::int64_t update) {
    const T value = updates[static_cast<std::size_t>(update)];
    std::optional<Acc>& accumulator = accumulators[static_cast<std::size_t>(place)];
    const auto as_acc = [](T x) { return step_of<Assign>(Acc{}, x); };
    if (!accumulator && begin == FoldBegin::first) {
      accumulator = as_acc(value);
      return;
    }
    if (!accumulator && begin == FoldBegin::current) accumulator = as_acc(elements[static_cast<std::size_t>(place)]);
    if constexpr (HasIdentity<Op, Acc>) {
      if (!accumulator) accumulator = Computing<Acc>::narrow(Op::template identity<computing_t<Acc>>());
    }
    accumulator = step_of<Op>(*accumulator, value);
  });
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if constexpr (std::same_as<Acc, T>) {
      if (accumulators[i]) elements[i] = *accumulators[i];
    } else {
      if (accumulators[i]) elements[i] = Computing<T>::narrow(*accumulators[i]);
    }
  }
  return out;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * size_of(a.dtype()))) == 0;
}

struct Setting {
  std::int64_t threads, block_points;
};
// With small blocks there are many tasks, more than threads.
constexpr Setting settings[] = {{1, 1}, {2, 3}, {3, 0}, {8, 2}};
// Two of them for one case, the others for the next.
std::span<const Setting> settings_for(std::size_t number) { return std::span(settings).subspan(number % 2 * 2, 2); }

const Executor* executor_of(std::int64_t threads) {
  static const ThreadExecutor two(2), three(3), eight(8);
  return (threads <= 2 ? two : threads == 3 ? three : eight).get();
}
RunOptions options_of(const Setting& setting, std::string_view strategy) {
  return {.executor = executor_of(setting.threads), .threads = setting.threads, .strategy = strategy, .block_points = setting.block_points};
}

// Runs use(), unless the strategy or the layout that it asks for by name is for other ops.
template <class Use>
bool accepted(const Use& use) {
  try {
    use();
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::argument || std::string_view(error.what()).find("declined") == std::string_view::npos) throw;
    return false;
  }
}

// Runs an op by each strategy that accepts it, and by the one that is chosen, and says which were at work.
template <class T>
void expect_of_strategies(const Data<T>& data, const Fold& fold, const Tensor& expected, std::span<const Setting> some_settings,
                          std::set<std::string_view>& seen) {
  const auto expect_same = [&](std::string_view strategy, const Setting& setting) {
    Tensor out = data.before.clone();
    if (!accepted([&] { run(data.op(out, fold), options_of(setting, strategy)); })) return false;
    EXPECT_TRUE(same_bytes(expected, out)) << data.shape.name << " by " << (strategy.empty() ? "choice" : strategy) << " on "
                                           << setting.threads << " threads in blocks of " << setting.block_points;
    return true;
  };
  for (const Setting& setting : some_settings) expect_same("", setting);
  for (const Strategy* strategy : strategies()) {
    for (const Setting& setting : some_settings) {
      if (!expect_same(strategy->name, setting)) break;
      seen.insert(strategy->name);
    }
  }
}

// The same from a plan in each layout.
template <class T>
void expect_of_layouts(const Data<T>& data, const Fold& fold, const Tensor& expected, std::span<const Setting> some_settings,
                       std::set<std::string_view>& seen) {
  for (const Layout* layout : layouts()) {
    for (const Setting& setting : some_settings) {
      Tensor out = data.before.clone();
      const ScatterOp op = data.op(out, fold);
      const bool is_made = accepted([&] {
        plan(op, options_of(setting, layout->name)).apply(op.updates, op.out, options_of(setting, ""));
        seen.insert(layout->name);
      });
      if (!is_made) break;
      EXPECT_TRUE(same_bytes(expected, out)) << data.shape.name << " by layout " << layout->name << " on " << setting.threads << " threads";
    }
  }
}

template <class Op>
constexpr Fold fold_of() {
  return {.step = Op::reduction, .compare = compare_of<Op>()};
}

TEST(Reductions, EveryStrategyAndLayoutGivesTheStepsInOrder) {
  SeededChoices choices(2);
  std::set<std::string_view> seen;
  each_reduction([&]<class Op, class T>() {
    SCOPED_TRACE((title<Op, T>()));
    for (std::size_t i = 0; i < std::size(shapes); ++i) {
      const Data<T> data(shapes[i], choices);
      const Tensor expected = expected_of<Op, T>(data);
      expect_of_strategies(data, fold_of<Op>(), expected, settings_for(i), seen);
      expect_of_layouts(data, fold_of<Op>(), expected, settings_for(i), seen);
    }
  });
  if (!wanted().empty()) return;
  for (const Strategy* strategy : strategies()) EXPECT_TRUE(seen.contains(strategy->name)) << strategy->name << " accepted nothing";
  for (const Layout* layout : layouts()) EXPECT_TRUE(seen.contains(layout->name)) << layout->name << " accepted nothing";
}

TEST(Reductions, EveryInstructionSetGivesTheStepsInOrder) {
  const Setting setting[] = {{2, 0}};
  std::set<std::string_view> seen;
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    SCOPED_TRACE(set);
    SeededChoices choices(3);
    each_reduction([&]<class Op, class T>() {
      SCOPED_TRACE((title<Op, T>()));
      for (const Shape& shape : shapes) {
        const Data<T> data(shape, choices);
        expect_of_strategies(data, fold_of<Op>(), expected_of<Op, T>(data), setting, seen);
      }
    });
  }
  EXPECT_TRUE(pin_instruction_set(""));
}

// Enough work for threads that nobody forces, into outputs of which each could have a copy.
TEST(Reductions, ChosenStrategiesGiveTheStepsInOrder) {
  constexpr Shape large[] = {{"many updates of few elements", Form::elements, 64, 1, 70000, false, Dtype::int32},
                             {"many updates of few rows", Form::rows, 40, 5, 5000}};
  SeededChoices choices(4);
  each_reduction([&]<class Op, class T>() {
    SCOPED_TRACE((title<Op, T>()));
    for (const Shape& shape : large) {
      const Data<T> data(shape, choices);
      const Tensor expected = expected_of<Op, T>(data);
      for (const Setting& setting : settings) {
        Tensor out = data.before.clone();
        run(data.op(out, fold_of<Op>()), options_of({setting.threads, 0}, ""));
        EXPECT_TRUE(same_bytes(expected, out)) << shape.name << " on " << setting.threads << " threads";
      }
    }
  });
}

// Beginnings, finishes and roundings: what is kept by the definition, a mean by the strategy that steps one point after the other.
TEST(Reductions, EveryFoldIsTheSameByEveryStrategy) {
  SeededChoices choices(5);
  std::set<std::string_view> seen;
  each_reduction([&]<class Op, class T>() {
    SCOPED_TRACE((title<Op, T>()));
    std::size_t number = 0;
    for (const Shape& shape : {shapes[0], shapes[4], shapes[6]}) {
      const Data<T> data(shape, choices);
      for (const FoldBegin begin : {FoldBegin::current, FoldBegin::identity, FoldBegin::first}) {
        for (const FoldFinish finish : {FoldFinish::keep, FoldFinish::mean}) {
          for (const FoldRound round : {FoldRound::every_step, FoldRound::at_finish}) {
            if (round == FoldRound::at_finish && !HalfLike<T>) continue;
            const Fold fold{Op::reduction, begin, finish, round, compare_of<Op>()};
            EXPECT_EQ(supports(fold, dtype_of<T>),
                      (begin != FoldBegin::identity || HasIdentity<Op, T>)&&(finish != FoldFinish::mean || !std::same_as<T, bool>));
            if (!supports(fold, dtype_of<T>)) continue;
            Tensor expected = data.before.clone();
            if (finish == FoldFinish::mean) {
              run(data.op(expected, fold), {.threads = 1, .strategy = "serial"});
            } else if constexpr (HalfLike<T>) {
              const bool is_wide = round == FoldRound::at_finish && !Selects<Op>;
              expected = is_wide ? expected_of<Op, T, float>(data, begin) : expected_of<Op, T>(data, begin);
            } else {
              expected = expected_of<Op, T>(data, begin);
            }
            SCOPED_TRACE("begin " + std::to_string(static_cast<int>(begin)) + ", finish " + std::to_string(static_cast<int>(finish)) +
                         ", round " + std::to_string(static_cast<int>(round)));
            const std::span<const Setting> one_setting = std::span(settings).subspan(number++ % std::size(settings), 1);
            expect_of_strategies(data, fold, expected, one_setting, seen);
            expect_of_layouts(data, fold, expected, one_setting, seen);
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace strew::harness
