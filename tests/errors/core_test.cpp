// Errors that every operator shares: bad indices and how they are reported, sizes that overflow, ranks, null pointers, overlap.
// The rules R1 to R16 are the replay suite for what has gone wrong in other libraries.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <numeric>
#include <vector>

#include "errors/text_of.h"
#include "harness/executor.h"
#include "harness/memory.h"
#include "strategies/strategy.h"
#include "strew/strew.h"

namespace strew::harness {
using namespace internal;
namespace {

constexpr std::int64_t two_32 = std::int64_t{1} << 32, two_62 = std::int64_t{1} << 62;

// Runs the call, which must fail; returns the error.
template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorCode::changed, "no error");
}

// R1: what lies outside, and what only lies inside after somebody narrowed it.
template <class I>
void expect_outside_are_refused(const std::vector<I>& bad) {
  for (const I value : bad) {
    const std::vector<I> index{I{0}, value, I{1}};
    const std::vector<float> before{1, 2, 3}, updates{7, 8, 9};
    std::vector<float> out = before;
    const Error error = error_of([&] { pytorch::scatter_add_(tensor(out), 0, tensor(index), tensor(updates)); });
    EXPECT_EQ(error.code(), ErrorCode::index);
    EXPECT_EQ(out, before);
    ASSERT_TRUE(error.bad_index());
    EXPECT_EQ(error.bad_index()->value, value);
    EXPECT_TRUE(error.bad_index()->position == (SmallVector<std::int64_t, 8>{1}));
    EXPECT_EQ(error.bad_index()->axis, 0);
    EXPECT_EQ(error.bad_index()->extent, 3);
    EXPECT_EQ(error.bad_index()->count, 1);
    const std::string number = std::to_string(value);
    EXPECT_EQ(error.what(), "pytorch.scatter_add_: index " + number + " is out of bounds for dimension 0 with size 3 (index[1] = " +
                                number + " for axis 0 of size 3, valid: 0..2)");
  }
}

TEST(BadIndex, OutsideIsRefused) {
  expect_outside_are_refused<std::int64_t>(
      {3, 4, std::int64_t{1} << 31, two_32, two_32 + 1, two_32 + 3, INT64_MAX, -1, -3, -4, INT32_MIN, INT64_MIN});
  expect_outside_are_refused<std::int32_t>({3, 4, INT32_MAX, -1, -3, -4, INT32_MIN});
}

TEST(BadIndex, WrappingReachesTheFirstElementAndNoFurther) {
  std::vector<float> out{1, 2, 3};
  const std::vector<std::int64_t> first{-3}, before_it{-4}, lowest{INT64_MIN};
  const std::vector<float> update{9};
  onnx::scatter_elements_into(tensor(out), tensor(out), tensor(first), tensor(update));
  EXPECT_EQ(out, (std::vector<float>{9, 2, 3}));
  for (const auto* bad : {&before_it, &lowest}) {
    const Error error = error_of([&] { onnx::scatter_elements_into(tensor(out), tensor(out), tensor(*bad), tensor(update)); });
    EXPECT_EQ(error.bad_index()->value, (*bad)[0]);
    EXPECT_EQ(out, (std::vector<float>{9, 2, 3}));
  }
}

TEST(BadIndex, AnUnsignedOnePrintsUnsigned) {
  const std::vector<std::uint64_t> index{0, std::uint64_t{1} << 63, ~std::uint64_t{0}};
  const std::vector<float> input{1, 2, 3}, updates{7, 8, 9};
  const Error error = error_of([&] { static_cast<void>(directml::scatter(tensor(input), tensor(index), tensor(updates), {.axis = 0})); });
  EXPECT_STREQ(error.what(),
               "directml.scatter: index 9223372036854775808 is out of range (IndicesTensor[1] = 9223372036854775808 for axis 0 of size 3, "
               "valid: 0..2; "
               "1 more)");
  EXPECT_EQ(error.bad_index()->value, INT64_MIN);
  EXPECT_EQ(error.bad_index()->count, 2);
}

TEST(BadIndex, OneAmongAMillionIsNamed) {
  ThreadExecutor threads(4);
  constexpr std::int64_t count = 1'000'000;
  std::vector<std::int64_t> index(count);
  std::iota(index.begin(), index.end(), 0);
  index[777'777] = count;
  const std::vector<float> updates(count, 1);
  std::vector<float> out(count, 5);
  for (const Executor* executor : {static_cast<const Executor*>(nullptr), threads.get()}) {
    for (const Strategy* strategy : strategies()) {
      const Error error = error_of([&] {
        run(pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)),
            {.executor = executor, .strategy = strategy->name});
      });
      if (error.code() == ErrorCode::argument) continue;  // the strategy declined
      EXPECT_STREQ(
          error.what(),
          "pytorch.scatter_add_: index 1000000 is out of bounds for dimension 0 with size 1000000 (index[777777] = 1000000 for axis 0 "
          "of size 1000000, valid: 0..999999)");
      EXPECT_EQ(out, std::vector<float>(count, 5));
    }
  }
}

// R14: the first in row-major order, and all of them counted, whatever the threads do.
TEST(BadIndex, TheFirstOfManyIsNamedAndTheRestCounted) {
  ThreadExecutor threads(4);
  const std::int64_t rows = 700, columns = 1000;
  std::vector<std::int64_t> index(static_cast<std::size_t>(rows * columns), 0);
  std::int64_t bad = 0;
  for (std::size_t i = 123'456; i < index.size(); i += 7'919, ++bad) index[i] = -static_cast<std::int64_t>(i);
  const std::vector<float> updates(index.size(), 1);
  std::vector<float> out(static_cast<std::size_t>(3 * columns), 5);
  for (const Executor* executor : {static_cast<const Executor*>(nullptr), threads.get()}) {
    const Error error = error_of([&] {
      const TensorRef target = tensor(out, {3, columns});
      run(pytorch::describe::scatter(target, target, 0, tensor(index, {rows, columns}), tensor(updates, {rows, columns})),
          {.executor = executor});
    });
    ASSERT_TRUE(error.bad_index());
    EXPECT_EQ(error.bad_index()->value, -123'456);
    EXPECT_TRUE(error.bad_index()->position == (SmallVector<std::int64_t, 8>{123, 456}));
    EXPECT_EQ(error.bad_index()->count, bad);
    EXPECT_EQ(out, std::vector<float>(out.size(), 5));
  }
}

TEST(BadIndex, OfATupleIsNamedWithItsCoordinate) {
  const std::vector<std::int64_t> tuples{0, 0, 1, 9, 8, 0};
  const std::vector<float> data(6, 0), updates(3, 0);
  const Error error = error_of([&] { static_cast<void>(onnx::scatter_nd(tensor(data, {2, 3}), tensor(tuples, {3, 2}), tensor(updates))); });
  EXPECT_STREQ(error.what(),
               "onnx.ScatterND: invalid indice found, indice = 9 (indices[1, 1] = 9 for axis 1 of size 3, valid: -3..2; 1 more)");
  EXPECT_TRUE(error.bad_index()->position == (SmallVector<std::int64_t, 8>{1, 1}));
  EXPECT_EQ(error.bad_index()->axis, 1);
}

// R2: every coordinate fits, only their product does not fit 32 bits. Of the memory only the pages in use exist.
TEST(Sizes, OffsetsBeyond32Bits) {
  const std::size_t size = std::size_t{46342} * 46341;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no 2 GiB of address space";
  const std::vector<std::int32_t> index{0, 46341, 0};
  const std::vector<std::uint8_t> update{42};
  const TensorRef target(memory, Dtype::uint8, {1, 46342, 46341});
  paddle::scatter_nd_add_into(target, target, tensor(index, {1, 3}), tensor(update));
  EXPECT_EQ(static_cast<const std::uint8_t*>(memory)[std::size_t{46341} * 46341], 42);
  munmap(memory, size);
}

// A tensor may be longer than its index type counts: what an index cannot say is not named.
TEST(Sizes, LongerThanTheIndexTypeReaches) {
  const std::size_t size = (std::size_t{1} << 31) + 8;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no 2 GiB of address space";
  const std::vector<std::int32_t> index{INT32_MAX};
  const std::vector<std::uint8_t> update{42};
  const TensorRef target(memory, Dtype::uint8, {static_cast<std::int64_t>(size)});
  tensorflow::tensor_scatter_nd_add_into(target, target, tensor(index, {1, 1}), tensor(update));
  EXPECT_EQ(static_cast<const std::uint8_t*>(memory)[INT32_MAX], 42);
  munmap(memory, size);
}

// The same with a virtual shape: only the elements that are named exist.
TEST(Sizes, OffsetsOfAVirtualShape) {
  float cell = 1;
  const TensorRef huge(&cell, Dtype::float32, {two_32, std::int64_t{1} << 27}, {0, 0});
  const std::vector<std::int64_t> tuple{two_32 - 1, 5};
  const Tensor read = onnx::gather_nd(huge, tensor(tuple, {1, 2}));
  EXPECT_EQ(read.values<float>()[0], 1);
}

// R3: counts of elements and bytes that overflow, with a zero among them too.
TEST(Sizes, OverflowIsRefused) {
  float cell = 0;
  const std::int64_t index = 0;
  const struct {
    Dims shape;
    const char* text;
  } rows[] = {
      {{two_32, two_32}, "shape: pytorch.gather: input: shape [4294967296, 4294967296] would have more than 2**63 - 1 bytes"},
      {{two_62, 4}, "shape: pytorch.gather: input: shape [4611686018427387904, 4] would have more than 2**63 - 1 bytes"},
      {{(std::int64_t{1} << 60) - 1, (std::int64_t{1} << 60) - 1},
       "shape: pytorch.gather: input: shape [1152921504606846975, 1152921504606846975] would have more than 2**63 - 1 bytes"},
      {{0, two_62}, "shape: pytorch.gather: input: shape [0, 4611686018427387904] would have more than 2**63 - 1 bytes"},
      {{-1, 4}, "shape: pytorch.gather: input: sizes must be >= 0, got shape [-1, 4]"},
  };
  for (const auto& row : rows) {
    // Dense strides of such a shape overflow as well, so they are zero: only the count is wrong.
    const ConstTensorRef data(&cell, Dtype::float32, row.shape, {0, 0});
    EXPECT_EQ(text_of([&] { static_cast<void>(pytorch::gather(data, 0, {&index, Dtype::int64, {1, 1}})); }), row.text);
  }
}

// Scattering looks at the sizes of all tensors together first; one below zero is found wherever it stands.
TEST(Sizes, NegativeOnesAreRefusedWhereverTheyStand) {
  const float cell = 0;
  const std::int64_t zero = 0;
  const struct {
    Dims input, index, src;
    const char* text;
  } rows[] = {
      {{-1, 4}, {1, 1}, {1, 1}, "input: sizes must be >= 0, got shape [-1, 4]"},  // along the dimension, where the index may be larger
      {{4, -1}, {1, 1}, {1, 1}, "input: sizes must be >= 0, got shape [4, -1]"},
      {{4, 4}, {-1, 1}, {1, 1}, "index: sizes must be >= 0, got shape [-1, 1]"},
      {{4, 4}, {1, 1}, {1, -1}, "src: sizes must be >= 0, got shape [1, -1]"},
  };
  for (const auto& row : rows) {
    const ConstTensorRef input(&cell, Dtype::float32, row.input, {0, 0}), src(&cell, Dtype::float32, row.src, {0, 0});
    const ConstTensorRef index(&zero, Dtype::int64, row.index, {0, 0});
    EXPECT_EQ(text_of([&] { static_cast<void>(pytorch::scatter_add(input, 0, index, src)); }),
              std::string("shape: pytorch.scatter_add: ") + row.text);
  }
}

TEST(Sizes, StridesThatReachTooFarAreRefused) {
  float cell = 0;
  const std::int64_t index = 0;
  for (const std::int64_t stride : {two_62, INT64_MAX, INT64_MIN}) {
    const ConstTensorRef data(&cell, Dtype::float32, {3}, {stride});
    EXPECT_EQ(error_of([&] {
                static_cast<void>(pytorch::gather(data, 0, {&index, Dtype::int64, {1}}));
              }).code(),
              ErrorCode::shape)
        << stride;
  }
}

// Each number of a tuple is read from a view of its own, which begins where the strides of the whole say.
TEST(Sizes, TuplesThatReachTooFarAreRefused) {
  std::vector<float> cells(6), one(1);
  const std::int64_t index[2] = {};
  const ConstTensorRef data = tensor(cells, {2, 3}), updates = tensor(one);
  for (const std::int64_t stride : {std::int64_t{1} << 60, std::int64_t{1} << 61, two_62, INT64_MAX, INT64_MIN, -two_62}) {
    const ConstTensorRef indices(index, Dtype::int64, {1, 2}, {2, stride});
    const auto refused = [&](auto call) { EXPECT_EQ(error_of(call).code(), ErrorCode::shape) << stride; };
    refused([&] { static_cast<void>(onnx::scatter_nd(data, indices, updates)); });
    refused([&] { static_cast<void>(onnx::gather_nd(data, indices)); });
    refused([&] { static_cast<void>(tensorflow::tensor_scatter_nd_add(data, indices, updates)); });
    refused([&] { static_cast<void>(tensorflow::scatter_nd(indices, updates, {2, 3})); });
    refused([&] { static_cast<void>(tensorflow::gather_nd(data, indices)); });
    refused([&] { static_cast<void>(paddle::scatter_nd_add(data, indices, updates)); });
    refused([&] { static_cast<void>(paddle::gather_nd(data, indices)); });
    refused([&] { static_cast<void>(directml::scatter_nd(data, indices, updates)); });
    refused([&] { static_cast<void>(directml::gather_nd(data, indices)); });
  }
}

// R16: nothing is allocated before the shapes agree, and what cannot be had is an error of its own.
TEST(Sizes, AHugeOutputIsAnError) {
  const std::vector<std::int64_t> index{0};
  const std::vector<float> update{1};
  EXPECT_EQ(text_of([&] {
              static_cast<void>(paddle::scatter_nd(tensor(index, {1, 1}), tensor(update), {std::int64_t{1} << 60}));
            }),
            "memory: paddle.scatter_nd: could not allocate the output, float32 of shape [1152921504606846976]");
}

TEST(Ranks, BeyondTheLimit) {
  float cell = 0;
  const std::int64_t index = 0;
  for (const std::size_t rank : {std::size_t{65}, std::size_t{300}}) {
    const Dims shape(rank, 1);
    const TensorRef deep(&cell, Dtype::float32, shape);
    const ConstTensorRef indices(&index, Dtype::int64, shape);
    const std::string end = ": rank must be at most 64, got " + std::to_string(rank);
    EXPECT_EQ(text_of([&] { pytorch::scatter_(deep, 0, indices, deep); }), "shape: pytorch.scatter_: input" + end);
    EXPECT_EQ(text_of([&] { static_cast<void>(pytorch::gather(deep, 0, indices)); }), "shape: pytorch.gather: input" + end);
    EXPECT_EQ(text_of([&] { static_cast<void>(onnx::scatter_nd(deep, indices, deep)); }), "shape: onnx.ScatterND: data" + end);
    EXPECT_EQ(text_of([&] { static_cast<void>(onnx::gather_nd(deep, indices)); }), "shape: onnx.GatherND: data" + end);
    EXPECT_EQ(text_of([&] {
                static_cast<void>(tensorflow::scatter_nd({&index, Dtype::int64, {1, 1}}, {&cell, Dtype::float32, {1}}, shape));
              }),
              "shape: tensorflow.scatter_nd: shape" + end);
    EXPECT_EQ(text_of([&] { paddle::put_along_axis_(deep, indices, deep, 0); }), "shape: paddle.put_along_axis_: arr" + end);
    EXPECT_EQ(text_of([&] { static_cast<void>(directml::scatter(deep, indices, deep, {.axis = 0})); }),
              "shape: directml.scatter: InputTensor" + end);
  }
}

// R5: rank 0 in all combinations is an answer or an error, never an access.
TEST(Ranks, ZeroEverywhere) {
  const Dims ranks[] = {{}, {1}};
  int answers = 0;
  for (const Dims& data_shape : ranks) {
    for (const Dims& index_shape : ranks) {
      for (const Dims& update_shape : ranks) {
        GuardedBuffer data(zeros(Dtype::float32, 1)), index(zeros(Dtype::int64, 1)), update(zeros(Dtype::float32, 1));
        const TensorRef d(data.data(), Dtype::float32, data_shape);
        const ConstTensorRef i(index.data(), Dtype::int64, index_shape), u(update.data(), Dtype::float32, update_shape);
        const std::function<void()> calls[] = {
            [&] { static_cast<void>(tensorflow::tensor_scatter_nd_update(d, i, u)); },
            [&] { static_cast<void>(tensorflow::scatter_nd(i, u, data_shape)); },
            [&] { static_cast<void>(tensorflow::gather_nd(d, i)); },
            [&] { pytorch::scatter_(d, 0, i, u); },
            [&] { pytorch::scatter_reduce_(d, 0, i, u, "mean", false); },
            [&] { pytorch::index_add_(d, 0, i, u, 2.0); },
            [&] { pytorch::index_copy_(d, 0, i, u); },
            [&] { static_cast<void>(pytorch::gather(d, 0, i)); },
            [&] { static_cast<void>(paddle::scatter_nd_add(d, i, u)); },
            [&] { paddle::scatter_(d, i, u, false); },
            [&] { paddle::put_along_axis_(d, i, u, 0); },
            [&] { paddle::index_add_(d, i, 0, u); },
            [&] { static_cast<void>(paddle::gather_nd(d, i)); },
            [&] { static_cast<void>(onnx::scatter_elements(d, i, u)); },
            [&] { static_cast<void>(onnx::scatter_nd(d, i, u)); },
            [&] { static_cast<void>(onnx::gather_elements(d, i)); },
            [&] { static_cast<void>(onnx::gather_nd(d, i)); },
            [&] { static_cast<void>(directml::scatter_nd(d, i, u)); },
            [&] { static_cast<void>(directml::scatter(d, i, u, {.axis = 0})); },
            [&] { static_cast<void>(directml::gather_nd(d, i)); },
        };
        for (const auto& call : calls) {
          try {
            call();
            ++answers;
          } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()), "");
          }
          EXPECT_TRUE(data.intact() && index.intact() && update.intact());
        }
      }
    }
  }
  EXPECT_GT(answers, 40);
}

// R4: zero sizes wherever a size can be.
TEST(Sizes, ZeroEverywhere) {
  const Dims shapes[] = {{0}, {0, 3}, {3, 0}, {0, 1}, {1, 0}, {0, 0}, {0, 0, 0, 6}, {2, 3}, {3}};
  for (const Dims& data_shape : shapes) {
    for (const Dims& index_shape : shapes) {
      for (const Dims& update_shape : shapes) {
        GuardedBuffer data(zeros(Dtype::float32, element_count(data_shape))), index(zeros(Dtype::int64, element_count(index_shape))),
            update(zeros(Dtype::float32, element_count(update_shape)));
        const TensorRef d(data.data(), Dtype::float32, data_shape);
        const ConstTensorRef i(index.data(), Dtype::int64, index_shape), u(update.data(), Dtype::float32, update_shape);
        const std::function<void()> calls[] = {
            [&] { static_cast<void>(tensorflow::tensor_scatter_nd_add(d, i, u)); },
            [&] { static_cast<void>(tensorflow::gather_nd(d, i)); },
            [&] { pytorch::scatter_add_(d, 0, i, u); },
            [&] { pytorch::index_add_(d, 0, i, u); },
            [&] { static_cast<void>(pytorch::gather(d, 0, i)); },
            [&] { static_cast<void>(paddle::scatter_nd_add(d, i, u)); },
            [&] { paddle::put_along_axis_(d, i, u, 0, {.reduce = "mean", .include_self = false}); },
            [&] { static_cast<void>(onnx::scatter_elements(d, i, u)); },
            [&] { static_cast<void>(onnx::scatter_nd(d, i, u)); },
            [&] { static_cast<void>(onnx::gather_nd(d, i)); },
        };
        for (const auto& call : calls) {
          try {
            call();
          } catch (const Error&) {
          }
          EXPECT_TRUE(data.intact() && index.intact() && update.intact());
        }
      }
    }
  }
}

TEST(NullPointers, AreRefusedWhereThereAreElements) {
  std::vector<float> memory{1, 2, 3};
  const std::vector<std::int64_t> index{0};
  const std::vector<float> update{9};
  const ConstTensorRef no_index(nullptr, Dtype::int64, {1}), no_update(nullptr, Dtype::float32, {1});
  const TensorRef nowhere(nullptr, Dtype::float32, {3});
  EXPECT_EQ(text_of([&] { pytorch::scatter_(tensor(memory), 0, no_index, tensor(update)); }),
            "shape: pytorch.scatter_: index: data is null, but shape [1] has elements");
  EXPECT_EQ(text_of([&] { pytorch::scatter_(tensor(memory), 0, tensor(index), no_update); }),
            "shape: pytorch.scatter_: src: data is null, but shape [1] has elements");
  EXPECT_EQ(text_of([&] { pytorch::scatter_into(tensor(memory), nowhere, 0, tensor(index), tensor(update)); }),
            "shape: pytorch.scatter: input: data is null, but shape [3] has elements");
  EXPECT_EQ(text_of([&] { pytorch::scatter_(nowhere, 0, tensor(index), tensor(update)); }),
            "shape: pytorch.scatter_: input: data is null, but shape [3] has elements");
  EXPECT_EQ(text_of([&] { static_cast<void>(pytorch::gather(nowhere, 0, tensor(index))); }),
            "shape: pytorch.gather: input: data is null, but shape [3] has elements");
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 3}));
}

TEST(NullPointers, AreFineWhereThereAreNone) {
  std::vector<float> memory{1, 2, 3};
  pytorch::scatter_(tensor(memory), 0, {nullptr, Dtype::int64, {0}}, ConstTensorRef(nullptr, Dtype::float32, {0}));
  onnx::scatter_nd_into(tensor(memory), tensor(memory), {nullptr, Dtype::int64, {0, 1}}, {nullptr, Dtype::float32, {0}});
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 3}));
}

// R12: memory that the output shares.
class Overlapping : public testing::Test {
 protected:
  std::vector<float> before_{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<float> memory_ = before_;
  std::vector<std::int64_t> index_{1, 0};
  std::vector<float> update_{8, 9};

  TensorRef part(std::int64_t offset, Dims shape, Dims strides) {
    return {memory_.data() + offset, Dtype::float32, std::move(shape), std::move(strides)};
  }
  template <class Call>
  void expect_refused(Call call, const std::string& text) {
    EXPECT_EQ(text_of(call), text);
    EXPECT_EQ(memory_, before_);
  }
};

constexpr const char* shared_updates =
    "overlap: pytorch.scatter_: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location; pass a copy of src";
constexpr const char* shared_itself =
    "overlap: pytorch.scatter_: unsupported operation: more than one element of the written-to tensor refers to a single memory location; "
    "pass "
    "a copy of it";

TEST_F(Overlapping, TheUpdatesAreTheOutput) {
  expect_refused([&] { pytorch::scatter_(part(0, {2}, {1}), 0, tensor(index_), part(0, {2}, {1})); }, shared_updates);
}
TEST_F(Overlapping, TheUpdatesAreAPartOfTheOutput) {
  expect_refused([&] { pytorch::scatter_(part(0, {4}, {1}), 0, tensor(index_), part(2, {4}, {1})); }, shared_updates);
  expect_refused([&] { pytorch::scatter_(part(0, {4}, {1}), 0, tensor(index_), part(4, {2}, {-1})); }, shared_updates);
}
TEST_F(Overlapping, TheIndicesAreTheOutput) {
  std::vector<std::int64_t> self{1, 0, 2};
  const std::vector<std::int64_t> update{5, 6, 7};
  EXPECT_EQ(
      text_of([&] { pytorch::scatter_(tensor(self), 0, tensor(self), tensor(update)); }),
      "overlap: pytorch.scatter_: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
      "memory location; pass a copy of index");
  EXPECT_EQ(self, (std::vector<std::int64_t>{1, 0, 2}));
}
TEST_F(Overlapping, TheOutputRepeatsItself) {
  expect_refused([&] { pytorch::scatter_(part(0, {3}, {0}), 0, tensor(index_), tensor(update_)); }, shared_itself);
  const std::vector<std::int64_t> columns{0, 1};
  expect_refused([&] { pytorch::scatter_(part(0, {3, 2}, {1, 1}), 0, tensor(columns, {1, 2}), tensor(update_, {1, 2})); }, shared_itself);
  expect_refused([&] { pytorch::scatter_(part(3, {2, 2}, {2, -2}), 0, tensor(columns, {1, 2}), tensor(update_, {1, 2})); }, shared_itself);
}
// Unusual strides that do not overlap: 2 and 3 meet only at 6.
TEST_F(Overlapping, UnusualStridesAreFine) {
  const std::vector<std::int64_t> columns{1, 1};
  pytorch::scatter_(part(0, {2, 2}, {2, 3}), 0, tensor(columns, {1, 2}), tensor(update_, {1, 2}));
  EXPECT_EQ(memory_, (std::vector<float>{0, 1, 8, 3, 4, 9, 6, 7}));
}
// Interleaved views share a range but no element: allowed, and read before anything is written.
TEST_F(Overlapping, InterleavedViewsAreFine) {
  const std::vector<std::int64_t> four{3, 2, 1, 0};
  pytorch::scatter_(part(0, {4}, {2}), 0, tensor(four), part(1, {4}, {2}));
  EXPECT_EQ(memory_, (std::vector<float>{7, 1, 5, 3, 3, 5, 1, 7}));
}
// Whether these share an element is not decided; what is read is what was there before the call.
TEST_F(Overlapping, UndecidedOverlapReadsTheOldValues) {
  const std::vector<std::int64_t> four{1, 0, 2, 3};
  pytorch::scatter_(part(0, {4}, {2}), 0, tensor(four), part(0, {4}, {1}));
  EXPECT_EQ(memory_, (std::vector<float>{1, 1, 0, 3, 2, 5, 3, 7}));
}
TEST_F(Overlapping, IntoAnInputOfAGather) {
  EXPECT_EQ(text_of([&] { pytorch::gather_into(part(0, {2}, {1}), part(1, {4}, {1}), 0, tensor(index_)); }),
            "overlap: pytorch.gather: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location; pass a copy of input");
  EXPECT_EQ(memory_, before_);
}
TEST_F(Overlapping, DirectmlRunsNothingInPlace) {
  expect_refused([&] { directml::scatter_into(part(0, {4}, {1}), part(0, {4}, {1}), tensor(index_), tensor(update_), {.axis = 0}); },
                 "overlap: directml.scatter: OutputTensor may not be InputTensor: this operator does not support in-place execution");
}

// Every operator of PyTorch that takes out= says what torch says; torch itself would resize it.
TEST(Outputs, MustHaveTheResultsShapeAndType) {
  const std::vector<float> data{1, 2, 3}, update{9};
  const std::vector<std::int64_t> index{0};
  const ConstTensorRef x = tensor(data), i = tensor(index), u = tensor(update);
  using Into = void (*)(const TensorRef&, const ConstTensorRef&, const ConstTensorRef&, const ConstTensorRef&);
  struct Row {
    const char* name;
    Into into;
    const char* shape;
  };
  const Row rows[] = {
      {"scatter", [](auto& out, auto& a, auto& b, auto& c) { pytorch::scatter_into(out, a, 0, b, c); }, "[3]"},
      {"scatter", [](auto& out, auto& a, auto& b, auto&) { pytorch::scatter_into(out, a, 0, b, 1.0); }, "[3]"},
      {"scatter_add", [](auto& out, auto& a, auto& b, auto& c) { pytorch::scatter_add_into(out, a, 0, b, c); }, "[3]"},
      {"scatter_reduce", [](auto& out, auto& a, auto& b, auto& c) { pytorch::scatter_reduce_into(out, a, 0, b, c, "sum"); }, "[3]"},
      {"index_add", [](auto& out, auto& a, auto& b, auto& c) { pytorch::index_add_into(out, a, 0, b, c); }, "[3]"},
      {"index_copy", [](auto& out, auto& a, auto& b, auto& c) { pytorch::index_copy_into(out, a, 0, b, c); }, "[3]"},
      {"gather", [](auto& out, auto& a, auto& b, auto&) { pytorch::gather_into(out, a, 0, b); }, "[1]"},
  };
  for (const Row& row : rows) {
    std::vector<float> small(2, 5);
    std::vector<double> other(2, 5);
    EXPECT_EQ(text_of([&] { row.into(tensor(small), x, i, u); }),
              std::string("shape: pytorch.") + row.name + ": out had shape [2], which does not match the required output shape " +
                  row.shape + "; Strew does not resize it");
    EXPECT_EQ(text_of([&] { row.into(tensor(other), x, i, u); }),
              std::string("dtype: pytorch.") + row.name + ": Expected out tensor to have dtype float32, but got float64 instead");
    EXPECT_EQ(small, std::vector<float>(2, 5));
    EXPECT_EQ(other, std::vector<double>(2, 5));
  }
  std::vector<float> small(2, 5);
  EXPECT_EQ(text_of([&] { onnx::scatter_elements_into(tensor(small), x, i, u); }),
            "shape: onnx.ScatterElements: out must have shape [3], got [2]");
  const std::vector<std::uint32_t> unsigned_index{0};
  EXPECT_EQ(text_of([&] { directml::scatter_into(tensor(small), x, tensor(unsigned_index), u, {.axis = 0}); }),
            "shape: directml.scatter: OutputTensor.Sizes must be [3], got [2]");
}

// R11: what overflows wraps, in every width.
TEST(Arithmetic, Wraps) {
  const std::vector<std::int64_t> index{0, 0};
  std::vector<std::int8_t> small{127};
  const std::vector<std::int8_t> small_updates{1, -128};
  pytorch::scatter_add_(tensor(small), 0, tensor(index), tensor(small_updates));
  EXPECT_EQ(small[0], 0);
  std::vector<std::int64_t> wide{INT64_MAX};
  const std::vector<std::int64_t> wide_updates{1, INT64_MIN};
  pytorch::scatter_(tensor(wide), 0, tensor(index), tensor(wide_updates), "multiply");
  EXPECT_EQ(wide[0], INT64_MIN);
  // The mean divides by a count, never by a number of the caller's.
  std::vector<std::int32_t> mean{INT32_MIN};
  const std::vector<std::int32_t> minus{-1, 0};
  pytorch::scatter_reduce_(tensor(mean), 0, tensor(index), tensor(minus), "mean", false);
  EXPECT_EQ(mean[0], -1);
}

TEST(Strings, MustBeAligned) {
  std::vector<std::string> words{"a", "b"};
  const std::vector<std::int64_t> index{0};
  const TensorRef shifted(reinterpret_cast<std::byte*>(words.data()) + 1, Dtype::string, {1});
  EXPECT_EQ(text_of([&] { static_cast<void>(onnx::gather_elements(shifted, tensor(index))); }),
            "shape: onnx.GatherElements: data: strings must be aligned to 8 bytes");
}

}  // namespace
}  // namespace strew::harness
