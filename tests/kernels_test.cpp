// Kernels that stand behind several strategies, at the edges that whole cases seldom reach.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "kernels/address.h"
#include "kernels/lists.h"
#include "kernels/pin.h"
#include "strew/strew.h"

namespace strew {
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
            if (offsets[i] == skipped || owner_of(offsets[i], page_shift, owners) != owner) continue;
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

// Rows of every length up to two lines, near and far, assigned and gathered: every byte where a plain loop puts it, and no other.
TEST(Rows, OfEveryLength) {
  struct Size {
    Dtype dtype;
    std::int64_t bytes;
  };
  std::mt19937_64 random(4);
  for (const Size size :
       {Size{Dtype::int8, 1}, Size{Dtype::float16, 2}, Size{Dtype::float32, 4}, Size{Dtype::float64, 8}, Size{Dtype::complex128, 16}}) {
    for (std::int64_t width = 1; width * size.bytes <= 130; width += width < 9 ? 1 : 5) {
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
        for (const char* strategy : {"", "serial", "owners"}) {
          out = before;
          run(pytorch::describe::index_copy(target, target, 0, tensor(index), {updates.data(), size.dtype, updates_shape}),
              {.threads = 2, .strategy = strategy});
          EXPECT_TRUE(out == expected) << name(size.dtype) << " by " << width << " into " << places << " by " << strategy;
        }
        run(tensorflow::describe::gather_nd({taken.data(), size.dtype, updates_shape}, {before.data(), size.dtype, shape},
                                            tensor(index, Dims{points, 1})));
        EXPECT_TRUE(taken == gathered) << name(size.dtype) << " by " << width << " from " << places;
      }
    }
  }
}

// Many updates to one element after the other: only the last of each run stays, whatever its length, and however its index is written.
template <class I>
void assign_runs(std::int64_t index_step, std::int64_t update_step) {
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
  std::vector<I> spread(index.size() * static_cast<std::size_t>(index_step));
  std::vector<float> updates(index.size() * static_cast<std::size_t>(std::max<std::int64_t>(update_step, 1)));
  for (auto& update : updates) update = static_cast<float>(random() % 1000);
  std::vector<float> expected(places, -1.0f), out(places, -1.0f);
  for (std::size_t i = 0; i < index.size(); ++i) {
    spread[i * static_cast<std::size_t>(index_step)] = index[i];
    expected[static_cast<std::size_t>(index[i] < 0 ? index[i] + places : index[i])] = updates[i * static_cast<std::size_t>(update_step)];
  }
  const auto scatter = [&] {
    const ConstTensorRef indices(spread.data(), dtype_of<I>, {points}, {index_step}),
        source(updates.data(), Dtype::float32, {points}, {update_step});
    const TensorRef target = tensor(out);
    run(onnx::describe::scatter_elements(target, target, indices, source), {.strategy = "elements"});
  };
  scatter();
  EXPECT_EQ(out, expected) << index_step << " and " << update_step << " apart";
  for (const std::size_t bad : {std::size_t{1}, std::size_t{16}, index.size() / 2, index.size() - 1}) {
    const I good = std::exchange(spread[bad * static_cast<std::size_t>(index_step)], static_cast<I>(places));
    out.assign(places, -1.0f);
    EXPECT_THROW(scatter(), Error);
    EXPECT_EQ(out, std::vector<float>(places, -1.0f)) << "bad index " << bad;
    spread[bad * static_cast<std::size_t>(index_step)] = good;
  }
}

TEST(Runs, OnlyTheLastIsAssigned) {
  for (const std::int64_t index_step : {1, 3}) {
    for (const std::int64_t update_step : {0, 1, 2}) {
      assign_runs<std::int64_t>(index_step, update_step);
      assign_runs<std::int32_t>(index_step, update_step);
    }
  }
}

}  // namespace
}  // namespace strew
