// Errors as values.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "strew/strew.h"

namespace strew {
namespace {

struct Call {
  std::vector<float> out{1, 2, 3};
  std::vector<std::int64_t> index;
  std::vector<float> updates{5, 7};

  [[nodiscard]] ScatterOp op() { return pytorch::describe::scatter_add(tensor(out), tensor(out), 0, tensor(index), tensor(updates)); }
};

// The error that the throwing form throws is the one that the other form returns.
template <class Throwing, class Returning>
void expect_same_error(const Throwing& throwing, const Returning& returning) {
  try {
    throwing();
    FAIL() << "it does not throw";
  } catch (const Error& thrown) {
    const auto returned = returning();
    ASSERT_FALSE(returned);
    EXPECT_FALSE(returned.has_value());
    EXPECT_EQ(returned.error().code(), thrown.code());
    EXPECT_STREQ(returned.error().what(), thrown.what());
    ASSERT_EQ(returned.error().bad_index().has_value(), thrown.bad_index().has_value());
    if (thrown.bad_index()) {
      EXPECT_EQ(returned.error().bad_index()->value, thrown.bad_index()->value);
    }
    EXPECT_THROW(static_cast<void>(returned.value()), Error);
  }
}

TEST(Expected, RunsComputesAndPlans) {
  Call good{.index = {2, 0}};
  ASSERT_TRUE(try_run(good.op()));
  EXPECT_EQ(good.out, (std::vector<float>{8, 2, 8}));
  const Expected<Tensor> computed = try_compute(good.op());
  ASSERT_TRUE(computed);
  EXPECT_EQ(computed->values<float>()[0], 15);
  EXPECT_EQ(good.out[0], 8);
  EXPECT_THROW(static_cast<void>(computed.error()), std::bad_optional_access);
  const Expected<Plan> made = try_plan(good.op());
  ASSERT_TRUE(made);
  ASSERT_TRUE(try_call([&] { made->apply(tensor(good.updates), tensor(good.out)); }));
  EXPECT_EQ(good.out, (std::vector<float>{15, 2, 13}));

  const GatherOp gathering = pytorch::describe::gather(tensor(good.updates), tensor(good.out), 0, tensor(good.index));
  ASSERT_TRUE(try_run(gathering));
  EXPECT_EQ(good.updates, (std::vector<float>{13, 15}));
  EXPECT_EQ(try_compute(gathering)->values<float>()[1], 15);
}

TEST(Expected, ReturnsWhatTheOthersThrow) {
  Call bad{.index = {2, 9}};
  expect_same_error([&] { run(bad.op()); }, [&] { return try_run(bad.op()); });
  expect_same_error([&] { static_cast<void>(compute(bad.op())); }, [&] { return try_compute(bad.op()); });
  expect_same_error([&] { static_cast<void>(plan(bad.op())); }, [&] { return try_plan(bad.op()); });
  const GatherOp gathering = pytorch::describe::gather(tensor(bad.updates), tensor(bad.out), 0, tensor(bad.index));
  expect_same_error([&] { run(gathering); }, [&] { return try_run(gathering); });
  expect_same_error([&] { static_cast<void>(compute(gathering)); }, [&] { return try_compute(gathering); });
  EXPECT_EQ(bad.out, (std::vector<float>{1, 2, 3}));

  const auto described = [&] {
    return onnx::describe::scatter_nd(tensor(bad.out), tensor(bad.out), tensor(bad.index), tensor(bad.updates));
  };
  expect_same_error([&] { static_cast<void>(described()); }, [&] { return try_call(described); });
  const auto viewed = [&] { return tensor(bad.out, {2, 2}); };
  expect_same_error([&] { static_cast<void>(viewed()); }, [&] { return try_call(viewed); });
}

TEST(Expected, TakesMoveOnlyValuesAndOtherExceptions) {
  Expected<std::unique_ptr<int>> five = try_call([] { return std::make_unique<int>(5); });
  ASSERT_TRUE(five);
  const std::unique_ptr<int> taken = *std::move(five);
  EXPECT_EQ(*taken, 5);
  const auto no_memory = try_call([]() -> int { throw std::bad_alloc(); });
  ASSERT_FALSE(no_memory);
  EXPECT_EQ(no_memory.error().code(), ErrorCode::memory);
  EXPECT_THROW(static_cast<void>(try_call([] { throw std::out_of_range("the caller's own"); })), std::out_of_range);
}

}  // namespace
}  // namespace strew
