// Kernels that stand behind several strategies, at the edges that whole cases seldom reach.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/text.h"
#include "kernels/address.h"
#include "kernels/apply.h"
#include "kernels/changes.h"
#include "kernels/finish.h"
#include "kernels/lists.h"
#include "kernels/pin.h"
#include "kernels/tuples.h"
#include "strew/strew.h"

namespace strew {
using namespace internal;
namespace {

// Each point has one owner, the one that owner_of says, on every instruction set.
TEST(Lists, OwnersAgreeOnEveryInstructionSet) {
  std::mt19937_64 random(3);
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    const OwnKernel list_own = own_kernel();
    for (std::int64_t count = 0; count <= 40; ++count) {
      std::vector<std::int64_t> offsets(static_cast<std::size_t>(count));
      for (std::int64_t& offset : offsets) {
        offset = random() % 5 == 0 ? skipped : static_cast<std::int64_t>(random() >> (random() % 60)) * (random() % 2 == 0 ? 1 : -1);
      }
      for (std::int64_t owners = 1; owners <= 4; ++owners) {
        for (std::int64_t owner = 0; owner < owners; ++owner) {
          std::vector<std::int64_t> expected_offsets, expected_streams, own(offsets.size()), streams(offsets.size());
          for (std::size_t i = 0; i < offsets.size(); ++i) {
            if (offsets[i] == skipped || owner_of(offsets[i], owners) != owner) continue;
            expected_offsets.push_back(offsets[i]);
            expected_streams.push_back(1000 - 12 * static_cast<std::int64_t>(i));
          }
          const std::int64_t listed = list_own({offsets.data(), count, 1000, -12, owner, owners, own.data(), streams.data()});
          own.resize(static_cast<std::size_t>(listed));
          streams.resize(static_cast<std::size_t>(listed));
          EXPECT_EQ(own, expected_offsets) << set << ", " << count << " points, owner " << owner << " of " << owners;
          EXPECT_EQ(streams, expected_streams) << set << ", " << count << " points, owner " << owner << " of " << owners;
        }
      }
    }
  }
  pin_instruction_set({});
}

// Every update is in the list of one owner, the one that owner_of says, on every instruction set; a bad index is seen wherever it is.
template <class I, class Row>
void expect_picks(std::string_view set, std::mt19937_64& random) {
  constexpr std::int64_t extent = 3'000'000, size = sizeof(Row);
  for (const Negative negative : {Negative::reject, Negative::wrap}) {
    const PickKernel pick = pick_kernel(dtype_of<I>, negative, size);
    ASSERT_NE(pick, nullptr);
    for (std::int64_t count = 0; count <= 40; ++count) {
      for (const std::int64_t apart : {1, 2}) {
        std::vector<I> index(static_cast<std::size_t>(count * apart + 1));
        std::vector<Row> rows(index.size());
        for (std::size_t i = 0; i < index.size(); ++i) {
          index[i] = static_cast<I>(random() % extent) - (negative == Negative::wrap && i % 3 == 0 ? static_cast<I>(extent) : I{0});
          rows[i] = static_cast<Row>(random());
        }
        const auto pick_by = [&](std::int64_t owner, std::int64_t owners, std::vector<std::uint32_t>& offsets, std::vector<Row>& picked) {
          offsets.resize(index.size() + list_slack);
          picked.resize(index.size() + list_slack);
          PickRun run{reinterpret_cast<const std::byte*>(index.data()),
                      apart * static_cast<std::int64_t>(sizeof(I)),
                      extent,
                      12,
                      100,
                      reinterpret_cast<const std::byte*>(rows.data()),
                      apart * size,
                      count,
                      owner,
                      owners,
                      offsets.data(),
                      reinterpret_cast<std::byte*>(picked.data())};
          const bool fine = pick(run);
          offsets.resize(static_cast<std::size_t>(run.listed));
          picked.resize(static_cast<std::size_t>(run.listed));
          return fine;
        };
        std::vector<std::uint32_t> offsets, expected_offsets;
        std::vector<Row> picked, expected;
        for (std::int64_t owners = 2; owners <= 4; ++owners) {
          for (std::int64_t owner = 0; owner < owners; ++owner) {
            expected_offsets.clear();
            expected.clear();
            for (std::int64_t i = 0; i < count * apart; i += apart) {
              const std::int64_t at = index[static_cast<std::size_t>(i)];
              const auto offset = static_cast<std::uint32_t>((at < 0 ? at + extent : at) * 12 + 100);
              if (owner_of(offset, owners) != owner) continue;
              expected_offsets.push_back(offset);
              expected.push_back(rows[static_cast<std::size_t>(i)]);
            }
            EXPECT_TRUE(pick_by(owner, owners, offsets, picked)) << set;
            EXPECT_EQ(offsets, expected_offsets) << set << ", " << count << " updates, owner " << owner << " of " << owners;
            EXPECT_EQ(picked, expected) << set << ", " << count << " updates, owner " << owner << " of " << owners;
          }
        }
        for (std::int64_t bad = 0; bad < count; ++bad) {
          I& one = index[static_cast<std::size_t>(bad * apart)];
          const I good = one;
          for (const I value :
               {static_cast<I>(extent), static_cast<I>(-1 - extent), std::numeric_limits<I>::max(), std::numeric_limits<I>::min()}) {
            one = value;
            EXPECT_FALSE(pick_by(0, 2, offsets, picked)) << set << ", index " << value << " at " << bad << " of " << count;
          }
          one = good;
        }
      }
    }
  }
}
TEST(Lists, PicksAgreeOnEveryInstructionSet) {
  std::mt19937_64 random(5);
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    expect_picks<std::int32_t, std::uint32_t>(set, random);
    expect_picks<std::int32_t, std::uint64_t>(set, random);
    expect_picks<std::int64_t, std::uint32_t>(set, random);
    expect_picks<std::int64_t, std::uint64_t>(set, random);
  }
  pin_instruction_set({});
}

// Tuples become the numbers that a plain loop gives them, on every instruction set, and a bad index is seen wherever it is.
template <class Number, class I>
void expect_numbers(std::string_view set, TupleKernel<Number> TupleKernels::*numbering, std::mt19937_64& random) {
  const std::int64_t unit = sizeof(Number) == 8 ? std::int64_t{1} << 32 : 1;  // offsets may be beyond 32 bits
  const std::array<std::int64_t, widest_tuple> extents{9, 70000, 3, 11}, strides{2310000 * unit, -33 * unit, 11, 1};
  const std::int64_t first = 33 * 70000 * unit;
  for (const Negative negative : {Negative::reject, Negative::wrap}) {
    for (std::size_t width = 2; width <= widest_tuple; ++width) {
      const TupleKernel<Number> kernel = tuple_kernels(dtype_of<I>, negative, width).*numbering;
      ASSERT_NE(kernel, nullptr);
      for (const std::int64_t count : {0, 1, 7, 8, 15, 16, 63, 64, 65, 200}) {
        std::vector<I> tuples(static_cast<std::size_t>(count) * width);
        std::vector<Number> numbers(static_cast<std::size_t>(count)), expected(numbers.size(), static_cast<Number>(first));
        for (std::size_t i = 0; i < tuples.size(); ++i) {
          const std::int64_t extent = extents[i % width], at = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent));
          expected[i / width] += static_cast<Number>(at * strides[i % width]);
          tuples[i] = static_cast<I>(negative == Negative::wrap && i % 5 == 0 ? at - extent : at);
        }
        const TupleRun<Number> run{reinterpret_cast<const std::byte*>(tuples.data()), count, extents, strides, first, numbers.data()};
        EXPECT_FALSE(kernel(run)) << set;
        EXPECT_EQ(numbers, expected) << set << ", " << count << " tuples of " << width;
        for (std::size_t bad = 0; bad < tuples.size(); ++bad) {
          const I good = tuples[bad];
          const auto extent = static_cast<I>(extents[bad % width]);
          for (const I value : {extent, static_cast<I>(-1 - extent), std::numeric_limits<I>::max(), std::numeric_limits<I>::min()}) {
            tuples[bad] = value;
            EXPECT_TRUE(kernel(run)) << set << ", index " << value << " at " << bad << " of " << count << " tuples of " << width;
          }
          tuples[bad] = good;
        }
      }
    }
  }
}
TEST(Tuples, NumbersAgreeOnEveryInstructionSet) {
  std::mt19937_64 random(6);
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    expect_numbers<std::int32_t, std::int32_t>(set, &TupleKernels::numbers, random);
    expect_numbers<std::int32_t, std::int64_t>(set, &TupleKernels::numbers, random);
    expect_numbers<std::int64_t, std::int32_t>(set, &TupleKernels::offsets, random);
    expect_numbers<std::int64_t, std::int64_t>(set, &TupleKernels::offsets, random);
  }
  pin_instruction_set({});
}

// What was changed is written, and nothing else: there the output holds something of its own.
TEST(Changes, AloneAreWritten) {
  std::mt19937_64 random(8);
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
      for (std::int64_t count = 0; count <= 140; count += count < 70 ? 1 : 7) {
        std::vector<unsigned char> before(static_cast<std::size_t>(count * bytes)), after, out, expected;
        for (unsigned char& byte : before) byte = static_cast<unsigned char>(random());
        after = before;
        expected = out = std::vector<unsigned char>(before.size() + 64, 77);
        const std::uint64_t one_in = count % 2 == 0 ? 3 : 50;  // few or many neighbours that all change
        for (std::int64_t i = 0; i < count; ++i) {
          if (random() % one_in == 0) continue;
          after[static_cast<std::size_t>(i * bytes) + random() % static_cast<std::uint64_t>(bytes)] ^= 1;
          std::copy_n(after.begin() + i * bytes, bytes, expected.begin() + i * bytes);
        }
        const auto* const data = reinterpret_cast<const std::byte*>(after.data());
        changes_kernel(bytes)(reinterpret_cast<std::byte*>(out.data()), data, reinterpret_cast<const std::byte*>(before.data()), count);
        EXPECT_EQ(out, expected) << set << ", " << count << " elements of " << bytes;
      }
      // Nor is it written as it was: here nobody may write.
      constexpr std::size_t page = 1 << 16;
      void* const locked = mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(locked, MAP_FAILED);
      const std::vector<std::byte> same(page, std::byte{5});
      changes_kernel(bytes)(static_cast<std::byte*>(locked), same.data(), same.data(), static_cast<std::int64_t>(page) / bytes);
      munmap(locked, page);
    }
  }
  pin_instruction_set({});
}

// Rows of every length up to two lines, and some longer ones, near and far, assigned and gathered: every byte where a plain loop puts it,
// and no other.
TEST(Rows, OfEveryLength) {
  struct Size {
    Dtype dtype;
    std::int64_t bytes;
  };
  std::mt19937_64 random(4);
  for (const Size size :
       {Size{Dtype::int8, 1}, Size{Dtype::float16, 2}, Size{Dtype::float32, 4}, Size{Dtype::float64, 8}, Size{Dtype::complex128, 16}}) {
    std::vector<std::int64_t> widths;
    for (std::int64_t width = 1; width * size.bytes <= 130; width += width < 9 ? 1 : 5) widths.push_back(width);
    for (const std::int64_t bytes : {64, 128, 256, 272}) widths.push_back(bytes / size.bytes);
    for (const std::int64_t width : widths) {
      for (const std::int64_t places : {std::int64_t{50}, (std::int64_t{1} << 20) / (width * size.bytes)}) {
        constexpr std::int64_t points = 200;
        const std::int64_t row = width * size.bytes;
        std::vector<std::byte> before(static_cast<std::size_t>(places * row)), updates(static_cast<std::size_t>(points * row));
        for (auto& byte : before) byte = static_cast<std::byte>(random());
        for (auto& byte : updates) byte = static_cast<std::byte>(random());
        std::vector<std::int64_t> index(points);
        for (auto& i : index) i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(places));
        std::vector<std::byte> expected = before, out = before, taken(updates.size()), gathered(updates.size());
        for (std::int64_t i = 0; i < points; ++i) {
          const std::int64_t to = index[static_cast<std::size_t>(i)] * row;
          std::memcpy(expected.data() + to, updates.data() + i * row, static_cast<std::size_t>(row));
          std::memcpy(gathered.data() + i * row, before.data() + to, static_cast<std::size_t>(row));
        }
        const Dims shape{places, width}, updates_shape{points, width};
        const TensorRef target(out.data(), size.dtype, shape);
        const auto assign_by = [&](const char* strategy, std::string_view set) {
          out = before;
          run(pytorch::describe::index_copy(target, target, 0, tensor(index), {updates.data(), size.dtype, updates_shape}),
              {.threads = 2, .strategy = strategy});
          EXPECT_TRUE(out == expected) << to_string(size.dtype) << " by " << width << " into " << places << " by " << strategy << " "
                                       << set;
        };
        assign_by("", "");
        assign_by("owners", "");
        for (const std::string_view set : instruction_sets()) {
          ASSERT_TRUE(pin_instruction_set(set));
          assign_by("serial", set);
          std::fill(taken.begin(), taken.end(), std::byte{0});
          run(tensorflow::describe::gather_nd({taken.data(), size.dtype, updates_shape}, {before.data(), size.dtype, shape},
                                              tensor(index, Dims{points, 1})));
          EXPECT_TRUE(taken == gathered) << to_string(size.dtype) << " by " << width << " from " << places << " " << set;
        }
        pin_instruction_set({});
      }
    }
  }
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// What a 16-bit float becomes as float, and back, on every instruction set and in every rounding mode: as to_float, to_half and their like
// say to nearest, which core_half_test.cpp checks. A signaling NaN may become a quiet one.
template <class T>
void expect_conversions(std::string_view set, int mode, float (*widen)(T), T (*narrow)(float)) {
  const RowKernel assign = step_kernel(Reduction::assign, FoldCompare::keep_out, dtype_of<T>, Dtype::float32);
  const FinishKernel finish = finish_kernel(FoldFinish::keep, dtype_of<T>, Dtype::float32);
  std::vector<T> all, narrowed_as;
  std::vector<float> floats, widened_as;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    all.push_back(T{static_cast<std::uint16_t>(bits)});
    widened_as.push_back(widen(all.back()));
    // Each of them, its neighbours, and what lies half way to the next, where ties are.
    const std::uint32_t wide = bits_of(widened_as.back()),
                        half_way = wide / 2 + bits_of(widen(T{static_cast<std::uint16_t>(bits + 1)})) / 2;
    for (const std::uint32_t near : {wide, half_way}) {
      for (const std::uint32_t at : {near - 1, near, near + 1}) floats.push_back(std::bit_cast<float>(at));
    }
  }
  std::mt19937 random(7);
  for (int i = 0; i < 100'000; ++i) floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  for (const float value : floats) narrowed_as.push_back(narrow(value));
  const std::uint32_t one = 1;
  const std::int64_t zero = 0;
  for (const std::int64_t left_out : {0, 1, 13}) {  // so that vectors leave some over
    std::vector<T> narrowed(floats.size());
    std::vector<float> widened(all.size());
    std::fesetround(mode);
    finish({reinterpret_cast<const std::byte*>(floats.data()), 0, reinterpret_cast<const std::byte*>(&one), false, 0,
            reinterpret_cast<std::byte*>(narrowed.data()), 0, 1, static_cast<std::int64_t>(floats.size()) - left_out, sizeof(T)});
    assign({reinterpret_cast<std::byte*>(widened.data()), &zero, reinterpret_cast<std::byte*>(all.data()), 0, 1,
            static_cast<std::int64_t>(all.size()) - left_out, sizeof(float), sizeof(T)});
    std::fesetround(FE_TONEAREST);
    for (std::size_t i = 0; i < floats.size() - static_cast<std::size_t>(left_out); ++i)
      ASSERT_EQ(narrowed[i].bits, narrowed_as[i].bits) << set << ", mode " << mode << ", " << std::hex << bits_of(floats[i]);
    for (std::size_t i = 0; i < all.size() - static_cast<std::size_t>(left_out); ++i) {
      const std::uint32_t quiet = std::isnan(widened_as[i]) ? 0x00400000u : 0u;
      ASSERT_EQ(bits_of(widened[i]) | quiet, bits_of(widened_as[i]) | quiet) << set << ", mode " << mode << ", " << std::hex << i;
    }
  }
}

TEST(Halves, AreConvertedAlikeOnEveryInstructionSet) {
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      expect_conversions<Half>(set, mode, &to_float, &to_half);
      expect_conversions<Bfloat16>(set, mode, &to_float, &to_bfloat16);
    }
  }
  pin_instruction_set({});
}

// Rows of every length are stepped element by element, each as if it were alone, on accumulators of the same type and of float.
template <class T>
void expect_steps(std::string_view set, T (*narrow)(float)) {
  const auto expected = [](Reduction reduction, float out, float update) {
    if (reduction == Reduction::add) return out + update;
    if (reduction == Reduction::mul) return out * update;
    const bool takes = std::isnan(update) || (reduction == Reduction::max ? update > out : update < out);
    return takes ? update : out;
  };
  std::mt19937 random(13);
  for (const std::int64_t width : {1, 2, 15, 16, 17, 63, 64, 65, 77, 128, 141}) {
    std::vector<T> updates(static_cast<std::size_t>(width)), before(updates.size());
    for (std::size_t i = 0; i < updates.size(); ++i) {
      const auto number = [&] { return narrow(random() % 16 == 0 ? NAN : static_cast<float>(random() % 4096) / 64.0f - 32.0f); };
      updates[i] = number();
      before[i] = number();
    }
    const std::int64_t zero = 0;
    for (const Reduction reduction : {Reduction::add, Reduction::mul, Reduction::min, Reduction::max}) {
      const auto note = [&] { return cat(set, ", ", to_string(dtype_of<T>), ", ", to_string(reduction), ", ", width); };
      std::vector<T> out = before;
      step_kernel(reduction, FoldCompare::propagate, dtype_of<T>,
                  dtype_of<T>)({reinterpret_cast<std::byte*>(out.data()), &zero, reinterpret_cast<std::byte*>(updates.data()), 0, 1, width,
                                sizeof(T), sizeof(T)});
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i].bits, narrow(expected(reduction, to_float(before[i]), to_float(updates[i]))).bits) << note() << ", " << i;
      if (reduction == Reduction::min || reduction == Reduction::max) continue;
      std::vector<float> wide;
      for (const T value : before) wide.push_back(to_float(value) / 3.0f);
      std::vector<float> sums = wide;
      step_kernel(reduction, FoldCompare::propagate, dtype_of<T>,
                  Dtype::float32)({reinterpret_cast<std::byte*>(sums.data()), &zero, reinterpret_cast<std::byte*>(updates.data()), 0, 1,
                                   width, sizeof(float), sizeof(T)});
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const float sum = expected(reduction, wide[i], to_float(updates[i]));
        EXPECT_TRUE(bits_of(sums[i]) == bits_of(sum) || (std::isnan(sums[i]) && std::isnan(sum))) << note() << ", " << i << ", float";
      }
    }
  }
}

TEST(Halves, RowsAreSteppedElementByElement) {
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    expect_steps<Half>(set, &to_half);
    expect_steps<Bfloat16>(set, &to_bfloat16);
  }
  pin_instruction_set({});
}

// The means of so many elements that they are finished in several blocks, where some have no update: sum, count and quotient are rounded
// to 16 bits each, and what has no update stays.
TEST(Halves, MeansLeaveTheRestAlone) {
  constexpr std::int64_t places = 1000, points = 3000;
  std::mt19937 random(11);
  for (const std::string_view set : instruction_sets()) {
    ASSERT_TRUE(pin_instruction_set(set));
    for (const std::int64_t hot : {0, 2501}) {  // more updates of one place than a float16 can count
      std::vector<Half> out(places), updates(static_cast<std::size_t>(points + hot));
      std::vector<std::int64_t> index(updates.size());
      for (auto& value : out) value = to_half(static_cast<float>(random() % 2048) - 1024.0f);
      std::vector<float> sums(places);
      std::vector<std::int64_t> counts(places);
      for (std::size_t i = 0; i < index.size(); ++i) {
        index[i] = i < points ? static_cast<std::int64_t>(random() % (places / 2)) * 2 : 3;
        updates[i] = to_half(static_cast<float>(static_cast<std::int64_t>(random() % 2048) - 1024) / 64.0f);
        const auto at = static_cast<std::size_t>(index[i]);
        sums[at] += to_float(updates[i]);  // exact
        ++counts[at];
      }
      std::vector<std::uint16_t> expected, got;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const float count = to_float(to_half(static_cast<float>(counts[i])));
        expected.push_back(counts[i] == 0 ? out[i].bits : to_half(to_float(to_half(sums[i])) / count).bits);
      }
      const TensorRef target = tensor(out);
      run(pytorch::describe::scatter_reduce(target, target, 0, tensor(index), tensor(std::as_const(updates)), "mean", false));
      for (const Half value : out) got.push_back(value.bits);
      EXPECT_EQ(got, expected) << set;
    }
  }
  pin_instruction_set({});
}

// Many updates to one element after the other: only the last of each run stays, whatever its length, and however its index is written.
template <class I>
void assign_runs(std::int64_t index_stride, std::int64_t update_step) {
  constexpr std::int64_t places = 1000;
  std::mt19937_64 random(5);
  std::vector<I> index;
  for (const std::int64_t length : {1, 15, 16, 17, 18, 33, 1, 2})
    index.insert(index.end(), static_cast<std::size_t>(length), static_cast<I>(random() % places));
  while (index.size() < 6000) index.insert(index.end(), 100 + random() % 50, static_cast<I>(random() % places));
  index.insert(index.end(), 20, static_cast<I>(places - 1));
  index.insert(index.end(), 20, static_cast<I>(-1));  // the same element by another name
  index.insert(index.end(), 3, static_cast<I>(places - 1));
  const auto points = static_cast<std::int64_t>(index.size());
  std::vector<I> spread(index.size() * static_cast<std::size_t>(index_stride));
  std::vector<float> updates(index.size() * static_cast<std::size_t>(std::max<std::int64_t>(update_step, 1)));
  for (auto& update : updates) update = static_cast<float>(random() % 1000);
  std::vector<float> expected(places, -1.0f), out(places, -1.0f);
  for (std::size_t i = 0; i < index.size(); ++i) {
    spread[i * static_cast<std::size_t>(index_stride)] = index[i];
    expected[static_cast<std::size_t>(index[i] < 0 ? index[i] + places : index[i])] = updates[i * static_cast<std::size_t>(update_step)];
  }
  const auto scatter = [&] {
    const ConstTensorRef indices(spread.data(), dtype_of<I>, {points}, {index_stride}),
        source(updates.data(), Dtype::float32, {points}, {update_step});
    const TensorRef target = tensor(out);
    run(onnx::describe::scatter_elements(target, target, indices, source), {.strategy = "elements"});
  };
  scatter();
  EXPECT_EQ(out, expected) << index_stride << " and " << update_step << " apart";
  for (const std::size_t bad : {std::size_t{1}, std::size_t{16}, index.size() / 2, index.size() - 1}) {
    const I good = std::exchange(spread[bad * static_cast<std::size_t>(index_stride)], static_cast<I>(places));
    out.assign(places, -1.0f);
    EXPECT_THROW(scatter(), Error);
    EXPECT_EQ(out, std::vector<float>(places, -1.0f)) << "bad index " << bad;
    spread[bad * static_cast<std::size_t>(index_stride)] = good;
  }
}

TEST(Runs, OnlyTheLastIsAssigned) {
  for (const std::int64_t index_stride : {1, 3}) {
    for (const std::int64_t update_step : {0, 1, 2}) {
      assign_runs<std::int64_t>(index_stride, update_step);
      assign_runs<std::int32_t>(index_stride, update_step);
    }
  }
}

}  // namespace
}  // namespace strew
