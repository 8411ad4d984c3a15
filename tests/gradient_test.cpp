// Derivatives of ops made by hand: against the plain loop, as transposes of each other, and with the same bits however they run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "harness/choices.h"
#include "harness/executor.h"
#include "kernels/pin.h"
#include "ops/gradient_judge.h"
#include "ops/gradient_loop.h"
#include "ops/loop.h"
#include "ops/recipe.h"
#include "strategies/strategy.h"
#include "strew/gradient.h"
#include "strew/strew.h"

namespace strew {
namespace {

using harness::SeededChoices;
using ops::Numbers;

bool is_differentiable(Dtype dtype) {
  if (dtype >= Dtype::string) return false;
  const DtypeKind kind = dtype_info(dtype).kind;
  return kind == DtypeKind::floating || kind == DtypeKind::complex;
}

bool is_complex(Dtype dtype) { return dtype_info(dtype).kind == DtypeKind::complex; }

double epsilon_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16: return 0x1p-10;
    case Dtype::bfloat16: return 0x1p-7;
    case Dtype::float32:
    case Dtype::complex64: return 0x1p-22;
    default: return 0x1p-45;  // the loop rounds in double precision as well
  }
}

void put_number(Dtype dtype, std::byte* to, double real, double imaginary) {
  const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (dtype) {
    case Dtype::float16: return put(to_half(static_cast<float>(real)));
    case Dtype::bfloat16: return put(to_bfloat16(static_cast<float>(real)));
    case Dtype::float32: return put(static_cast<float>(real));
    case Dtype::float64: return put(real);
    case Dtype::complex64: return put(std::complex<float>(static_cast<float>(real), static_cast<float>(imaginary)));
    case Dtype::complex128: return put(std::complex<double>(real, imaginary));
    default: FAIL();
  }
}

// Whole numbers, which all types hold and sums keep exact; some NaN where the derivative does not multiply by values.
void fill(std::byte* begin, std::size_t bytes, Dtype dtype, bool with_nan, SeededChoices& choices) {
  const auto element = static_cast<std::size_t>(size_of(dtype));
  for (std::size_t at = bytes % element; at + element <= bytes; at += element) {
    const bool nan = with_nan && choices.chance(10);
    put_number(dtype, begin + at, nan ? NAN : static_cast<double>(choices.between(-1, 2)), static_cast<double>(choices.between(-1, 1)));
  }
}

Tensor random_tensor(Dtype dtype, const Dims& shape, SeededChoices& choices) {
  Tensor made(dtype, shape);
  fill(static_cast<std::byte*>(made.data()), static_cast<std::size_t>(made.size() * size_of(dtype)), dtype, false, choices);
  return made;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * size_of(a.dtype()))) == 0);
}

// Equal up to rounding: of sums with as many terms as there are updates, and of products of that many whole numbers.
void expect_near(const Tensor& got, const Numbers& expected, const char* what, const std::string& about) {
  const Numbers numbers = ops::numbers_in(got);
  ASSERT_EQ(numbers.size(), expected.size()) << what << "\n" << about;
  const double largest = got.dtype() == Dtype::float16 ? 6e4 : 1e30;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::complex<double> wanted = is_complex(got.dtype()) ? expected[i] : expected[i].real();
    if (std::abs(wanted) > largest) continue;
    const bool both_nan = std::isnan(std::abs(wanted)) && std::isnan(std::abs(numbers[i]));
    const double tolerance = 8 * epsilon_of(got.dtype()) * (1 + std::abs(wanted));
    ASSERT_TRUE(both_nan || std::abs(numbers[i] - wanted) <= tolerance)
        << what << "[" << i << "] is " << numbers[i] << ", expected " << wanted << "\n"
        << about;
  }
}

double inner(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (std::conj(a[i]) * b[i]).real();
  return sum;
}

// A scatter of whole numbers that has a derivative, or nothing.
struct Case {
  ops::Memory memory;
  ops::Recipe recipe;
  Case(std::uint64_t seed, bool gathers) {
    SeededChoices choices(seed);
    recipe = ops::make_recipe(choices, memory);
    fits = recipe.gathers == gathers && !recipe.huge && is_known(recipe.out) && is_known(recipe.base) && !shares_columns();
    if (!gathers) fits = fits && is_known(recipe.updates);
    if (!fits) return;
    const bool compares = recipe.fold.step == Reduction::min || recipe.fold.step == Reduction::max;
    for (const ops::View* view : {&recipe.base, &recipe.updates, &recipe.out}) {
      if ((view == &recipe.updates && gathers) || view->null) continue;
      fill(memory.bytes[view->buffer].data(), memory.bytes[view->buffer].size(), view->dtype, compares && choices.chance(30), choices);
    }
    for (std::optional<Scalar>* scalar : {&recipe.scalar, &recipe.scale}) {
      if (*scalar && is_differentiable((*scalar)->dtype))
        put_number((*scalar)->dtype, (*scalar)->bytes, static_cast<double>(choices.between(-1, 2)), 1);
      if (*scalar && !is_differentiable((*scalar)->dtype)) fits = false;
    }
  }

  bool fits = false;

 private:
  static bool is_known(const ops::View& view) { return view.dtype < Dtype::string && is_differentiable(view.dtype); }
  [[nodiscard]] bool shares_columns() const {
    for (const ops::View& column : recipe.columns) {
      if (column.null || column.buffer == recipe.out.buffer || column.buffer == recipe.base.buffer ||
          (!recipe.gathers && column.buffer == recipe.updates.buffer))
        return true;
    }
    return false;
  }
};

class SeededGradients : public testing::Test {
 protected:
  // Calls judge(case, op, jacobian) for scatters that are well formed.
  template <class Judge>
  void each_scatter(std::uint64_t seeds, Judge judge) {
    int judged = 0;
    for (std::uint64_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed) {
      Case made(seed, false);
      if (!made.fits) continue;
      const ScatterOp op = made.recipe.scatter(made.memory);
      try {
        validate(op);
      } catch (const Error&) {
        continue;
      }
      const auto jacobian = ops::jacobian_of(op);
      const std::string about = "seed " + std::to_string(seed) + "\n" + print(made.recipe);
      if (!jacobian) {
        EXPECT_THROW(static_cast<void>(vjp(op, Tensor::zeros(op.out.dtype, op.out.shape))), Error) << about;
        continue;
      }
      judge(made, op, *jacobian, seed, about);
      ++judged;
    }
    EXPECT_GT(judged, static_cast<int>(seeds / 20)) << "too few of the ops are judged";
  }
};

Dims stream_shape(const ScatterOp& op) {
  Dims shape = op.where.points;
  shape.append(op.where.row);
  return shape;
}

TEST_F(SeededGradients, ReverseModeIsWhatTheLoopSays) {
  each_scatter(2500, [](Case& made, const ScatterOp& op, const ops::Jacobian& jacobian, std::uint64_t seed, const std::string& about) {
    SeededChoices choices(seed + 1);
    const Tensor cotangent = random_tensor(op.out.dtype, op.out.shape, choices);
    const ops::Memory before = made.memory;
    const ScatterGradient got = vjp(op, cotangent, {}, {.threads = 1});
    EXPECT_EQ(made.memory, before) << about;
    Numbers base(static_cast<std::size_t>(cotangent.size())), updates(static_cast<std::size_t>(element_count(stream_shape(op))));
    jacobian.vjp(ops::numbers_in(cotangent), base, updates);
    EXPECT_EQ(got.base.has_value(), !std::holds_alternative<Zeros>(op.base));
    if (got.base) expect_near(*got.base, base, "base", about);
    expect_near(*got.updates, updates, "updates", about);
  });
}

TEST_F(SeededGradients, ForwardModeIsWhatTheLoopSays) {
  each_scatter(2500, [](Case&, const ScatterOp& op, const ops::Jacobian& jacobian, std::uint64_t seed, const std::string& about) {
    SeededChoices choices(seed + 2);
    const Dtype updates_dtype = op.scalar ? op.scalar->dtype : op.updates.dtype;
    const Tensor base = random_tensor(op.out.dtype, op.out.shape, choices);
    const Tensor updates = random_tensor(updates_dtype, stream_shape(op), choices);
    ScatterTangents tangents{.updates = updates};
    Numbers base_numbers(static_cast<std::size_t>(base.size()));
    if (!std::holds_alternative<Zeros>(op.base)) {
      tangents.base = base;
      base_numbers = ops::numbers_in(base);
    }
    const Tensor got = jvp(op, tangents, {}, {.threads = 1});
    expect_near(got, jacobian.jvp(base_numbers, ops::numbers_in(updates)), "tangent", about);
  });
}

// <g, J t> = <J^T g, t>, in whole numbers that doubles hold exactly unless a division rounds.
TEST_F(SeededGradients, ModesAreTransposesOfEachOther) {
  each_scatter(2000, [](Case&, const ScatterOp& op, const ops::Jacobian&, std::uint64_t seed, const std::string& about) {
    if (op.out.dtype != Dtype::float64 && op.out.dtype != Dtype::complex128) return;
    if (!op.scalar && op.updates.dtype != op.out.dtype) return;
    SeededChoices choices(seed + 3);
    const Tensor cotangent = random_tensor(op.out.dtype, op.out.shape, choices), base = random_tensor(op.out.dtype, op.out.shape, choices),
                 updates = random_tensor(op.out.dtype, stream_shape(op), choices);
    ScatterTangents tangents{.updates = updates};
    if (!std::holds_alternative<Zeros>(op.base)) tangents.base = base;
    const Tensor forward = jvp(op, tangents);
    const ScatterGradient reverse = vjp(op, cotangent);
    double sum = inner(ops::numbers_in(*reverse.updates), ops::numbers_in(updates));
    if (reverse.base) sum += inner(ops::numbers_in(*reverse.base), ops::numbers_in(base));
    const double left = inner(ops::numbers_in(cotangent), ops::numbers_in(forward));
    EXPECT_TRUE((std::isnan(left) && std::isnan(sum)) || std::abs(left - sum) <= 1e-9 * (1 + std::abs(left)))
        << left << " " << sum << about;
  });
}

TEST_F(SeededGradients, SameBitsHoweverTheyRun) {
  each_scatter(250, [](Case&, const ScatterOp& op, const ops::Jacobian&, std::uint64_t seed, const std::string& about) {
    SeededChoices choices(seed + 4);
    const Tensor cotangent = random_tensor(op.out.dtype, op.out.shape, choices);
    const Tensor result = compute(op);
    const Tensor tangent = random_tensor(op.scalar ? op.scalar->dtype : op.updates.dtype, stream_shape(op), choices);
    const ScatterTangents along{.updates = tangent};
    const RunOptions serial{.threads = 1, .strategy = "serial"};
    const ScatterGradient wanted = vjp(op, cotangent, {.result = result}, serial);
    const Tensor forward = jvp(op, along, result, serial);
    const ScatterGradient second = vjp_jvp(op, cotangent, {}, along, {}, serial);
    const auto judge = [&](const RunOptions& options) {
      const std::string how = std::string(options.strategy) + ", threads " + std::to_string(options.threads) + "\n" + about;
      const ScatterGradient got = vjp(op, cotangent, {}, options);
      if (wanted.base) {
        EXPECT_TRUE(same_bytes(*got.base, *wanted.base)) << how;
      }
      EXPECT_TRUE(same_bytes(*got.updates, *wanted.updates)) << how;
      EXPECT_TRUE(same_bytes(jvp(op, along, {}, options), forward)) << how;
      EXPECT_TRUE(same_bytes(*vjp_jvp(op, cotangent, {}, along, {}, options).updates, *second.updates)) << how;
    };
    for (const internal::Strategy* strategy : internal::strategies()) judge({.threads = choices.between(1, 4), .strategy = strategy->name});
    for (std::int64_t threads = 1; threads <= 8; ++threads) judge({.threads = threads, .block_points = choices.between(1, 4)});
  });
}

// Products are polynomials, so that central differences of the gradient converge to its derivative.
TEST_F(SeededGradients, TheSecondOrderOfProductsIsTheDifferenceOfGradients) {
  each_scatter(5000, [](Case&, const ScatterOp& op, const ops::Jacobian&, std::uint64_t seed, const std::string& about) {
    if (op.fold.step != Reduction::mul || op.out.dtype != Dtype::float64 || op.scalar || op.updates.dtype != op.out.dtype) return;
    SeededChoices choices(seed + 5);
    const Tensor cotangent = random_tensor(op.out.dtype, op.out.shape, choices),
                 base_tangent = random_tensor(op.out.dtype, op.out.shape, choices),
                 tangent = random_tensor(op.out.dtype, stream_shape(op), choices),
                 cotangent_tangent = random_tensor(op.out.dtype, op.out.shape, choices);
    const bool has_base = !std::holds_alternative<Zeros>(op.base);
    ScatterTangents tangents{.updates = tangent};
    if (has_base) tangents.base = base_tangent;
    const ScatterGradient second = vjp_jvp(op, cotangent, cotangent_tangent, tangents);
    constexpr double h = 0x1p-12;
    const auto moved = [&](const ConstTensorRef& from, const Tensor& by, double factor) {
      Tensor to = Tensor::copy_of(from);
      for (std::int64_t i = 0; i < to.size(); ++i)
        to.values<double>()[static_cast<std::size_t>(i)] += factor * by.values<double>()[static_cast<std::size_t>(i)];
      return to;
    };
    const auto gradient_at = [&](double factor) {
      ScatterOp other = op;
      const Tensor updates = moved(op.updates, tangent, factor), moved_cotangent = moved(cotangent, cotangent_tangent, factor);
      const auto* const tensor = std::get_if<ConstTensorRef>(&op.base);
      const Tensor base = moved(tensor != nullptr ? *tensor : ConstTensorRef(op.out), base_tangent, factor);
      if (has_base) other.base = base;
      other.updates = updates;
      return vjp(other, moved_cotangent);
    };
    const ScatterGradient above = gradient_at(h), below = gradient_at(-h);
    const auto judge = [&](const Tensor& got, const Tensor& high, const Tensor& low) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(got.size()); ++i) {
        const double slope = (high.values<double>()[i] - low.values<double>()[i]) / (2 * h);
        EXPECT_NEAR(got.values<double>()[i], slope, 1e-3 * (1 + std::abs(slope))) << about;
      }
    };
    judge(*second.updates, *above.updates, *below.updates);
    if (has_base) judge(*second.base, *above.base, *below.base);
  });
}

TEST_F(SeededGradients, IntoTheMemoryOfTheCallerAsIntoNewTensors) {
  each_scatter(1200, [](Case&, const ScatterOp& op, const ops::Jacobian&, std::uint64_t seed, const std::string& about) {
    SeededChoices choices(seed + 6);
    const Dtype updates_dtype = op.scalar ? op.scalar->dtype : op.updates.dtype;
    const Tensor cotangent = random_tensor(op.out.dtype, op.out.shape, choices);
    const ScatterGradient wanted = vjp(op, cotangent);
    Tensor base(op.out.dtype, op.out.shape), updates(updates_dtype, stream_shape(op));
    CotangentsInto into{.updates = updates};
    if (wanted.base) into.base = base;
    vjp_into(into, op, cotangent);
    if (wanted.base) {
      EXPECT_TRUE(same_bytes(base, *wanted.base)) << about;
    }
    EXPECT_TRUE(same_bytes(updates, *wanted.updates)) << about;
    // One element for all updates: their sum.
    if (updates_dtype != Dtype::float64) return;
    double sum = 1234, expected = 0;
    const Dims shape = stream_shape(op);
    vjp_into({.updates = TensorRef(&sum, Dtype::float64, shape, Dims(shape.size(), 0))}, op, cotangent);
    for (const double value : wanted.updates->values<double>()) expected += value;
    const bool is_near = std::abs(sum - expected) <= 1e-9 * (1 + std::abs(expected)) || std::isnan(expected);
    EXPECT_TRUE(is_near || (updates.size() == 0 && sum == 1234)) << about;
  });
}

TEST_F(SeededGradients, APlanGivesTheSameBits) {
  each_scatter(1200, [](Case&, const ScatterOp& op, const ops::Jacobian&, std::uint64_t seed, const std::string& about) {
    SeededChoices choices(seed + 7);
    const Tensor cotangent = random_tensor(op.out.dtype, op.out.shape, choices);
    const ScatterGradient wanted = vjp(op, cotangent);
    const Plan made = plan(op);
    for (int turn = 0; turn < 2; ++turn) {
      const ScatterGradient got = made.gradient(op, cotangent, {}, {.threads = choices.between(1, 3)});
      EXPECT_EQ(got.base.has_value(), wanted.base.has_value()) << about;
      EXPECT_TRUE(!got.base || same_bytes(*got.base, *wanted.base)) << about;
      EXPECT_TRUE(same_bytes(*got.updates, *wanted.updates)) << about;
    }
    const bool reads_values = op.fold.step == Reduction::mul || op.fold.step == Reduction::min || op.fold.step == Reduction::max;
    if (reads_values) {
      EXPECT_THROW(static_cast<void>(made.gradient(cotangent)), Error);
    } else if (!op.scalar || stream_shape(op).size() <= max_rank) {
      EXPECT_TRUE(same_bytes(*made.gradient(cotangent).updates, *wanted.updates)) << about;
    }
  });
}

// NaN, infinities, zeros of both signs, numbers that round.
TEST(Gradients, OfAnyValues) {
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= 2500; ++seed) {
    SeededChoices choices(seed);
    ops::Memory memory;
    const ops::Recipe recipe = ops::make_recipe(choices, memory);
    if (recipe.odd || recipe.huge) continue;
    const RunOptions options{.threads = choices.between(1, 4), .block_points = choices.between(1, 9)};
    std::string wrong;
    try {
      if (recipe.gathers) {
        static_cast<void>(compute(recipe.gather(memory)));
        wrong = ops::wrong_with_gradient(recipe.gather(memory), options);
      } else {
        static_cast<void>(compute(recipe.scatter(memory)));
        wrong = ops::wrong_with_gradient(recipe.scatter(memory), options);
      }
    } catch (const Error&) {
      continue;
    }
    ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << print(recipe);
    ++judged;
  }
  EXPECT_GT(judged, 500);
}

TEST(Gradients, GathersAndScattersAreTransposes) {
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Case made(seed, true);
    if (!made.fits) continue;
    const GatherOp op = made.recipe.gather(made.memory);
    try {
      validate(op);
    } catch (const Error&) {
      continue;
    }
    const auto reached = ops::reached_by(op.where, op.from.shape);
    SeededChoices choices(seed);
    const Tensor cotangent = random_tensor(op.out.dtype, op.out.shape, choices);
    if (!reached) {
      EXPECT_THROW(static_cast<void>(vjp(op, cotangent)), Error);
      continue;
    }
    Numbers sums(static_cast<std::size_t>(element_count(op.from.shape)));
    const Numbers given = ops::numbers_in(cotangent);
    for (const ops::Reached& one : *reached) {
      if (one.addressed >= 0) sums[static_cast<std::size_t>(one.addressed)] += given[static_cast<std::size_t>(one.stream)];
    }
    const std::string about = print(made.recipe);
    const Tensor got = vjp(op, cotangent, {.threads = 1});
    expect_near(got, sums, "source", about);
    for (std::int64_t threads = 2; threads <= 8; ++threads) EXPECT_TRUE(same_bytes(vjp(op, cotangent, {.threads = threads}), got)) << about;
    Tensor into(op.from.dtype, op.from.shape);
    vjp_into(into, op, cotangent);
    EXPECT_TRUE(same_bytes(into, got)) << about;
    GatherOp plain = op;
    const Tensor tangent = random_tensor(op.from.dtype, op.from.shape, choices);
    plain.from = tangent;
    EXPECT_TRUE(same_bytes(jvp(op, tangent), compute(plain))) << about;
    ++judged;
  }
  EXPECT_GT(judged, 50);
}

// ---- By hand ----

ScatterOp at_places(const Tensor& index, const TensorRef& out, const ConstTensorRef& updates, const Fold& fold) {
  ScatterOp op{.name = "test", .out = out, .updates = updates, .fold = fold};
  op.where.points = index.shape();
  op.where.columns.push_back(index);
  op.where.axes.push_back({Axis::column, 0});
  for (std::size_t d = 1; d < out.shape.size(); ++d) {
    op.where.row.push_back(out.shape[d]);
    op.where.axes.push_back({Axis::row, static_cast<std::uint8_t>(d - 1)});
  }
  return op;
}

std::vector<double> list(const Tensor& tensor) {
  const auto values = tensor.values<double>();
  return {values.begin(), values.end()};
}
using List = std::vector<double>;

struct Hand {
  Tensor index{{1, 0, 1, 1}, {4}};
  Tensor out{{2.0, 3.0, 5.0}, {3}};
  Tensor updates{{7.0, 11.0, 13.0, 17.0}, {4}};
  Tensor cotangent{{1.0, 10.0, 100.0}, {3}};

  ScatterGradient with(const Fold& fold) { return vjp(at_places(index, out, updates, fold), cotangent); }
};

// So many updates that threads share every pass: of single elements by places, of long rows by parts of the rows.
TEST(Gradients, OfManyUpdatesOnThreads) {
  harness::ThreadExecutor threads(4);
  for (const std::int64_t width : {1, 200}) {
    const std::int64_t points = (1 << 17) / width, places = 300;
    SeededChoices choices(static_cast<std::uint64_t>(width));
    Tensor index(Dtype::int64, {points, width}), values(Dtype::float32, {points, width}), out(Dtype::float32, {places, width});
    for (std::int64_t i = 0; i < points; ++i)
      std::fill_n(index.values<std::int64_t>().data() + i * width, width, choices.between(0, places - 1));
    for (float& value : values.values<float>()) value = static_cast<float>(choices.between(1, 9)) / 8;
    for (float& value : out.values<float>()) value = static_cast<float>(choices.between(1, 9)) / 8;
    const ConstTensorRef rows(index.data(), Dtype::int64, {points, width}, {width, 0});
    for (const char* const reduce : {"", "prod", "amax", "mean"}) {
      const ScatterOp op = *reduce == 0 ? pytorch::describe::scatter(out, out, 0, rows, values)
                                        : pytorch::describe::scatter_reduce(out, out, 0, rows, values, reduce);
      const ScatterTangents tangents{.base = ConstTensorRef(out), .updates = ConstTensorRef(values)};
      const ScatterGradient wanted = vjp(op, out, {}, {.threads = 1});
      const Tensor forward = jvp(op, tangents, {}, {.threads = 1});
      for (const std::int64_t count : {2, 4}) {
        const RunOptions options{.executor = threads.get(), .threads = count};
        const ScatterGradient got = vjp(op, out, {}, options);
        EXPECT_TRUE(same_bytes(*got.base, *wanted.base)) << reduce << " of rows of " << width << " on " << count;
        EXPECT_TRUE(same_bytes(*got.updates, *wanted.updates)) << reduce << " of rows of " << width << " on " << count;
        EXPECT_TRUE(same_bytes(jvp(op, tangents, {}, options), forward)) << reduce << " of rows of " << width << " on " << count;
      }
    }
  }
}

TEST(Gradients, OnlyTheLastWriterGetsTheCotangent) {
  Hand hand;
  const ScatterGradient got = hand.with({.step = Reduction::assign});
  EXPECT_EQ(list(*got.updates), (List{0, 1, 0, 10}));
  EXPECT_EQ(list(*got.base), (List{0, 0, 100}));
}

TEST(Gradients, SumsPassItOnToAll) {
  Hand hand;
  const ScatterGradient got = hand.with({.step = Reduction::sub});
  EXPECT_EQ(list(*got.updates), (List{-10, -1, -10, -10}));
  EXPECT_EQ(list(*got.base), (List{1, 10, 100}));
  const ScatterGradient first = hand.with({.step = Reduction::sub, .begin = FoldBegin::first});
  EXPECT_EQ(list(*first.updates), (List{10, 1, -10, -10}));
  EXPECT_EQ(list(*first.base), (List{0, 0, 100}));
}

TEST(Gradients, MeansDivideByTheCount) {
  Hand hand;
  const ScatterGradient with_self = hand.with({.step = Reduction::add, .finish = FoldFinish::mean});
  EXPECT_EQ(list(*with_self.updates), (List{2.5, 0.5, 2.5, 2.5}));
  EXPECT_EQ(list(*with_self.base), (List{0.5, 2.5, 100}));
  hand.cotangent = Tensor({1.0, 12.0, 100.0}, {3});
  const ScatterGradient without = hand.with({.step = Reduction::add, .begin = FoldBegin::identity, .finish = FoldFinish::mean});
  EXPECT_EQ(list(*without.updates), (List{4, 1, 4, 4}));
  EXPECT_EQ(list(*without.base), (List{0, 0, 100}));
}

TEST(Gradients, AFactorGetsTheProductOfTheOthersAlsoBesideZeros) {
  Hand hand;
  hand.updates = Tensor({0.0, 4.0, 2.0, 6.0}, {4});
  const ScatterGradient one_zero = hand.with({.step = Reduction::mul});
  EXPECT_EQ(list(*one_zero.updates), (List{3 * 2 * 6 * 10, 2, 0, 0}));
  EXPECT_EQ(list(*one_zero.base), (List{4, 0, 100}));
  hand.updates = Tensor({0.0, 4.0, 0.0, 6.0}, {4});
  const ScatterGradient two_zeros = hand.with({.step = Reduction::mul});
  EXPECT_EQ(list(*two_zeros.updates), (List{0, 2, 0, 0}));
  EXPECT_EQ(list(*two_zeros.base), (List{4, 0, 100}));
}

TEST(Gradients, TiesShareTheCotangentWithTheOldValue) {
  Hand hand;
  hand.updates = Tensor({3.0, 1.0, 3.0, 2.0}, {4});
  hand.cotangent = Tensor({1.0, 12.0, 100.0}, {3});
  const ScatterGradient got = hand.with({.step = Reduction::max, .compare = FoldCompare::propagate});
  EXPECT_EQ(list(*got.updates), (List{4, 0, 4, 0}));
  EXPECT_EQ(list(*got.base), (List{1, 4, 100}));
  const ScatterGradient without = hand.with({.step = Reduction::max, .begin = FoldBegin::identity, .compare = FoldCompare::propagate});
  EXPECT_EQ(list(*without.updates), (List{6, 1, 6, 0}));
  EXPECT_EQ(list(*without.base), (List{0, 0, 100}));
}

TEST(Gradients, ANaNThatTheFormulaKeptTakesAll) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Hand hand;
  hand.updates = Tensor({nan, 1.0, nan, 2.0}, {4});
  EXPECT_EQ(list(*hand.with({.step = Reduction::max, .compare = FoldCompare::propagate}).updates), (List{0, 0, 10, 0}));
  EXPECT_EQ(list(*hand.with({.step = Reduction::max, .compare = FoldCompare::propagate_late}).updates), (List{10, 0, 0, 0}));
  // keep_out drops every NaN; take_update forgets what came before one.
  EXPECT_EQ(list(*hand.with({.step = Reduction::max, .compare = FoldCompare::keep_out}).updates), (List{0, 0, 0, 0}));
  EXPECT_EQ(list(*hand.with({.step = Reduction::max, .compare = FoldCompare::take_update}).updates), (List{0, 0, 0, 10}));
}

TEST(Gradients, SkippedUpdatesGetZeroAndClampedOnesThatOfTheirPlace) {
  Hand hand;
  hand.index = Tensor({1, 9, -4, 2}, {4});
  ScatterOp op = at_places(hand.index, hand.out, hand.updates, {.step = Reduction::add});
  op.where.out_of_range = OutOfRange::skip;
  EXPECT_EQ(list(*vjp(op, hand.cotangent).updates), (List{10, 0, 0, 100}));
  op.where.out_of_range = OutOfRange::clamp;
  EXPECT_EQ(list(*vjp(op, hand.cotangent).updates), (List{10, 100, 1, 100}));
}

TEST(Gradients, OfNoUpdatesWriteNothing) {
  Hand hand;
  hand.index = Tensor(Dtype::int64, {0});
  hand.updates = Tensor(Dtype::float64, {0});
  double untouched = 5;
  vjp_into({.updates = TensorRef(&untouched, Dtype::float64, {0}, {0})}, at_places(hand.index, hand.out, hand.updates, {}), hand.cotangent);
  EXPECT_EQ(untouched, 5);
}

TEST(Gradients, ComplexNumbersAreConjugated) {
  using C = std::complex<double>;
  Tensor out({C(1, 2)}, {1}), updates({C(3, 4)}, {1}), index({0}, {1}), cotangent({C(0, 1)}, {1});
  const ScatterGradient got = vjp(at_places(index, out, updates, {.step = Reduction::mul}), cotangent);
  EXPECT_EQ(got.updates->values<C>()[0], C(0, 1) * C(1, -2));
  EXPECT_EQ(got.base->values<C>()[0], C(0, 1) * C(3, -4));
}

TEST(Gradients, OnlyWhatIsAskedForIsComputed) {
  Hand hand;
  const ScatterOp op = at_places(hand.index, hand.out, hand.updates, {.step = Reduction::add});
  const ScatterGradient base = vjp(op, hand.cotangent, {.updates = false}), updates = vjp(op, hand.cotangent, {.base = false});
  EXPECT_TRUE(base.base && !base.updates);
  EXPECT_TRUE(!updates.base && updates.updates);
  EXPECT_TRUE(passes_cotangent(op));
  EXPECT_FALSE(passes_cotangent(at_places(hand.index, hand.out, hand.updates, {.step = Reduction::assign})));
}

TEST(Gradients, ValuesAreNotReadWhereTheFormulaHasNone) {
  Hand hand;
  const ScatterOp op =
      at_places(hand.index, TensorRef(nullptr, Dtype::float64, {3}), ConstTensorRef(hand.updates.data(), Dtype::float64, {4}, {0}),
                {.step = Reduction::add, .finish = FoldFinish::mean});
  EXPECT_EQ(list(*vjp(op, hand.cotangent).updates), (List{2.5, 0.5, 2.5, 2.5}));
}

TEST(Winners, AreTheLastUpdatesOfTheirPlaces) {
  Tensor index({2, 0, 2, 5, 0}, {5}), out = Tensor::zeros(Dtype::int8, {3, 2}), updates = Tensor::zeros(Dtype::int8, {5, 2});
  ScatterOp op = at_places(index, out, updates, {});
  op.where.out_of_range = OutOfRange::skip;
  const Tensor got = winners(op);
  EXPECT_EQ(got.shape(), (Dims{5}));
  const auto values = got.values<bool>();
  EXPECT_EQ(std::vector<bool>(values.begin(), values.end()), (std::vector<bool>{false, false, true, false, true}));
  op.where.out_of_range = OutOfRange::clamp;
  const Tensor clamped = winners(op);
  const auto flags = clamped.values<bool>();
  EXPECT_EQ(std::vector<bool>(flags.begin(), flags.end()), (std::vector<bool>{false, false, false, true, true}));
}

TEST(Winners, OfStringsToo) {
  Tensor index({0, 0}, {2}), out = Tensor::zeros(Dtype::string, {1}), updates = Tensor::zeros(Dtype::string, {2});
  const Tensor got = winners(at_places(index, out, updates, {}));
  EXPECT_FALSE(got.values<bool>()[0]);
  EXPECT_TRUE(got.values<bool>()[1]);
}

// ---- Errors ----

template <class Call>
std::string refusal(ErrorCode code, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(GradientErrors, SayWhatIsWrong) {
  Hand hand;
  const ScatterOp op = at_places(hand.index, hand.out, hand.updates, {.step = Reduction::add});
  const Tensor floats = Tensor::zeros(Dtype::float32, {3}), short_one = Tensor::zeros(Dtype::float64, {2});
  EXPECT_EQ(refusal(ErrorCode::dtype, [&] { static_cast<void>(vjp(op, floats)); }), "test: the cotangent must be float64, got float32");
  EXPECT_EQ(refusal(ErrorCode::shape, [&] { static_cast<void>(vjp(op, short_one)); }), "test: the cotangent must have shape [3], got [2]");
  EXPECT_EQ(refusal(ErrorCode::shape, [&] { static_cast<void>(vjp(op, hand.cotangent, {.result = short_one})); }),
            "test: the result must have shape [3], got [2]");
  EXPECT_EQ(refusal(ErrorCode::shape, [&] { static_cast<void>(jvp(op, {.updates = short_one})); }),
            "test: the tangent of the updates must have shape [4], got [2]");
  EXPECT_EQ(refusal(ErrorCode::argument, [&] { static_cast<void>(winners(op)); }),
            "test: only an assignment has winners; add combines all updates");
  EXPECT_EQ(refusal(ErrorCode::argument, [&] { static_cast<void>(vjp(op, hand.cotangent, {}, {.strategy = "magic"})); }),
            "test: there is no strategy \"magic\"");
  Tensor whole({1, 2, 3}, {3}), more({1, 2, 3, 4}, {4});
  EXPECT_EQ(refusal(ErrorCode::dtype, [&] { static_cast<void>(vjp(at_places(hand.index, whole, more, {}), whole)); }),
            "test: input of int32 has no gradient; only floating-point and complex numbers have one");
}

TEST(GradientErrors, LeaveTheMemoryOfTheCallerAsItWas) {
  Hand hand;
  hand.index = Tensor({1, 0, 3, 1}, {4});
  for (const Reduction step : {Reduction::assign, Reduction::add, Reduction::mul, Reduction::max}) {
    const ScatterOp op = at_places(hand.index, hand.out, hand.updates, {.step = step});
    Tensor base({-1.0, -1.0, -1.0}, {3}), updates({-1.0, -1.0, -1.0, -1.0}, {4});
    const std::string said = refusal(ErrorCode::index, [&] { vjp_into({base, updates}, op, hand.cotangent); });
    EXPECT_NE(said.find("index 3 is out of bounds for axis 0 with size 3"), std::string::npos) << said;
    EXPECT_EQ(list(base), (List{-1, -1, -1}));
    EXPECT_EQ(list(updates), (List{-1, -1, -1, -1}));
    refusal(ErrorCode::index, [&] { jvp_into(base, op, {.updates = hand.updates}); });
    EXPECT_EQ(list(base), (List{-1, -1, -1}));
  }
}

TEST(GradientErrors, CotangentsMustNotShareMemory) {
  Hand hand;
  const ScatterOp op = at_places(hand.index, hand.out, hand.updates, {.step = Reduction::add});
  std::vector<double> memory(4);
  const TensorRef base(memory.data(), Dtype::float64, {3}), updates(memory.data(), Dtype::float64, {4});
  EXPECT_EQ(refusal(ErrorCode::overlap,
                    [&] {
                      vjp_into({base, updates}, op, hand.cotangent);
                    }),
            "test: the cotangents of base and updates share memory");
  // The cotangent itself may become that of the base.
  Tensor own = hand.cotangent.clone();
  vjp_into({.base = own}, at_places(hand.index, hand.out, hand.updates, {}), own);
  EXPECT_EQ(list(own), (List{0, 0, 100}));
}

}  // namespace
}  // namespace strew
