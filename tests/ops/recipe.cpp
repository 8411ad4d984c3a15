// Every choice is made so that most ops are well formed and small, and each of their parts is sometimes at an edge.
#include "ops/recipe.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "harness/same_bits.h"
#include "strew/half.h"

namespace strew::ops {
namespace {

using harness::Choices;
using harness::same_bits;
using harness::SeededChoices;

constexpr std::int64_t most_elements = 6000;

template <class T>
void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// One element of a type, often one where arithmetic has an edge.
void fill_number(Choices& values, Dtype dtype, std::byte* to) {
  static constexpr double floats[] = {0.0, 1.0, -1.0, 2.0, 0.5, -0.0, 3.0, -7.25, 100.0, 1e-3, 65504.0, 1e38, -1e38, 1e-40, 6e-8};
  const auto number = [&]() -> double {
    const std::uint64_t special = values.below(40);
    if (special == 0) return std::numeric_limits<double>::quiet_NaN();
    if (special == 1) return std::numeric_limits<double>::infinity();
    if (special == 2) return -std::numeric_limits<double>::infinity();
    if (special < 8) return static_cast<double>(values.between(-1000, 1000)) / 7;
    return values.pick(floats);
  };
  const auto integer = [&]<class T>(T) {
    const std::uint64_t special = values.below(16);
    put(to, special == 0   ? std::numeric_limits<T>::max()
            : special == 1 ? std::numeric_limits<T>::lowest()
            : special == 2 ? static_cast<T>(values.bits(64))
                           : static_cast<T>(values.between(-3, 9)));
  };
  switch (dtype) {
    case Dtype::bool_: *to = static_cast<std::byte>(values.below(8) == 7 ? 2 : values.below(2)); break;
    case Dtype::int8: integer(std::int8_t()); break;
    case Dtype::int16: integer(std::int16_t()); break;
    case Dtype::int32: integer(std::int32_t()); break;
    case Dtype::int64: integer(std::int64_t()); break;
    case Dtype::uint8: integer(std::uint8_t()); break;
    case Dtype::uint16: integer(std::uint16_t()); break;
    case Dtype::uint32: integer(std::uint32_t()); break;
    case Dtype::uint64: integer(std::uint64_t()); break;
    case Dtype::float16: put(to, to_half(static_cast<float>(number()))); break;
    case Dtype::bfloat16: put(to, to_bfloat16(static_cast<float>(number()))); break;
    case Dtype::float32: put(to, static_cast<float>(number())); break;
    case Dtype::float64: put(to, number()); break;
    case Dtype::complex64: put(to, static_cast<float>(number())), put(to + 4, static_cast<float>(number())); break;
    case Dtype::complex128: put(to, number()), put(to + 8, number()); break;
    case Dtype::string: break;
  }
}

class Maker {
 public:
  Maker(Choices& choices, Memory& memory) : choices_(choices), memory_(memory), values_(choices.bits(16)) {}

  Recipe make() {
    x_.gathers = choices_.chance(25);
    const Dtype dtype = any_dtype();
    const Dims shape = make_addressing();
    Dims stream = x_.where.points;
    stream.append(x_.where.row);
    if (x_.gathers) {
      x_.base = view(dtype, shape, true);
      fill(x_.base);
      x_.out = view(dtype, stream, choices_.chance(2));
      fill(x_.out);
    } else {
      x_.out = view(dtype, shape, choices_.chance(2));
      fill(x_.out);
      make_fold();
      const bool is_wider = choices_.chance(10);
      x_.updates = view(is_wider ? any_dtype() : dtype, stream, true);
      fill(x_.updates);
      if (is_wider) x_.odd = true;  // most pairs of types are refused
      x_.begins = choices_.chance(60) ? Recipe::Base::in_place : choices_.chance(50) ? Recipe::Base::zeros : Recipe::Base::tensor;
      x_.base = view(dtype, shape, true);
      fill(x_.base);
      if (choices_.chance(8)) x_.scalar = number(x_.updates.dtype);
      else if (choices_.chance(8)) x_.scale = number(dtype);
      if (dtype == Dtype::string && (x_.scalar || x_.scale)) x_.odd = true;
      if (choices_.chance(4) && x_.begins == Recipe::Base::tensor) x_.base = x_.out;
    }
    make_columns(shape);
    if (choices_.chance(5)) share_memory();
    if (choices_.chance(12)) spoil();
    return std::move(x_);
  }

 private:
  Dtype any_dtype() {
    static constexpr Dtype common[] = {Dtype::float32, Dtype::float64, Dtype::int32, Dtype::int64};
    return choices_.chance(50) ? choices_.pick(common) : choices_.pick(dtypes).dtype;
  }
  Scalar number(Dtype dtype) {
    Scalar scalar{dtype, {}};
    fill_number(values_, dtype, scalar.bytes);
    return scalar;
  }
  // `left` is how many elements there may be.
  std::int64_t size(std::int64_t left) {
    if (choices_.chance(3)) return 0;
    const std::int64_t wanted = choices_.chance(4)    ? choices_.between(500, 5000)
                                : choices_.chance(10) ? choices_.between(5, 80)
                                                      : choices_.between(1, 5);
    return std::max<std::int64_t>(1, std::min(wanted, left));
  }

  // The addressing, and the shape of the tensor that it addresses.
  Dims make_addressing() {
    Addressing& where = x_.where;
    std::int64_t left = most_elements;
    std::int64_t room = most_elements;  // elements of the addressed tensor
    const auto add = [&](Dims& dims) {
      dims.push_back(size(std::min(left, room)));
      left /= std::max<std::int64_t>(1, dims.back());
      return dims.back();
    };
    static constexpr std::int64_t ranks[] = {1, 2, 3, 2, 1, 0, 4, 5, 9, 12};
    for (std::uint64_t extra = choices_.below(3); extra > 0; --extra) add(where.points);
    Dims shape;
    const std::int64_t rank = choices_.pick(ranks);
    std::size_t columns = 0;
    for (std::int64_t d = 0; d < rank; ++d) {
      const std::uint64_t from = choices_.below(3);
      std::int64_t extent = 0;
      if (from == 0) {
        where.axes.push_back({Axis::column, static_cast<std::uint8_t>(columns++)});
        extent = size(room);
      } else if (from == 1) {
        where.axes.push_back({Axis::row, static_cast<std::uint8_t>(where.row.size())});
        extent = add(where.row);
        extent += more(room - extent);
      } else {
        const std::uint64_t earlier = choices_.below(where.points.size());
        const bool again = !where.points.empty() && choices_.chance(50) && where.points[earlier] <= room;
        const auto at = static_cast<std::uint8_t>(again ? earlier : where.points.size());
        where.axes.push_back({Axis::point, at});
        extent = again ? where.points[at] : add(where.points);
        extent += more(room - extent);
      }
      shape.push_back(extent);
      room = std::max<std::int64_t>(1, room / std::max<std::int64_t>(1, extent));
    }
    if (rank == 0 && choices_.chance(30)) {  // a tensor without dimensions, addressed as a vector
      where.axes.push_back({Axis::column, 0});
      columns = 1;
    }
    columns_ = columns;
    where.negative = choices_.chance(50) ? Negative::wrap : Negative::reject;
    where.out_of_range = choices_.chance(70) ? OutOfRange::error : choices_.chance(50) ? OutOfRange::skip : OutOfRange::clamp;
    where.tuples = choices_.chance(10);
    return shape;
  }
  std::int64_t more(std::int64_t most) { return choices_.chance(20) && most >= 3 ? choices_.between(1, 3) : 0; }

  void make_fold() {
    Fold& fold = x_.fold;
    fold.step = static_cast<Reduction>(choices_.below(std::size(reduction_names)));
    if (choices_.chance(35)) fold.begin = static_cast<FoldBegin>(choices_.below(3));
    if (choices_.chance(25)) fold.finish = FoldFinish::mean;
    if (choices_.chance(30)) fold.round = FoldRound::at_finish;
    fold.compare = static_cast<FoldCompare>(choices_.below(5));
  }

  // A view of new memory. Inputs may read an element twice; an output that would is made rarely.
  View view(Dtype dtype, const Dims& shape, bool may_repeat) {
    View view{dtype, shape, Dims(shape.size(), 0), 0, 0, false};
    std::vector<std::size_t> order(shape.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (choices_.chance(25)) {
      for (std::size_t d = order.size(); d > 1; --d) std::swap(order[d - 1], order[choices_.below(d)]);
    }
    std::int64_t stride = choices_.chance(15) ? choices_.between(2, 3) : 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t d = order[i];
      view.strides[d] = choices_.chance(8) ? -stride : stride;
      stride *= std::max<std::int64_t>(1, shape[d]);
      if (choices_.chance(5)) stride += choices_.between(1, 3);
      if (may_repeat && choices_.chance(8)) view.strides[d] = 0;
      if (may_repeat && choices_.chance(3)) view.strides[d] = choices_.between(-4, 4);
      if (shape[d] == 1 && choices_.chance(10)) view.strides[d] = static_cast<std::int64_t>(choices_.bits(64));  // it counts for nothing
    }
    place(view);
    return view;
  }

  // Gives a view memory of its own, exactly as much as it reaches.
  void place(View& view) {
    std::int64_t low = 0, high = 0;
    bool empty = false;
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
      empty = empty || view.shape[d] == 0;
      if (view.shape[d] <= 1) continue;
      const std::int64_t reach = (view.shape[d] - 1) * view.strides[d];
      (reach < 0 ? low : high) += reach;
    }
    const std::int64_t elements = empty ? 0 : high - low + 1;
    view.null = empty && choices_.chance(50);
    if (view.dtype == Dtype::string) {
      view.buffer = memory_.texts.size();
      memory_.texts.emplace_back(static_cast<std::size_t>(elements));
      view.offset = empty ? 0 : -low;
      return;
    }
    const std::int64_t shift = choices_.chance(15) ? choices_.between(1, 7) : 0;  // from what would be aligned
    const std::int64_t element = size_of(view.dtype);
    view.buffer = memory_.bytes.size();
    memory_.bytes.emplace_back(static_cast<std::size_t>(elements * element + shift));
    view.offset = shift - (empty ? 0 : low * element);
  }

  void fill(const View& view) {
    if (view.dtype == Dtype::string) {
      for (std::string& text : memory_.texts[view.buffer])
        text = std::string(values_.below(4) == 0 ? 30 : values_.below(3), static_cast<char>('a' + values_.below(26)));
      return;
    }
    std::vector<std::byte>& bytes = memory_.bytes[view.buffer];
    const auto element = static_cast<std::size_t>(size_of(view.dtype));
    for (std::size_t at = bytes.size() % element; at + element <= bytes.size(); at += element)
      fill_number(values_, view.dtype, bytes.data() + at);
  }

  void make_columns(const Dims& shape) {
    static constexpr Dtype types[] = {Dtype::int64, Dtype::int32,  Dtype::int8,   Dtype::int16,
                                      Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64};
    static constexpr int rates[] = {0, 0, 0, 1, 30};
    const int rate = choices_.pick(rates);
    const Dtype dtype = choices_.chance(60) ? choices_.pick(std::span(types, 2)) : choices_.pick(types);
    const std::uint64_t pattern = choices_.below(4);
    for (std::size_t c = 0; c < columns_; ++c) {
      View column = view(choices_.chance(90) ? dtype : choices_.pick(types), x_.where.points, true);
      std::int64_t extent = 1;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (x_.where.axes[d].from == Axis::column && x_.where.axes[d].at == c) extent = shape[d];
      }
      std::vector<std::byte>& bytes = memory_.bytes[column.buffer];
      const auto element = static_cast<std::size_t>(size_of(column.dtype));
      std::int64_t number = 0;
      for (std::size_t at = bytes.size() % element; at + element <= bytes.size(); at += element, ++number) {
        std::int64_t value = pattern == 0   ? values_.between(0, std::max<std::int64_t>(0, extent - 1))
                             : pattern == 1 ? std::min(extent - 1, number)
                             : pattern == 2 ? extent - 1
                                            : number * 7 % std::max<std::int64_t>(1, extent);
        if (values_.chance(20) && x_.where.negative == Negative::wrap) value -= extent;
        if (values_.chance(rate))
          value = values_.chance(50) ? values_.between(-2 * extent - 2, 2 * extent + 2) : static_cast<std::int64_t>(values_.bits(64));
        std::memcpy(bytes.data() + at, &value, element);  // little-endian: the low bytes
      }
      x_.columns.push_back(column);
    }
  }

  // Lets an input lie in the memory of the output.
  void share_memory() {
    std::vector<View*> inputs{&x_.base};
    if (!x_.gathers) inputs.push_back(&x_.updates);
    for (View& column : x_.columns) inputs.push_back(&column);
    View& input = *choices_.pick(inputs);
    if (input.dtype == Dtype::string || x_.out.dtype == Dtype::string) return;
    const std::size_t needs = memory_.bytes[input.buffer].size(), has = memory_.bytes[x_.out.buffer].size();
    if (needs > has) return;
    input.buffer = x_.out.buffer;
    input.offset += choices_.chance(50) ? 0 : static_cast<std::int64_t>(choices_.below(has - needs + 1));
  }

  // Makes one thing what it cannot be, or what it seldom is.
  void spoil() {
    x_.odd = true;
    const auto byte = [&] { return static_cast<std::uint8_t>(choices_.bits(8)); };
    const auto any_view = [&]() -> View& {
      std::vector<View*> views{&x_.out, &x_.base};
      if (!x_.gathers) views.push_back(&x_.updates);
      for (View& column : x_.columns) views.push_back(&column);
      return *choices_.pick(views);
    };
    const auto any_size = [&]() -> std::int64_t {
      static constexpr std::int64_t sizes[] = {-1,
                                               0,
                                               INT64_MIN,
                                               INT64_MAX,
                                               std::int64_t{1} << 62,
                                               std::int64_t{1} << 61,
                                               std::int64_t{1} << 59,
                                               std::int64_t{1} << 40,
                                               std::int64_t{1} << 32};
      return choices_.pick(sizes);
    };
    switch (choices_.below(16)) {
      case 0: x_.fold.step = static_cast<Reduction>(byte()); break;
      case 1: x_.fold.begin = static_cast<FoldBegin>(byte()); break;
      case 2: x_.fold.finish = static_cast<FoldFinish>(byte()); break;
      case 3: x_.fold.round = static_cast<FoldRound>(byte()); break;
      case 4: x_.fold.compare = static_cast<FoldCompare>(byte()); break;
      case 5: x_.where.negative = static_cast<Negative>(byte()); break;
      case 6: x_.where.out_of_range = static_cast<OutOfRange>(byte()); break;
      case 7:
        if (!x_.where.axes.empty()) x_.where.axes[choices_.below(x_.where.axes.size())].from = static_cast<Axis::From>(byte());
        break;
      case 8:
        if (!x_.where.axes.empty()) x_.where.axes[choices_.below(x_.where.axes.size())].at = static_cast<std::uint8_t>(choices_.below(5));
        break;
      case 9: {
        View& view = any_view();
        if (view.dtype != Dtype::string) view.dtype = static_cast<Dtype>(choices_.between(16, 255));
        break;
      }
      case 10: any_view().null = true; break;
      case 11: x_.scalar = Scalar{static_cast<Dtype>(choices_.chance(50) ? choices_.between(15, 255) : choices_.between(0, 15)), {}}; break;
      case 12: x_.scale = Scalar{static_cast<Dtype>(choices_.chance(50) ? choices_.between(15, 255) : choices_.between(0, 15)), {}}; break;
      case 13: {  // a row that is huge, of everything alike
        if (x_.where.row.empty()) break;
        const std::size_t at = choices_.below(x_.where.row.size());
        const std::int64_t size = any_size();
        x_.where.row[at] = size;
        x_.huge = true;
        const auto repeat = [&](View& view, std::size_t d) {
          if (d < view.shape.size()) view.shape[d] = size, view.strides[d] = choices_.chance(70) ? 0 : 1;
        };
        (x_.gathers ? repeat(x_.out, x_.where.points.size() + at) : repeat(x_.updates, x_.where.points.size() + at));
        for (std::size_t d = 0; d < x_.where.axes.size(); ++d) {
          if (x_.where.axes[d].from != Axis::row || x_.where.axes[d].at != at) continue;
          if (!x_.gathers) repeat(x_.out, d);
          repeat(x_.base, d);
        }
        break;
      }
      case 14: {  // a tensor whose sizes or strides are anything
        View& view = any_view();
        if (view.shape.empty()) break;
        const std::size_t d = choices_.below(view.shape.size());
        (choices_.chance(50) ? view.shape[d] : view.strides[d]) = any_size();
        x_.huge = true;
        break;
      }
      default: {  // an axis that columns name, as large as can be
        for (std::size_t d = 0; d < x_.where.axes.size(); ++d) {
          View& view = x_.gathers ? x_.base : x_.out;
          if (x_.where.axes[d].from != Axis::column || d >= view.shape.size()) continue;
          view.shape[d] = any_size();
          if (!x_.gathers) x_.base.shape[d] = view.shape[d];
          if (choices_.chance(70)) view.strides[d] = x_.base.strides[d] = 0;
          x_.huge = true;
        }
        break;
      }
    }
  }

  Choices& choices_;
  Memory& memory_;
  SeededChoices values_;
  Recipe x_;
  std::size_t columns_ = 0;
};

template <class Ref>
Ref bound(const View& view, Memory& memory) {
  Ref ref;
  ref.dtype = view.dtype;
  ref.shape = view.shape;
  ref.strides = view.strides;
  if (view.null) return ref;
  if (view.dtype == Dtype::string) ref.data = memory.texts[view.buffer].data() + view.offset;
  else ref.data = memory.bytes[view.buffer].data() + view.offset;
  return ref;
}

Addressing bound(const Recipe& recipe, Memory& memory) {
  Addressing where = recipe.where;
  for (const View& column : recipe.columns) where.columns.push_back(bound<ConstTensorRef>(column, memory));
  return where;
}

}  // namespace

bool Memory::operator==(const Memory& other) const {
  const auto same = [](const std::vector<std::byte>& a, const std::vector<std::byte>& b) { return same_bits(a, b); };
  return texts == other.texts && std::equal(bytes.begin(), bytes.end(), other.bytes.begin(), other.bytes.end(), same);
}

Recipe make_recipe(harness::Choices& choices, Memory& memory) { return Maker(choices, memory).make(); }

ScatterOp Recipe::scatter(Memory& memory) const {
  ScatterOp op;
  op.where = bound(*this, memory);
  op.out = bound<TensorRef>(out, memory);
  op.updates = bound<ConstTensorRef>(updates, memory);
  if (begins == Base::zeros) op.base = Zeros{};
  if (begins == Base::tensor) op.base = bound<ConstTensorRef>(base, memory);
  op.scalar = scalar;
  op.scale = scale;
  op.fold = fold;
  return op;
}

GatherOp Recipe::gather(Memory& memory) const {
  GatherOp op;
  op.where = bound(*this, memory);
  op.from = bound<ConstTensorRef>(base, memory);
  op.out = bound<TensorRef>(out, memory);
  return op;
}

std::string print(const Recipe& recipe) {
  std::ostringstream text;
  const auto list = [&](const Dims& dims) {
    text << "[";
    for (const std::int64_t size : dims) text << size << " ";
    text << "]";
  };
  const auto view = [&](const char* name, const View& v) {
    text << name << ": dtype " << static_cast<int>(v.dtype) << " shape ";
    list(v.shape);
    text << " strides ";
    list(v.strides);
    text << (v.null ? " null" : "") << " buffer " << v.buffer << " offset " << v.offset << "\n";
  };
  text << (recipe.gathers ? "gather" : "scatter") << " points ";
  list(recipe.where.points);
  text << " row ";
  list(recipe.where.row);
  text << " axes";
  for (const Axis& axis : recipe.where.axes) text << " " << static_cast<int>(axis.from) << ":" << static_cast<int>(axis.at);
  text << " negative " << static_cast<int>(recipe.where.negative) << " out_of_range " << static_cast<int>(recipe.where.out_of_range)
       << "\n";
  text << "fold " << static_cast<int>(recipe.fold.step) << " begin " << static_cast<int>(recipe.fold.begin) << " finish "
       << static_cast<int>(recipe.fold.finish) << " round " << static_cast<int>(recipe.fold.round) << " compare "
       << static_cast<int>(recipe.fold.compare) << " base " << static_cast<int>(recipe.begins) << " scalar "
       << (recipe.scalar ? static_cast<int>(recipe.scalar->dtype) : -1) << " scale "
       << (recipe.scale ? static_cast<int>(recipe.scale->dtype) : -1) << (recipe.odd ? " odd" : "") << (recipe.huge ? " huge" : "") << "\n";
  view("out", recipe.out);
  view("base or from", recipe.base);
  if (!recipe.gathers) view("updates", recipe.updates);
  for (const View& column : recipe.columns) view("column", column);
  return text.str();
}

}  // namespace strew::ops
