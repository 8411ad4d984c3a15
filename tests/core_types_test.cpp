// The value types: SmallVector, Tensor, views of other libraries' objects.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>
#if __has_include(<stdfloat>)
#include <stdfloat>
#endif

#include "strew/strew.h"

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define STREW_HAS_EIGEN 1
#endif

namespace strew {
namespace {

using Numbers = SmallVector<std::int64_t, 4>;

Numbers counting(std::size_t count) {
  Numbers v;
  for (std::size_t i = 0; i < count; ++i) v.push_back(static_cast<std::int64_t>(i) * 3);
  return v;
}

void expect_counting(const Numbers& v, std::size_t count) {
  ASSERT_EQ(v.size(), count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(v[i], static_cast<std::int64_t>(i) * 3);
}

TEST(SmallVector, CopiesAndMovesAtEverySize) {
  for (std::size_t count = 0; count < 20; ++count) {
    Numbers v = counting(count);
    expect_counting(v, count);
    const Numbers copy = v;
    expect_counting(copy, count);
    EXPECT_TRUE(copy == v);
    const Numbers moved = std::move(v);
    expect_counting(moved, count);
    for (std::size_t other = 0; other < 20; ++other) {
      Numbers assigned = counting(other);
      assigned = copy;
      expect_counting(assigned, count);
      Numbers taken = counting(other);
      Numbers from = counting(count);
      taken = std::move(from);
      expect_counting(taken, count);
      EXPECT_EQ(taken == counting(other), count == other);
    }
  }
}

TEST(SmallVector, AssignsToItself) {
  Numbers v = counting(9);
  const Numbers& same = v;
  v = same;
  expect_counting(v, 9);
}

TEST(SmallVector, GrowsShrinksAndIterates) {
  Numbers v(3, 7);
  EXPECT_EQ(std::vector<std::int64_t>(v.begin(), v.end()), (std::vector<std::int64_t>{7, 7, 7}));
  v.resize(6, 1);
  v.pop_back();
  EXPECT_EQ(v.back(), 1);
  EXPECT_EQ(v.size(), 5u);
  v.resize(1);
  EXPECT_EQ(v.size(), 1u);
  v.clear();
  EXPECT_TRUE(v.empty());
  v.append(counting(6));
  expect_counting(v, 6);
  EXPECT_FALSE(v == counting(5));
  const std::array<std::int64_t, 2> range{1, 2};
  EXPECT_TRUE(Numbers(range) == (Numbers{1, 2}));
}

// Elements with a destructor are destroyed exactly once; the sanitizers watch the rest.
TEST(SmallVector, OwnsItsElements) {
  const auto shared = std::make_shared<int>(5);
  {
    SmallVector<std::shared_ptr<int>, 2> v;
    for (int i = 0; i < 5; ++i) v.push_back(shared);
    SmallVector<std::shared_ptr<int>, 2> copy = v;
    SmallVector<std::shared_ptr<int>, 2> moved = std::move(copy);
    moved.pop_back();
    EXPECT_EQ(shared.use_count(), 1 + 5 + 4);
    v = std::move(moved);
    EXPECT_EQ(shared.use_count(), 1 + 4);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Shapes, CountsAreChecked) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({2, 0, 4}), 0);
  for (const Dims& shape : {Dims{std::int64_t{1} << 32, std::int64_t{1} << 32}, Dims{std::int64_t{1} << 62, 4},
                            Dims{0, std::int64_t{1} << 62, 4}, Dims{-1}, Dims{0, -1}}) {
    EXPECT_THROW(static_cast<void>(element_count(shape)), Error);
  }
  EXPECT_TRUE(dense_strides({2, 3, 4}) == (Dims{12, 4, 1}));
  EXPECT_TRUE(dense_strides({}) == Dims{});
  // A shape that no tensor has: nothing wraps.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), two_62 = std::int64_t{1} << 62;
  EXPECT_TRUE(dense_strides({5, two_62, 4}) == (Dims{most, 4, 1}));
  EXPECT_TRUE(dense_strides({2, 3, two_62, two_62, 2}) == (Dims{most, most, most, 2, 1}));
  EXPECT_TRUE(dense_strides({3, 4, -2}) == (Dims{0, 0, 1}));
}

TEST(Tensors, HoldWhatTheyAreGiven) {
  const Tensor t({1.5f, 2.5f, 3.5f, 4.5f}, {2, 2});
  EXPECT_EQ(t.dtype(), Dtype::float32);
  EXPECT_EQ(t.values<float>()[3], 4.5f);
  EXPECT_THROW(static_cast<void>(t.values<double>()), Error);
  EXPECT_THROW(Tensor({1.0f}, {2}), Error);
  EXPECT_THROW(Tensor(Dtype::float64, {std::int64_t{1} << 61}), Error);
  const Tensor copy = t.clone();
  EXPECT_EQ(copy.values<float>()[2], 3.5f);
  EXPECT_NE(copy.data(), t.data());
  const Tensor transposed = Tensor::copy_of(ConstTensorRef(t.data(), Dtype::float32, {2, 2}, {1, 2}));
  EXPECT_EQ(transposed.values<float>()[1], 3.5f);
  const Tensor words({std::string("a"), std::string("a longer text than fits")}, {2});
  const Tensor cloned = words.clone(), empty = Tensor::zeros(Dtype::string, {2});
  EXPECT_EQ(cloned.values<std::string>()[1], "a longer text than fits");
  EXPECT_EQ(empty.values<std::string>()[1], "");
}

TEST(Adapt, VectorsArraysAndSpans) {
  std::vector<double> v{1, 2, 3, 4, 5, 6};
  const TensorRef whole = tensor(v);
  EXPECT_EQ(whole.data, v.data());
  EXPECT_EQ(whole.dtype, Dtype::float64);
  EXPECT_TRUE(whole.shape == Dims{6});
  const TensorRef matrix = tensor(v, {2, 3});
  EXPECT_TRUE(matrix.strides == (Dims{3, 1}));
  EXPECT_THROW(static_cast<void>(tensor(v, {4})), Error);
  std::array<std::uint16_t, 3> a{};
  EXPECT_EQ(tensor(a).dtype, Dtype::uint16);
  std::int8_t raw[4] = {};
  EXPECT_TRUE(tensor(raw).shape == Dims{4});
  const std::vector<std::complex<float>> constant(2);
  static_assert(std::is_same_v<decltype(tensor(constant)), ConstTensorRef>);
  EXPECT_EQ(tensor(constant).dtype, Dtype::complex64);
  EXPECT_EQ(tensor(std::span<Half>()).dtype, Dtype::float16);
  std::vector<std::string> words(2);
  EXPECT_EQ(tensor(words).dtype, Dtype::string);
}

template <class X>
concept HasView = requires(X&& x) { tensor(std::forward<X>(x)); };
template <class X>
concept HasShapedView = requires(X&& x, Dims shape) { tensor(std::forward<X>(x), shape); };

// Objects with the members of the libraries' types.
struct Mdspan {
  float* data;
  [[nodiscard]] float* data_handle() const { return data; }
  [[nodiscard]] static std::size_t rank() { return 2; }
  [[nodiscard]] static std::size_t extent(std::size_t d) { return d == 0 ? 2 : 3; }
  [[nodiscard]] static std::size_t stride(std::size_t d) { return d == 0 ? 1 : 2; }
};
struct Xtensor {
  std::vector<std::int32_t> memory;
  std::vector<std::size_t> shape_{2, 2};
  std::array<std::ptrdiff_t, 2> strides_{2, 1};
  std::int32_t* data() { return memory.data(); }
  [[nodiscard]] const std::vector<std::size_t>& shape() const { return shape_; }
  [[nodiscard]] const std::array<std::ptrdiff_t, 2>& strides() const { return strides_; }
  [[nodiscard]] static std::size_t dimension() { return 2; }
  [[nodiscard]] std::size_t size() const { return memory.size(); }
};
// As xt::view(x, xt::all(), 1): data() is that of x.
struct XtensorColumn : Xtensor {
  std::vector<std::size_t> rows_{2};
  std::array<std::ptrdiff_t, 1> row_stride_{2};
  [[nodiscard]] const std::vector<std::size_t>& shape() const { return rows_; }
  [[nodiscard]] const std::array<std::ptrdiff_t, 1>& strides() const { return row_stride_; }
  [[nodiscard]] static std::size_t dimension() { return 1; }
  [[nodiscard]] static std::size_t data_offset() { return 1; }
};
template <int r, int c>
struct EigenLike {
  static constexpr int RowsAtCompileTime = r, ColsAtCompileTime = c;
  std::vector<double> memory;
  std::ptrdiff_t rows_, cols_;
  [[nodiscard]] const double* data() const { return memory.data(); }
  [[nodiscard]] std::ptrdiff_t rows() const { return rows_; }
  [[nodiscard]] std::ptrdiff_t cols() const { return cols_; }
  [[nodiscard]] static std::ptrdiff_t rowStride() { return 1; }
  [[nodiscard]] std::ptrdiff_t colStride() const { return rows_; }
  [[nodiscard]] std::size_t size() const { return memory.size(); }
};

static_assert(HasView<Mdspan> && !HasView<Xtensor> && HasView<Xtensor&>);

TEST(Adapt, ObjectsOfOtherLibraries) {
  float memory[6] = {};
  const Mdspan mdspan{memory};
  const TensorRef from_mdspan = tensor(mdspan);
  EXPECT_EQ(from_mdspan.data, memory);
  EXPECT_TRUE(from_mdspan.shape == (Dims{2, 3}) && from_mdspan.strides == (Dims{1, 2}));
  Xtensor xtensor{{1, 2, 3, 4}};
  const TensorRef from_xtensor = tensor(xtensor);
  EXPECT_TRUE(from_xtensor.shape == (Dims{2, 2}) && from_xtensor.strides == (Dims{2, 1}));
  EXPECT_EQ(from_xtensor.dtype, Dtype::int32);
  XtensorColumn xtensor_column{{{1, 2, 3, 4}}};
  const TensorRef from_column = tensor(xtensor_column);
  EXPECT_EQ(from_column.data, &xtensor_column.memory[1]);
  EXPECT_TRUE(from_column.shape == Dims{2} && from_column.strides == Dims{2});
  const EigenLike<-1, -1> matrix{{1, 2, 3, 4, 5, 6}, 2, 3};
  const ConstTensorRef from_matrix = tensor(matrix);
  EXPECT_TRUE(from_matrix.shape == (Dims{2, 3}) && from_matrix.strides == (Dims{1, 2}));
  const EigenLike<-1, 1> column{{1, 2}, 2, 1};
  EXPECT_TRUE(tensor(column).shape == Dims{2});
  const EigenLike<1, -1> line{{1, 2, 3}, 1, 3};
  EXPECT_TRUE(tensor(line).shape == Dims{3});
}

// A column-major object is written through its own strides.
TEST(Adapt, PointersWithAShape) {
  float values[6] = {1, 2, 3, 4, 5, 6};
  const TensorRef view = tensor(values + 0, {2, 3});
  EXPECT_EQ(view.data, values);
  EXPECT_EQ(view.dtype, Dtype::float32);
  EXPECT_TRUE((view.strides == Dims{3, 1}));
  const std::string* words = nullptr;
  EXPECT_EQ(tensor(words, {0}).dtype, Dtype::string);
}

TEST(Adapt, PointersWithStrides) {
  float values[6] = {1, 2, 3, 4, 5, 6};
  const TensorRef view = tensor(values + 2, {2, 3}, {3, -1});
  EXPECT_EQ(view.data, values + 2);
  const Tensor copy = Tensor::copy_of(view);
  EXPECT_EQ(copy.values<float>()[1], 2);
  EXPECT_EQ(copy.values<float>()[3], 6);
  const float* const constant = values;
  static_assert(std::is_same_v<decltype(tensor(constant, {2}, {1})), ConstTensorRef>);
  EXPECT_THROW(static_cast<void>(tensor(constant, {2}, {1, 1})), Error);
  EXPECT_TRUE((tensor(values, {3, 2}).shape == Dims{3, 2})) << "an array is not taken for a pointer";
}

// The elements of a temporary would be freed before they are read.
template <class X>
concept HasValues = requires(X&& x) { std::forward<X>(x).template values<float>(); };
static_assert(HasValues<Tensor&> && HasValues<const Tensor&> && !HasValues<Tensor> && !HasValues<const Tensor>);

static_assert(HasView<std::vector<std::string>&> && !HasView<std::string&> && !HasView<const char (&)[4]>);
// Temporaries that own their elements are rejected, temporary views are accepted.
static_assert(!HasView<std::vector<float>> && !HasView<const std::vector<float>> && !HasView<std::array<float, 3>> && !HasView<Tensor> &&
              !HasView<const Tensor> && !HasShapedView<std::vector<float>> && !HasShapedView<Tensor>);
// With dimensions of an unknown kind, data() and size() do not describe the elements.
struct StridedObject {
  float* memory;
  [[nodiscard]] float* data() const { return memory; }
  [[nodiscard]] static std::size_t size() { return 6; }
  [[nodiscard]] static std::size_t stride(std::size_t) { return 2; }
};
static_assert(!HasView<StridedObject&> && !HasShapedView<StridedObject&>);
static_assert(HasView<std::span<float>> && HasView<std::span<const float>> && HasView<const std::span<float>> &&
              HasShapedView<std::span<const float>>);

TEST(Adapt, Tensors) {
  Tensor owner({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {2, 3});
  const TensorRef view = tensor(owner);
  EXPECT_EQ(view.data, owner.data());
  EXPECT_TRUE((view.shape == Dims{2, 3} && view.strides == Dims{3, 1}));
  EXPECT_TRUE((tensor(owner, {6}).shape == Dims{6}));
  EXPECT_THROW(static_cast<void>(tensor(owner, {7})), Error);
  const Tensor constant = owner.clone();
  static_assert(std::is_same_v<decltype(tensor(constant)), ConstTensorRef> &&
                std::is_same_v<decltype(tensor(constant, {6})), ConstTensorRef>);
  EXPECT_EQ(tensor(constant, {3, 2}).data, constant.data());
}

TEST(Shapes, TakeIntegersOfEveryType) {
  std::vector<float> values(24);
  const unsigned two = 2;
  const std::size_t three = 3;
  const std::int8_t four = 4;
  const int minus_one = -1;
  EXPECT_TRUE((tensor(values, {two, three, four}).shape == Dims{2, 3, 4}));
  EXPECT_TRUE((tensor(values, {three, std::integral_constant<int, 8>()}).shape == Dims{3, 8}));
  EXPECT_TRUE((tensor(values.data(), {two, three}, {three, 1u}).strides == Dims{3, 1}));
  EXPECT_TRUE((Tensor(Dtype::int8, {two, three}).shape() == Dims{2, 3}));
  EXPECT_TRUE((tensor(values, std::vector<int>{6, 4}).shape == Dims{6, 4}));
  EXPECT_TRUE((tensor(values, std::vector<std::size_t>{6, 4}).shape == Dims{6, 4}));
  EXPECT_TRUE((tensor(values, std::vector<short>{6, 4}).shape == Dims{6, 4}));
  EXPECT_TRUE((tensor(values, std::array<std::uint8_t, 2>{6, 4}).shape == Dims{6, 4}));
  static_assert(!std::is_convertible_v<std::vector<char16_t>, Dims> && !std::is_convertible_v<std::array<bool, 2>, Dims>);
  static_assert(!std::is_convertible_v<std::string, Dims> && !std::is_convertible_v<std::vector<double>, Dims>);
  const auto said = [](const auto& call) -> std::string {
    const auto result = try_call(call);
    return result || result.error().code() != ErrorCode::shape ? "" : result.error().what();
  };
  EXPECT_EQ(said([&] { return tensor(values, {three, minus_one}); }), "tensor: sizes must be >= 0, got shape [3, -1]");
  const std::string too_large = "tensor: sizes and strides must be at most 2**63 - 1, got 18446744073709551615";
  EXPECT_EQ(said([&] { return tensor(values, {~std::uint64_t{0}, three}); }), too_large);
  EXPECT_EQ(said([&] { return tensor(values, std::vector<std::size_t>{~std::size_t{0}}); }), too_large);
}

TEST(Adapt, TheCompilersOwnHalves) {
#ifdef __FLT16_MANT_DIG__
  static_assert(dtype_of<_Float16> == Dtype::float16);
  std::vector<_Float16> sums{1, 2, 2048};
  const std::vector<_Float16> updates{1.5f, 1};
  const std::vector<std::int64_t> index{1, 2};
  tensorflow::tensor_scatter_nd_add_into(tensor(sums), tensor(sums), tensor(index, {2, 1}), tensor(updates));
  EXPECT_EQ(static_cast<float>(sums[1]), 3.5f);
  EXPECT_EQ(static_cast<float>(sums[2]), 2048.f) << "2049 is between two halves";
#endif
#ifdef __BFLT16_MANT_DIG__
  static_assert(dtype_of<__bf16> == Dtype::bfloat16);
#endif
#ifdef __STDCPP_FLOAT16_T__
  static_assert(dtype_of<std::float16_t> == Dtype::float16);
#endif
#ifdef __STDCPP_BFLOAT16_T__
  static_assert(dtype_of<std::bfloat16_t> == Dtype::bfloat16);
#endif
  static_assert(!Element<long double>);
}

TEST(Adapt, ShapesFromVectors) {
  std::vector<float> values(6);
  const std::vector<std::int64_t> shape{2, 3};
  EXPECT_TRUE((tensor(values, shape).shape == Dims{2, 3}));
}

TEST(Number, TakesEveryIntegerType) {
  const auto held = [](const Number& number) { return std::get<std::int64_t>(number); };
  EXPECT_EQ(held(std::size_t{7}), 7);
  EXPECT_EQ(held(7u), 7);
  EXPECT_EQ(held(-7), -7);
  EXPECT_EQ(held('7'), 55);
  EXPECT_EQ(held(std::uint64_t{INT64_MAX}), INT64_MAX);
  EXPECT_EQ(std::get<std::uint64_t>(Number(std::uint64_t{INT64_MAX} + 1)), 9223372036854775808u);
  EXPECT_EQ(std::get<std::uint64_t>(Number(~std::uint64_t{0})), UINT64_MAX);
  EXPECT_EQ(std::get<double>(Number(0.5f)), 0.5);
  EXPECT_EQ(std::get<double>(Number(to_half(0.5f))) + std::get<double>(Number(to_bfloat16(-2))), -1.5);
#ifdef __FLT16_MANT_DIG__
  EXPECT_EQ(std::get<double>(Number(static_cast<_Float16>(0.25f))), 0.25);
#endif
  EXPECT_TRUE(std::get<bool>(Number(true)));
}

TEST(Tensor, RefusesATypeThatDoesNotExist) {
  try {
    Tensor t(static_cast<Dtype>(99), {3});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::dtype);
    EXPECT_STREQ(error.what(), "tensor: there is no dtype 99");
  }
}

TEST(Adapt, ScattersIntoAView) {
  float memory[6] = {};
  const Mdspan target{memory};
  const std::vector<std::int64_t> index{1};
  const std::vector<float> row{7, 8, 9};
  pytorch::index_copy_(tensor(target), 0, tensor(index), tensor(row, {1, 3}));
  EXPECT_EQ((std::vector<float>(memory, memory + 6)), (std::vector<float>{0, 7, 0, 8, 0, 9}));
}

#ifdef STREW_HAS_EIGEN
TEST(Adapt, Eigen) {
  Eigen::MatrixXf matrix = Eigen::MatrixXf::Zero(2, 3);
  const TensorRef view = tensor(matrix);
  EXPECT_TRUE(view.shape == (Dims{2, 3}) && view.strides == (Dims{1, 2}));
  Eigen::VectorXd vector(4);
  EXPECT_TRUE(tensor(vector).shape == Dims{4});
  EXPECT_EQ(tensor(matrix.col(1)).data, &matrix(0, 1));
  static_assert(!HasView<Eigen::MatrixXf> && HasView<Eigen::Map<Eigen::VectorXf>> && HasView<Eigen::Map<const Eigen::VectorXf>>);
}
#else
TEST(Adapt, Eigen) { GTEST_SKIP() << "libeigen3-dev is not installed"; }
#endif

}  // namespace
}  // namespace strew
