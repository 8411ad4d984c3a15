// Pictures: what they say is what the documents say about the op, or what a plain loop computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "harness/choices.h"
#include "harness/xml.h"
#include "strew/picture.h"
#include "strew/strew.h"

namespace strew {
namespace {

using harness::read_xml;
using harness::Xml;
using Texts = std::vector<std::string>;

Tensor longs(std::initializer_list<std::int64_t> values, Dims shape) { return Tensor(values, std::move(shape)); }
TensorRef out_like(const Tensor& tensor) { return {nullptr, tensor.dtype(), tensor.shape()}; }

Xml drawn(const auto& op) {
  Xml xml = read_xml(picture(op));
  EXPECT_EQ(xml.flaw, "");
  return xml;
}

// The number that follows `name`.
double number_after(const std::string& text, const std::string& name) { return std::stod(text.substr(text.find(name) + name.size())); }

TEST(Picture, ShowsValuesIndicesAndFormulas) {
  const Tensor x({10.f, 20.f, 30.f, 40.f}, {4}), index = longs({1, 3, 1}, {3}), src({5.f, 6.f, NAN}, {3});
  const Xml xml = drawn(pytorch::describe::scatter_reduce(out_like(x), x, 0, index, src, "amax"));
  EXPECT_TRUE(xml.has("max(20, 5, NaN) = NaN"));
  EXPECT_TRUE(xml.has("max(40, 6) = 40"));
  EXPECT_EQ(xml.of_class("small"), (Texts{"1", "3", "1"}));
  EXPECT_EQ(xml.of_class("old"), (Texts{"20", "40"}));
  EXPECT_EQ(xml.of_class("value result"), (Texts{"NaN", "40"}));
  EXPECT_EQ(xml.of_class("value"), (Texts{"5", "6", "NaN", "10", "30"}));
  EXPECT_TRUE(xml.has("Each selected element becomes the largest"));
}

struct Formula {
  ScatterOp op;
  std::string text;
};

TEST(Picture, FormulasOfEveryFold) {
  const Tensor x({100, 7}, {2}), index = longs({0, 0}, {2}), src({-3, 2}, {2});
  const Tensor tuples = longs({0, 0}, {2, 1}), second = longs({1}, {1}), five({5}, {1}), zeros = longs({0, 0, 0, 0}, {4});
  const auto out = out_like(x);
  const Tensor yes({true, false}, {2}), no({false, false}, {2});
  const Tensor halves({to_half(2048), to_half(0)}, {2}), four({to_half(1), to_half(1), to_half(1), to_half(1)}, {4});
  const Tensor words({std::string("a"), std::string("b")}, {2}), more({std::string("c"), std::string("d")}, {2});
  const std::vector<Formula> rows = {
      {pytorch::describe::scatter(out, x, 0, index, src), "2, the last of -3, 2, replaces 100"},
      {pytorch::describe::scatter(out, x, 0, second, five), "5 replaces 7"},
      {pytorch::describe::scatter_add(out, x, 0, index, src), "100 + (-3) + 2 = 99"},
      {pytorch::describe::index_add(out, x, 0, index, src, -1), "100 + (-1 \xC3\x97 (-3)) + (-1 \xC3\x97 2) = 101"},
      {pytorch::describe::scatter_reduce(out, x, 0, index, src, "prod"), "100 \xC3\x97 (-3) \xC3\x97 2 = -600"},
      {pytorch::describe::scatter_reduce(out, x, 0, index, src, "prod", false), "-3 \xC3\x97 2 = -6"},
      {pytorch::describe::scatter_reduce(out, x, 0, index, src, "amin"), "min(100, -3, 2) = -3"},
      {pytorch::describe::scatter_reduce(out, x, 0, index, src, "mean"), "mean(100, -3, 2) = 33"},
      {pytorch::describe::scatter_reduce(out, x, 0, index, src, "mean", false), "mean(-3, 2) = -1"},
      {tensorflow::describe::tensor_scatter_nd_sub(out, x, tuples, src), "100 - (-3) - 2 = 101"},
      {tensorflow::describe::scatter_nd({nullptr, Dtype::int32, {2}}, tuples, src, {2}), "0 + (-3) + 2 = -1"},
      {pytorch::describe::scatter_add(out_like(no), no, 0, index, yes), "false or true or false = true"},
      {pytorch::describe::scatter_add(out_like(halves), halves, 0, zeros, four), "2048 + 1 + 1 + 1 + 1 = 2052"},
      {onnx::describe::scatter_elements(out_like(halves), halves, zeros, four, {.reduction = "add"}), "2048 + 1 + 1 + 1 + 1 = 2048"},
      {tensorflow::describe::tensor_scatter_nd_add(out_like(words), words, tuples, more), "\"a\" + \"c\" + \"d\" = \"acd\""},
  };
  for (const Formula& row : rows) EXPECT_TRUE(drawn(row.op).has(row.text)) << row.text << "\n" << picture(row.op);
}

TEST(Picture, LongFormulasKeepTheirEnds) {
  const Tensor x({0}, {1}), index = Tensor::zeros(Dtype::int64, {1000});
  Tensor src(Dtype::int32, {1000});
  for (int i = 0; i < 1000; ++i) src.values<std::int32_t>()[static_cast<std::size_t>(i)] = i;
  EXPECT_TRUE(drawn(pytorch::describe::scatter_add(out_like(x), x, 0, index, src)).has("0 + 0 + 1 + 2 + 3 + (995 more) + 999 = 499500"));
}

TEST(Picture, OverwrittenUpdatesAreFaint) {
  const Tensor x({0, 0, 0}, {3}), index = longs({1, 1}, {2}), src({5, 7}, {2});
  const Xml xml = drawn(pytorch::describe::scatter(out_like(x), x, 0, index, src));
  EXPECT_EQ(xml.of_class("value faint"), Texts{"5"});
  EXPECT_EQ(xml.of_class("value result"), Texts{"7"});
  const std::string svg = picture(pytorch::describe::scatter(out_like(x), x, 0, index, src));
  EXPECT_NE(svg.find("class=\"arrow p0 lost faint\""), std::string::npos);
  EXPECT_NE(svg.find("class=\"arrow p0\""), std::string::npos);
}

TEST(Picture, BadIndicesPointOutside) {
  const Tensor x({1, 2, 3}, {3}), index = longs({0, 7, -1}, {3}), src({9, 8, 7}, {3});
  const ScatterOp op = pytorch::describe::scatter_add(out_like(x), x, 0, index, src);
  const std::string svg = picture(op);
  const Xml xml = read_xml(svg);
  EXPECT_EQ(xml.flaw, "");
  std::string sentence, expected;
  for (const std::string& line : xml.of_class("say bad")) sentence += (sentence.empty() ? "" : " ") + line;
  EXPECT_EQ(sentence,
            "pytorch.scatter_add: index 7 is out of bounds for dimension 0 with size 3 (index[1] = 7 for axis 0 of size 3, valid: "
            "0..2; 1 more)");
  EXPECT_EQ(xml.of_class("small bad"), (Texts{"7", "-1"}));
  EXPECT_EQ(xml.of_class("bad").size(), 2u);                    // a mark beyond each end
  EXPECT_TRUE(xml.of_class("value result").empty());            // nothing was computed
  EXPECT_NE(svg.find("class=\"ghost\""), std::string::npos);
  EXPECT_EQ(*static_cast<const std::int32_t*>(x.data()), 1);
}

TEST(Picture, SkippedAndClampedIndices) {
  const Tensor indices({1, 7}, {2, 1}), updates({5, 6}, {2});
  const Xml skipped =
      drawn(tensorflow::describe::scatter_nd({nullptr, Dtype::int32, {3}}, indices, updates, {3}, {.bad_indices_policy = "IGNORE"}));
  EXPECT_EQ(skipped.of_class("value faint"), Texts{"6"});
  EXPECT_EQ(skipped.of_class("value result"), Texts{"5"});
  const Tensor x({1, 2, 3}, {3});
  const Xml clamped =
      drawn(directml::describe::scatter_nd(out_like(x), x, indices, updates, {.options = {.out_of_range = OutOfRange::clamp}}));
  EXPECT_EQ(clamped.of_class("value result"), (Texts{"5", "6"}));
  EXPECT_TRUE(clamped.has("6 replaces 3"));
  EXPECT_TRUE(skipped.has("index 7 is skipped"));
  EXPECT_TRUE(clamped.has("index 7 is clamped to 2"));
}

TEST(Picture, Gathers) {
  const Tensor x({10, 20, 30}, {3}), index = longs({2, 0, 2}, {3});
  const Xml xml = drawn(pytorch::describe::gather({nullptr, Dtype::int32, {3}}, x, 0, index));
  EXPECT_EQ(xml.of_class("small"), (Texts{"2", "0", "2"}));
  const Texts values = xml.of_class("value");
  EXPECT_EQ(values, (Texts{"30", "10", "30", "10", "20", "30"}));
  EXPECT_TRUE(drawn(pytorch::describe::gather({nullptr, Dtype::int32, {1}}, x, 0, longs({5}, {1}))).has("index 5 is out of bounds"));
}

// A slice narrows the array before anything is scattered: the panel shows the part, and its title says which.
TEST(Picture, KeysOfNumPyAreNamed) {
  Tensor a = Tensor::zeros(Dtype::int32, {5, 3});
  const Tensor index = longs({1, 0}, {2}), b({1, 2}, {2});
  EXPECT_TRUE(drawn(numpy::describe::add_at(a, {numpy::Slice{.step = 2}}, Number(1))).has("a[::2] \xE2\x86\x92 result"));
  EXPECT_TRUE(drawn(numpy::describe::add_at(a, {numpy::Slice{.start = 1, .stop = 4}, index}, Number(1))).has("a[1:4, indices] \xE2"));
  EXPECT_TRUE(drawn(numpy::describe::add_at(a, {numpy::Ellipsis{}, -1}, Number(1))).has("a[..., -1] \xE2"));
  EXPECT_TRUE(drawn(numpy::describe::add_at(a, {index, index}, b)).has("a \xE2\x86\x92 result"));
}

TEST(Picture, RowsAreShownWhole) {
  const Tensor x = Tensor::zeros(Dtype::int32, {3, 2}), index = longs({2, 2}, {2}), src({1, 2, 10, 20}, {2, 2});
  EXPECT_TRUE(drawn(pytorch::describe::index_add(out_like(x), x, 0, index, src)).has("[0, 0] + [1, 2] + [10, 20] = [11, 22]"));
}

TEST(Picture, StringsOfAnyBytes) {
  const std::string nasty = std::string("<&>\"']]>\x01\x7f\xff\xc3\xed\xa0\x80\xef\xbf\xbf\n") + std::string(1, '\0');
  for (std::size_t at = 0; at < nasty.size(); ++at) {
    Tensor x({nasty.substr(at, 7)}, {1});
    const Tensor index = longs({0}, {1}), src({nasty.substr(at)}, {1});
    drawn(strew::describe::scatter(x, index, src));
  }
}

// Characters of East Asia and emoji take the room of two letters.
TEST(Picture, WideCharactersFitTheirCells) {
  const Tensor index = longs({0}, {1});
  const auto width = [&](const std::string& text) {
    Tensor x({std::string()}, {1});
    const Tensor values({text}, {1});
    const std::string svg = picture(strew::describe::scatter(x, index, values));
    const std::string cell = svg.substr(svg.find("<rect class=\"f0"));
    return number_after(cell, " width=\"");
  };
  EXPECT_EQ(width("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E"), width("abcdef"));
  EXPECT_EQ(width("\xF0\x9F\x8E\x89\xF0\x9F\x8E\x89\xF0\x9F\x8E\x89"), width("abcdef"));
  EXPECT_LT(width("e\xCC\x81"
                  "bcdef"),
            width("\xE6\x97\xA5"
                  "bcdef"));
}

TEST(Picture, NamesOfAnyBytes) {
  const Tensor x({1}, {1}), index = longs({0}, {1}), src({2}, {1});
  ScatterOp op = pytorch::describe::scatter(out_like(x), x, 0, index, src);
  op.name = OpNames("<op attribute=\"\x02&]]>\xfe", "\xc3(", nullptr);
  op.where.words.argument = nullptr;
  const Xml xml = drawn(op);
  EXPECT_TRUE(xml.has("<op attribute=\"\xE2\x90\x82&]]>\xEF\xBF\xBD"));
}

// A picture of bounded size, whose notes say how much is left out.
TEST(Picture, LargeTensorsAreCut) {
  const std::int64_t n = 1000;
  const Tensor x = Tensor::zeros(Dtype::float32, {n, n}), updates = Tensor::zeros(Dtype::float32, {n, n});
  Tensor index(Dtype::int64, {n, n});
  std::int64_t k = 0;
  for (std::int64_t& value : index.values<std::int64_t>()) value = (k++ * 7919) % n;
  const std::string svg = picture(pytorch::describe::scatter_add(out_like(x), x, 1, index, updates));
  const Xml xml = read_xml(svg);
  EXPECT_EQ(xml.flaw, "");
  EXPECT_LT(svg.size(), 100'000u);
  EXPECT_LT(xml.elements, 1000);
  EXPECT_TRUE(xml.has("src: 36 of 1,000,000 elements are drawn, 999,964 are left out."));
  EXPECT_TRUE(xml.has("input: 64 of 1,000,000 elements are drawn, 999,936 are left out."));
}

TEST(Picture, CountsAgreeInNumber) {
  const Tensor index = longs({0}, {1}), fifteen = Tensor::zeros(Dtype::float32, {15}), one({1.f}, {1}),
               nine = Tensor::zeros(Dtype::float32, {9});
  EXPECT_TRUE(
      drawn(pytorch::describe::scatter(out_like(fifteen), fifteen, 0, index, one)).has("14 of 15 elements are drawn, 1 is left out."));
  const Tensor places = longs({0, 1, 2, 3, 4, 5, 6, 7, 8}, {9});
  EXPECT_TRUE(drawn(pytorch::describe::scatter_add(out_like(nine), nine, 0, places, nine)).has("and 1 more place"));
  EXPECT_FALSE(drawn(pytorch::describe::scatter_add(out_like(nine), nine, 0, places, nine)).has("and 1 more places"));
}

TEST(Picture, EmptyUpdatesAreNoNumber) {
  const Tensor x = Tensor::zeros(Dtype::float32, {3}), none(Dtype::int64, {0}), empty(Dtype::float32, {0});
  EXPECT_FALSE(drawn(pytorch::describe::scatter(out_like(x), x, 0, none, empty)).has("a number"));
  EXPECT_TRUE(drawn(pytorch::describe::scatter(out_like(x), x, 0, longs({1}, {1}), Number(5))).has("a number"));
}

TEST(Picture, ComplexNumbersInFormulas) {
  const std::complex<float> a(1, 2), b(-3, -4), c(0, 1);
  const Tensor x({a}, {1}), index = longs({0, 0}, {2}), src({b, c}, {2});
  EXPECT_TRUE(drawn(pytorch::describe::scatter_add(out_like(x), x, 0, index, src)).has("(1+2j) + (-3-4j) + (0+1j) = -2-1j"));
  EXPECT_TRUE(drawn(pytorch::describe::scatter(out_like(x), x, 0, index, src)).has("0+1j, the last of -3-4j, 0+1j, replaces 1+2j"));
}

// More points than are read: the results are those of the drawn updates, and the picture says so. Repeats need no memory.
TEST(Picture, EndlessTensorsTakeNoTime) {
  const std::int64_t n = std::int64_t{1} << 40;
  float one = 1, place = 0;
  std::int64_t zero = 0;
  ScatterOp op;
  op.where.points = {n};
  op.where.axes.push_back({Axis::column, 0});
  op.where.columns.emplace_back(ConstTensorRef(&zero, Dtype::int64, {n}, {0}));
  op.out = TensorRef(&place, Dtype::float32, {1});
  op.updates = ConstTensorRef(&one, Dtype::float32, {n}, {0});
  op.fold.step = Reduction::add;
  const Xml xml = drawn(op);
  EXPECT_TRUE(xml.has("The results are those of the drawn updates alone"));
  EXPECT_TRUE(xml.has(" = 12"));
  EXPECT_EQ(place, 0);
}

TEST(Picture, ManyRanks) {
  for (std::size_t rank = 0; rank <= 64; rank += rank < 5 ? 1 : 20) {
    const Tensor x = Tensor::zeros(Dtype::int32, Dims(rank, 1)), index = Tensor::zeros(Dtype::int64, Dims(rank, 1));
    Tensor one = Tensor::zeros(Dtype::int32, Dims(rank, 1));
    one.values<std::int32_t>()[0] = 3;
    EXPECT_EQ(drawn(pytorch::describe::scatter_add(out_like(x), x, 0, index, one)).of_class("value result"), Texts{"3"}) << rank;
  }
  for (const Dims& shape : {Dims{0}, Dims{2, 0}, Dims{0, 2}, Dims{2, 0, 3}}) {
    const Tensor x = Tensor::zeros(Dtype::float32, shape), index = Tensor::zeros(Dtype::int64, shape);
    EXPECT_TRUE(drawn(pytorch::describe::scatter_add(out_like(x), x, 0, index, x)).has("no elements"));
  }
}

TEST(Picture, RefusesWhatARunRefuses) {
  Tensor x({1.f, 2.f}, {2});
  const Tensor index = longs({0, 1}, {2});
  const auto code_of = [](const ScatterOp& op) {
    try {
      static_cast<void>(picture(op));
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::changed;
  };
  EXPECT_EQ(code_of(pytorch::describe::scatter_add(x, x, 0, index, x)), ErrorCode::overlap);
  EXPECT_EQ(code_of(ScatterOp()), ErrorCode::shape);
  ScatterOp in_place = pytorch::describe::scatter_add(out_like(x), x, 0, index, x);
  in_place.base = InPlace{};
  EXPECT_EQ(code_of(in_place), ErrorCode::shape);  // there is nothing that it could start from
}

// Of two updates of one place the last one stays, and it alone gets the gradient.
TEST(Picture, GradientOfAnAssignment) {
  const Tensor x({1.f, 2.f, 3.f}, {3}), index = longs({1, 1, 2}, {3}), src({5.f, 6.f, 7.f}, {3}), cotangent({10.f, 20.f, 30.f}, {3});
  const std::string svg = picture_of_gradient(pytorch::describe::scatter(out_like(x), x, 0, index, src), cotangent);
  const Xml xml = read_xml(svg);
  EXPECT_EQ(xml.flaw, "");
  EXPECT_EQ(xml.of_class("value"), (Texts{"20", "30", "10", "20", "30"}));
  EXPECT_EQ(xml.of_class("value faint"), Texts{"0"});
  EXPECT_TRUE(xml.has("gradient of pytorch.scatter"));
  EXPECT_TRUE(
      read_xml(picture_of_gradient(pytorch::describe::scatter(out_like(x), x, 0, longs({9, 1, 2}, {3}), src), cotangent)).has("index 9"));
}

TEST(Picture, GradientOfAGather) {
  const Tensor x({1.f, 2.f, 3.f}, {3}), index = longs({2, 0, 2}, {3}), cotangent({10.f, 20.f, 30.f}, {3});
  const GatherOp op = pytorch::describe::gather({nullptr, Dtype::float32, {3}}, x, 0, index);
  EXPECT_EQ(read_xml(picture_of_gradient(op, cotangent)).of_class("value result"), (Texts{"20", "40"}));
}

// With good indices and with bad ones.
TEST(Picture, GradientsRefuseWhatVjpRefuses) {
  const Tensor x({1.f, 2.f, 3.f}, {3}), whole = longs({1, 2, 3}, {3}), wide({1.0, 2.0, 3.0}, {3});
  const auto code_of = [](const auto& op, const ConstTensorRef& cotangent) {
    try {
      static_cast<void>(picture_of_gradient(op, cotangent));
    } catch (const Error& error) {
      return to_string(error.code());
    }
    return std::string_view("done");
  };
  for (const std::int64_t last : {2, 9}) {
    const Tensor index = longs({0, last}, {2}), src({5.f, 6.f}, {2}), counts = longs({1, 2}, {2}), wide_src({1.0, 2.0}, {2});
    const ScatterOp sum = pytorch::describe::scatter_add(out_like(x), x, 0, index, src);
    EXPECT_EQ(code_of(sum, x), "done");
    EXPECT_EQ(code_of(sum, ConstTensorRef(nullptr, Dtype::float32, {3})), "shape");
    EXPECT_EQ(code_of(sum, wide), "dtype");
    EXPECT_EQ(code_of(sum, src), "shape");
    EXPECT_EQ(code_of(pytorch::describe::scatter_add(out_like(whole), whole, 0, index, counts), whole), "dtype");
    const GatherOp read = pytorch::describe::gather({nullptr, Dtype::float32, {2}}, x, 0, index);
    EXPECT_EQ(code_of(read, src), "done");
    EXPECT_EQ(code_of(read, ConstTensorRef(nullptr, Dtype::float32, {2})), "shape");
    EXPECT_EQ(code_of(read, wide_src), "dtype");
    EXPECT_EQ(code_of(read, x), "shape");
    EXPECT_EQ(code_of(pytorch::describe::gather({nullptr, Dtype::int64, {2}}, whole, 0, index), counts), "dtype");
  }
}

// Random small ops: every drawn result is that of a plain loop.
TEST(Picture, ResultsAreThoseOfALoop) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    harness::SeededChoices choices(seed);
    const std::int64_t rows = choices.between(1, 4), columns = choices.between(1, 4), points = choices.between(0, 5);
    const bool whole_rows = choices.chance(50);
    const std::uint64_t kind = choices.below(3);
    Tensor x(Dtype::int32, {rows, columns}), tuples(Dtype::int64, {points, whole_rows ? 1 : 2});
    Tensor updates(Dtype::int32, whole_rows ? Dims{points, columns} : Dims{points});
    for (std::int32_t& value : x.values<std::int32_t>()) value = static_cast<std::int32_t>(choices.between(-9, 9));
    for (std::int32_t& value : updates.values<std::int32_t>()) value = static_cast<std::int32_t>(choices.between(-9, 9));
    std::vector<std::int32_t> expected(x.values<std::int32_t>().begin(), x.values<std::int32_t>().end());
    std::vector<bool> touched(expected.size());
    const auto step = [&](std::int64_t row, std::int64_t column, std::int32_t update) {
      std::int32_t& at = expected[static_cast<std::size_t>(row * columns + column)];
      at = kind == 0 ? update : kind == 1 ? at + update : std::max(at, update);
      touched[static_cast<std::size_t>(row * columns + column)] = true;
    };
    for (std::int64_t p = 0; p < points; ++p) {
      const std::int64_t row = choices.between(0, rows - 1), column = choices.between(0, columns - 1);
      const auto index = tuples.values<std::int64_t>();
      const auto values = updates.values<std::int32_t>();
      index[static_cast<std::size_t>(whole_rows ? p : 2 * p)] = row;
      if (!whole_rows) index[static_cast<std::size_t>(2 * p + 1)] = column;
      if (!whole_rows) step(row, column, values[static_cast<std::size_t>(p)]);
      for (std::int64_t c = 0; whole_rows && c < columns; ++c) step(row, c, values[static_cast<std::size_t>(p * columns + c)]);
    }
    constexpr const char* reductions[] = {"none", "add", "max"};
    Texts wanted;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (touched[i]) wanted.push_back(std::to_string(expected[i]));
    }
    const Xml xml = drawn(onnx::describe::scatter_nd(out_like(x), x, tuples, updates, {.reduction = reductions[kind]}));
    EXPECT_EQ(xml.of_class("value result"), wanted) << "seed " << seed;
  }
}

struct Rectangle {
  double left, top, right, bottom;
};

// The cells of a picture, and its labels as boxes.
std::vector<Rectangle> obstacles(const std::string& svg) {
  std::vector<Rectangle> result;
  std::istringstream lines(svg);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("<rect") && line.find("\"back\"") == std::string::npos) {
      const double x = number_after(line, " x=\""), y = number_after(line, " y=\"");
      result.push_back({x + 1, y + 1, x + number_after(line, " width=\"") - 1, y + number_after(line, " height=\"") - 1});
    } else if (line.starts_with("<text") && line.find("label") != std::string::npos) {
      const double x = number_after(line, " x=\""), y = number_after(line, " y=\"");
      const std::size_t begin = line.find('>') + 1;
      const double width = 5.5 * static_cast<double>(line.find('<', begin) - begin);
      const double left = line.find("\"middle\"") != std::string::npos ? x - width / 2
                          : line.find("\"end\"") != std::string::npos  ? x - width
                                                                       : x;
      result.push_back({left, y - 8, left + width, y});
    }
  }
  return result;
}

struct Spot {
  double x, y;
};

// Spots along every arrow.
std::vector<Spot> spots(const std::string& svg) {
  std::vector<Spot> result;
  std::istringstream lines(svg);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("<path class=\"arrow")) continue;
    std::string path = line.substr(line.find(" d=\"") + 4);
    path = path.substr(0, path.find('"'));
    Spot at{};
    while (!path.empty()) {
      std::size_t end = path.find_first_of("MLQC", 1);
      std::istringstream numbers(path.substr(1, end == std::string::npos ? end : end - 1));
      std::vector<Spot> points{at};
      for (Spot point{}; numbers >> point.x >> point.y;) points.push_back(point);
      if (path.front() == 'M') points.erase(points.begin());
      for (int step = 0; step <= 40; ++step) {  // de Casteljau
        std::vector<Spot> left = points;
        const double t = step / 40.0;
        for (; left.size() > 1; left.pop_back()) {
          for (std::size_t i = 0; i + 1 < left.size(); ++i)
            left[i] = {left[i].x + t * (left[i + 1].x - left[i].x), left[i].y + t * (left[i + 1].y - left[i].y)};
        }
        result.push_back(left.front());
      }
      at = points.back();
      path.erase(0, end == std::string::npos ? path.size() : end);
    }
  }
  return result;
}

void expect_free_arrows(const std::string& svg) {
  const std::vector<Rectangle> boxes = obstacles(svg);
  const std::vector<Spot> along = spots(svg);
  EXPECT_FALSE(along.empty()) << svg;
  for (const Spot& spot : along) {
    for (const Rectangle& box : boxes) {
      const bool inside = spot.x > box.left && spot.x < box.right && spot.y > box.top && spot.y < box.bottom;
      ASSERT_FALSE(inside) << "at " << spot.x << ", " << spot.y << " of\n" << svg;
    }
  }
}

// No arrow goes over a number or a label, whatever the rank; with indices out of range, too.
TEST(Picture, ArrowsCrossNoCell) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    harness::SeededChoices choices(seed);
    Dims shape, points;
    const auto rank = static_cast<std::size_t>(choices.between(1, 3));
    for (std::size_t d = 0; d < rank; ++d) shape.push_back(choices.between(1, 5));
    const bool bad = choices.chance(20);
    const auto fill = [&](Tensor& index, std::int64_t size) {
      for (std::int64_t& value : index.values<std::int64_t>())
        value = bad && choices.chance(30) ? choices.between(-9, 9) : choices.between(0, size - 1);
    };
    const Tensor x = Tensor::zeros(Dtype::int32, shape);
    SCOPED_TRACE(seed);
    const auto depth = static_cast<std::size_t>(choices.between(1, static_cast<std::int64_t>(rank)));
    Dims tuples{choices.between(1, 5), static_cast<std::int64_t>(depth)}, rows{tuples[0]};
    for (std::size_t d = depth; d < rank; ++d) rows.push_back(shape[d]);
    Tensor index(Dtype::int64, tuples);
    fill(index, *std::min_element(shape.begin(), shape.end()));
    const Tensor updates = Tensor::zeros(Dtype::int32, rows);
    expect_free_arrows(picture(onnx::describe::scatter_nd(out_like(x), x, index, updates)));
    expect_free_arrows(picture(onnx::describe::gather_nd(out_like(updates), x, index)));

    const auto axis = static_cast<std::size_t>(choices.between(0, static_cast<std::int64_t>(rank) - 1));
    for (std::size_t d = 0; d < rank; ++d) points.push_back(d == axis ? choices.between(1, 4) : shape[d]);
    Tensor elements(Dtype::int64, points);
    fill(elements, shape[axis]);
    const Tensor src = Tensor::zeros(Dtype::int32, points);
    expect_free_arrows(picture(pytorch::describe::scatter_add(out_like(x), x, static_cast<std::int64_t>(axis), elements, src)));
    expect_free_arrows(picture(pytorch::describe::gather(out_like(src), x, static_cast<std::int64_t>(axis), elements)));
  }
}

}  // namespace
}  // namespace strew
