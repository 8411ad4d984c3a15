// What has gone wrong in other libraries, put to every operator of the registry: views that lie, indices at every edge of their type,
// axes that do not exist, and published triggers one by one.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "dialects/registry.h"
#include "strew/strew.h"

namespace strew {
using namespace internal;
namespace {

constexpr std::int64_t rows = 3, columns = 4, two_31 = std::int64_t{1} << 31, two_32 = std::int64_t{1} << 32;

bool is_tensor(const Parameter& p) { return p.type <= Parameter::source || p.type == Parameter::target; }

// What the messages of a dialect call an argument.
std::string shown(const Operator& op, std::string_view argument) {
  if (op.dialect != "directml") return std::string(argument);
  return argument == "input" ? "InputTensor" : argument == "indices" ? "IndicesTensor" : "UpdatesTensor";
}

Dims index_shape(const Operator& op) {
  if (op.dialect == "strew") return {2};
  const bool names_slices = op.name.starts_with("index_") || op.name.ends_with("_at") || (op.dialect == "paddle" && op.name == "scatter");
  if (names_slices) return {2};
  return op.name.find("_nd") != std::string_view::npos ? Dims{2, 1} : Dims{2, columns};
}

// A call of an operator on [3, 4], with indices that name places of the first axis. It works as it is.
class Call {
 public:
  explicit Call(const Operator& op, Dtype index_dtype = Dtype::int64) : op_(op) {
    const Dims shape = index_shape(op);
    for (const Parameter& p : op.parameters) {
      switch (p.type) {
        case Parameter::tensor:
        case Parameter::target: add(p, ConstTensorRef(memory_.data(), Dtype::float32, {rows, columns})); break;
        case Parameter::indices: add(p, ConstTensorRef(index_.data(), index_dtype, shape)); break;
        case Parameter::index_key:
        case Parameter::columns: add(p, IndexKey{ConstTensorRef(index_.data(), index_dtype, shape)}); break;
        case Parameter::shape: add(p, Dims{rows, columns}); break;
        case Parameter::integer:
          if (!p.fallback) add(p, Number(0));
          break;
        case Parameter::word:
          if (!p.fallback) add(p, std::string("sum"));
          break;
        default: break;
      }
    }
    for (const Parameter& p : op.parameters) {
      if (p.name == "axis" && !argument("axis")) add(p, Number(0));
      if (p.type != Parameter::updates && p.type != Parameter::source) continue;
      add(p, ConstTensorRef(updates_.data(), Dtype::float32, op.updates_shape(Arguments(op, arguments_))));
    }
  }
  Call(const Call&) = delete;

  Argument* argument(std::string_view name) {
    for (Argument& a : arguments_) {
      if (a.name == name) return &a;
    }
    return nullptr;
  }
  ConstTensorRef* tensor(const Parameter& p) {
    auto& value = argument(p.name)->value;
    if (auto* const key = std::get_if<IndexKey>(&value)) return &std::get<ConstTensorRef>((*key)[0]);
    return &std::get<ConstTensorRef>(value);
  }

  // The second index.
  template <class I>
  void set_index(I value) {
    std::memcpy(index_.data() + sizeof value, &value, sizeof value);
  }

  // Runs it into memory of its own, or into the first argument where the operator knows no other way.
  void run() {
    const TensorRef target(out_.data(), Dtype::float32, {rows, columns});
    if (op_.writes_first_argument()) {
      argument(op_.parameters[0].name)->value = ConstTensorRef(target);
      return run_op(op_.describe(target, Arguments(op_, arguments_)));
    }
    AnyOp op = op_.describe({}, Arguments(op_, arguments_));
    std::visit([&](auto& any) { any.out.data = out_.data(); }, op);
    run_op(std::move(op));
  }
  [[nodiscard]] bool is_untouched() const { return out_ == std::array<float, rows * columns>{}; }

 private:
  template <class T>
  void add(const Parameter& p, T value) {
    arguments_.push_back({p.name, std::move(value)});
  }
  static void run_op(AnyOp op) {
    std::visit([](const auto& any) { strew::run(any); }, op);
  }

  const Operator& op_;
  std::vector<Argument> arguments_;
  std::array<std::byte, 8 * 8> index_{};
  std::array<float, rows * columns> memory_{}, out_{};
  std::array<float, 8> updates_{1, 1, 1, 1, 1, 1, 1, 1};
};

std::vector<const Operator*> operators() {
  std::vector<const Operator*> all;
  for (const std::span<const Operator> dialect : registry()) {
    for (const Operator& op : dialect) all.push_back(&op);
  }
  return all;
}

std::string name_of(const Operator& op) { return std::string(op.dialect) + "." + std::string(op.name); }

template <class Run>
Error error_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::changed, "no error");
}

TEST(Replay, EveryCallWorksAsItIs) {
  for (const Operator* op : operators()) {
    Call call(*op);
    EXPECT_NO_THROW(call.run()) << name_of(*op);
  }
}

// A view that cannot be is refused with its name, whichever argument it is.
TEST(Replay, ViewsThatCannotBe) {
  const struct {
    std::function<void(ConstTensorRef&)> spoil;
    ErrorCode code;
    const char* text;
  } flaws[] = {
      {[](ConstTensorRef& t) { t.dtype = static_cast<Dtype>(99); }, ErrorCode::dtype, "there is no dtype 99"},
      {[](ConstTensorRef& t) { t.shape = t.strides = Dims(65, 1); }, ErrorCode::shape, "rank must be at most 64, got 65"},
      {[](ConstTensorRef& t) {
         t.shape = {2, 1, 1}, t.strides = {1};
       },
       ErrorCode::shape, "strides must have one entry per dimension, got 1 for shape [2, 1, 1]"},
      {[](ConstTensorRef& t) {
         t.shape = {2, -1}, t.strides = {1, 1};
       },
       ErrorCode::shape, "sizes must be >= 0, got shape [2, -1]"},
  };
  for (const Operator* op : operators()) {
    for (const Parameter& p : op->parameters) {
      if (!is_tensor(p) && !is_key(p.type)) continue;
      // An operator that only exists in place gets its first argument as a TensorRef of its own.
      if (p.type == Parameter::target) continue;
      for (const auto& flaw : flaws) {
        Call call(*op);
        flaw.spoil(*call.tensor(p));
        const Error error = error_of([&] { call.run(); });
        const std::string end = ": " + shown(*op, p.name) + ": " + flaw.text;
        EXPECT_TRUE(std::string_view(error.what()).ends_with(end)) << name_of(*op) << ": " << error.what() << "\nexpected " << end;
        EXPECT_EQ(to_string(error.code()), to_string(flaw.code)) << name_of(*op);
        EXPECT_TRUE(call.is_untouched()) << name_of(*op);
      }
    }
  }
}

template <class I>
void expect_edges(const Operator& op) {
  // NumPy reads a uint64 as an int64; its own tests say so.
  if (!op.index_dtypes.has(dtype_of<I>) || (op.dialect == "numpy" && std::is_same_v<I, std::uint64_t>)) return;
  const bool wraps = op.dialect != "tensorflow" && op.dialect != "pytorch" && op.dialect != "strew";
  for (const std::int64_t value :
       {std::int64_t{0}, rows - 1, rows, rows + 1, std::int64_t{0xdeadbeef}, two_31, two_32, two_32 + 1, two_32 + 3, INT64_MAX,
        std::int64_t{-1}, -rows, -rows - 1, std::int64_t{INT32_MIN}, std::int64_t{-1250999896764}, INT64_MIN}) {
    const bool fits = std::is_signed_v<I> ? value >= std::int64_t{std::numeric_limits<I>::min()} &&
                                                value <= static_cast<std::int64_t>(std::numeric_limits<I>::max())
                                          : value >= 0 && static_cast<std::uint64_t>(value) <= std::numeric_limits<I>::max();
    if (!fits) continue;
    Call call(op, dtype_of<I>);
    call.set_index(static_cast<I>(value));
    const Error error = error_of([&] { call.run(); });
    const std::int64_t lowest = wraps ? -rows : 0;
    if (value >= lowest && value < rows) {
      EXPECT_STREQ(error.what(), "no error") << name_of(op) << " " << value;
      continue;
    }
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::index)) << name_of(op) << " " << value << " " << error.what();
    ASSERT_TRUE(error.bad_index()) << name_of(op) << " " << value << " " << error.what();
    EXPECT_EQ(error.bad_index()->value, value) << name_of(op);
    EXPECT_EQ(error.bad_index()->extent, rows) << name_of(op);
    EXPECT_EQ(error.bad_index()->count, 1) << name_of(op);
    EXPECT_TRUE(call.is_untouched()) << name_of(op) << " " << value;
  }
}

// R1: index = size, one more, what aliases into range when it is narrowed, and the ends of the type; in every type that is taken.
TEST(Replay, IndicesAtEveryEdge) {
  for (const Operator* op : operators()) {
    expect_edges<std::int8_t>(*op);
    expect_edges<std::int16_t>(*op);
    expect_edges<std::int32_t>(*op);
    expect_edges<std::int64_t>(*op);
    expect_edges<std::uint8_t>(*op);
    expect_edges<std::uint16_t>(*op);
    expect_edges<std::uint32_t>(*op);
    expect_edges<std::uint64_t>(*op);
  }
}

// R9: an axis is never used before it is known to exist, however far away it is.
TEST(Replay, AxesThatDoNotExist) {
  int seen = 0;
  for (const Operator* op : operators()) {
    for (const char* word : {"axis", "dim"}) {
      if (Call(*op).argument(word) == nullptr) continue;
      ++seen;
      for (const std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, std::int64_t{-100000}, two_31, INT64_MIN, INT64_MAX}) {
        Call call(*op);
        call.argument(word)->value = Number(axis);
        const Error error = error_of([&] { call.run(); });
        EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::axis)) << name_of(*op) << " " << error.what();
        EXPECT_NE(std::string_view(error.what()).find(std::to_string(axis)), std::string_view::npos) << error.what();
        EXPECT_TRUE(call.is_untouched()) << name_of(*op);
      }
    }
  }
  EXPECT_EQ(seen, 14);
}

// Published triggers, each with what Strew says to it. Empty: it is an answer.
TEST(Replay, PublishedTriggers) {
  std::array<float, 64> f{};
  std::array<std::int64_t, 64> i{};
  const auto data = [&](Dims shape) { return TensorRef(f.data(), Dtype::float32, std::move(shape)); };
  const auto ones = [](Dims shape) {
    static const std::array<float, 64> values = [] {
      std::array<float, 64> v{};
      v.fill(1);
      return v;
    }();
    return ConstTensorRef(values.data(), Dtype::float32, std::move(shape));
  };
  const auto index = [&](Dims shape, std::vector<std::int64_t> values = {}) {
    i.fill(0);
    std::copy(values.begin(), values.end(), i.begin());
    return ConstTensorRef(i.data(), Dtype::int64, std::move(shape));
  };
  const auto drop = [](const Tensor&) {};
  const struct {
    const char* trigger;
    std::function<void()> call;
    const char* text;
  } cases[] = {
      {"a zero among the sizes that tuples name (CVE-2021-29589)",
       [&] {
         drop(tensorflow::gather_nd(data({2, 0}), index({1, 2})));
       },
       "tensorflow.gather_nd: Requested more than 0 entries, but params is empty.  Params shape: [2,0]"},
      {"index 0 of a dimension of size 0 (onnxruntime 28006)",
       [&] {
         drop(onnx::gather_nd(data({2, 0}), index({1, 2})));
       },
       "onnx.GatherND: invalid index found, index = 0 (indices[0, 1] = 0 for axis 1 of size 0, no index is valid)"},
      {"the same in Paddle",
       [&] {
         drop(paddle::gather_nd(data({2, 0}), index({1, 2})));
       },
       "paddle.gather_nd: Input(index[-1)] has wrong value, it is [0] (index[0, 1] = 0 for axis 1 of size 0, no index is valid)"},
      {"a negative index of a vector of one (CVE-2021-37687)", [&] { drop(onnx::gather_elements(data({1}), index({1}, {-10}))); },
       "onnx.GatherElements: Out of range value in index tensor (indices[0] = -10 for axis 0 of size 1, valid: -1..0)"},
      {"updates checked by divisibility (CVE-2021-37655)", [&] { paddle::scatter_(data({1}), index({1}), ones({5})); }, ""},
      {"the same with tuples",
       [&] {
         drop(tensorflow::tensor_scatter_nd_update(data({1}), index({1, 1}), ones({5})));
       },
       "tensorflow.tensor_scatter_nd_update: Outer dimensions of indices and update must match. Indices shape: [1,1], updates shape:[5]"},
      {"an empty batch (CVE-2021-37653)",
       [&] {
         drop(onnx::gather_nd(data({0, 1}), index({1}), {.batch_dims = 1}));
       },
       "onnx.GatherND: batch_dims must be at least 0 and less than min(rank of indices, rank of data) = 1, got 1"},
      {"an empty batch in both",
       [&] {
         drop(onnx::gather_nd(data({0, 1}), index({0, 1}), {.batch_dims = 1}));
       },
       ""},
      {"batches that do not match (onnxruntime 27090)",
       [&] {
         drop(onnx::gather_nd(data({2, 2, 2}), index({3, 1}), {.batch_dims = 1}));
       },
       "onnx.GatherND: the first 1 dimensions of indices [3, 1] and data [2, 2, 2] must be equal (batch_dims)"},
      {"nothing to write to, but updates (CVE-2021-37660)",
       [&] {
         pytorch::index_add_(data({0}), 0, index({3}, {-99, -1, -1}), ones({3}));
       },
       "pytorch.index_add_: index out of range in self (index[0] = -99 for axis 0 of size 0, no index is valid; 2 more)"},
      {"values of rank 0 and a wild index (CVE-2023-52303)",
       [&] { paddle::put_along_axis_(data({1}), index({1}, {-4611686018427387905}), ones({}), 0); },
       "paddle.put_along_axis_: Variable value (index) of scatter cpu kernel, expected >= -1 and < 1, but got -4611686018427387905. "
       "Please check the input value (indices[0] = -4611686018427387905 for axis 0 of size 1, valid: -1..0)"},
      {"eight indices into rank 0 (pytorch 88940)", [&] { drop(pytorch::gather(data({}), 0, index({8}))); }, ""},
      {"a bad one among them",
       [&] {
         drop(pytorch::gather(data({}), 0, index({8}, {0, 0, 0, 1})));
       },
       "pytorch.gather: index 1 is out of bounds for dimension 0 with size 1 (index[3] = 1 for axis 0 of size 1, valid: 0..0)"},
      {"a source of rank 3 into rank 0 (pytorch 114864)",
       [&] {
         pytorch::index_add_(data({}), 0, index({1}), ones({1, 1, 1}));
       },
       "pytorch.index_add_: source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [] "
       "source.shape = [1, 1, 1]"},
      {"an index larger than src (pytorch 1653)",
       [&] {
         pytorch::scatter_(data({3, 4}), 0, index({3, 4}), ones({2, 4}));
       },
       "pytorch.scatter_: Expected index [3, 4] to be no larger than self [3, 4] apart from dimension 0 and to be no larger size than src "
       "[2, 4]"},
      {"indices of shape [0] (tensorflow 74915)", [&] { drop(tensorflow::tensor_scatter_nd_add(data({3}), index({0}), ones({0}))); },
       "tensorflow.tensor_scatter_nd_add: The inner 1 dimensions of output.shape=[3] must match the inner 1 dimensions of "
       "updates.shape=[0]"},
      {"updates of lower rank than the points (tensorflow 93680)",
       [&] {
         drop(tensorflow::tensor_scatter_nd_add(data({3}), index({4, 1, 1}), ones({4})));
       },
       "tensorflow.tensor_scatter_nd_add: Outer dimensions of indices and update must match. Indices shape: [4,1,1], updates shape:[4]"},
      {"INT64_MIN into slices without elements (tensorflow 104080)",
       [&] {
         drop(onnx::scatter_nd(data({10, 0}), index({1, 1}, {INT64_MIN}), ones({1, 0})));
       },
       "onnx.ScatterND: invalid indice found, indice = -9223372036854775808 (indices[0, 0] = -9223372036854775808 for axis 0 of size 10, "
       "valid: -10..9)"},
      {"the largest index not last (CVE-2020-15214)",
       [&] {
         pytorch::index_add_(data({3}), 0, index({2}, {5, 0}), ones({2}));
       },
       "pytorch.index_add_: index out of range in self (index[0] = 5 for axis 0 of size 3, valid: 0..2)"},
      {"only the first and the last in range (pytorch 175368)",
       [&] {
         pytorch::scatter_add_(data({3}), 0, index({3}, {0, 7, 0}), ones({3}));
       },
       "pytorch.scatter_add_: index 7 is out of bounds for dimension 0 with size 3 (index[1] = 7 for axis 0 of size 3, valid: 0..2)"},
      {"tuples of more coordinates than axes, one of them far (onnx-mlir 3611)",
       [&] {
         drop(paddle::scatter_nd_add(data({3}), index({1, 2}, {0, two_32}), ones({1})));
       },
       "paddle.scatter_nd_add: The last dimension of Input(Index)'s shape should be no greater than the rank of Input(X), but received the "
       "last dimension of Input(Index)'s shape is 2, the rank of Input(X) is 1."},
  };
  for (const auto& c : cases) {
    f.fill(0);
    const Error error = error_of(c.call);
    if (*c.text == '\0') {
      EXPECT_STREQ(error.what(), "no error") << c.trigger;
      continue;
    }
    EXPECT_STREQ(error.what(), c.text) << c.trigger;
    EXPECT_EQ(f, (std::array<float, 64>{})) << c.trigger;
  }
}

}  // namespace
}  // namespace strew
