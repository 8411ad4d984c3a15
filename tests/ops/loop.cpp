// One element at a time, in the order of the points.
#include "ops/loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace strew::ops {
namespace {

using Position = std::vector<std::int64_t>;

// Calls use(position) for every position below `shape`, the last dimension first; stops when it returns false.
template <class Use>
bool each_position(const Dims& shape, Use use) {
  for (const std::int64_t size : shape) {
    if (size == 0) return true;
  }
  Position at(shape.size(), 0);
  while (true) {
    if (!use(at)) return false;
    std::size_t d = shape.size();
    for (; d > 0; --d) {
      if (++at[d - 1] < shape[d - 1]) break;
      at[d - 1] = 0;
    }
    if (d == 0) return true;
  }
}

std::int64_t distance(const Position& at, const Dims& strides, std::size_t first = 0) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < at.size(); ++d) sum += at[d] * strides[first + d];
  return sum;
}

// ---- Element types ----

struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
template <class T>
constexpr bool is_16_bit = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// Calls use(T()) with the C++ type of a number's dtype.
template <class Use>
void with_type(Dtype dtype, Use use) {
  switch (dtype) {
    case Dtype::bool_: return use(bool());
    case Dtype::int8: return use(std::int8_t());
    case Dtype::int16: return use(std::int16_t());
    case Dtype::int32: return use(std::int32_t());
    case Dtype::int64: return use(std::int64_t());
    case Dtype::uint8: return use(std::uint8_t());
    case Dtype::uint16: return use(std::uint16_t());
    case Dtype::uint32: return use(std::uint32_t());
    case Dtype::uint64: return use(std::uint64_t());
    case Dtype::float16: return use(Float16());
    case Dtype::bfloat16: return use(BFloat16());
    case Dtype::float32: return use(float());
    case Dtype::float64: return use(double());
    case Dtype::complex64: return use(std::complex<float>());
    case Dtype::complex128: return use(std::complex<double>());
    case Dtype::string: break;
  }
}

template <class T>
T read(const void* from) {
  if constexpr (std::is_same_v<T, bool>) {
    unsigned char byte = 0;
    std::memcpy(&byte, from, 1);
    return byte != 0;
  } else {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
}
template <class T>
void write(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// The nearest number of `digits` binary digits whose lowest bit is at least 2^lowest, ties to even.
double rounded(double x, int digits, int lowest) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int unit = std::max(std::ilogb(x) - digits + 1, lowest);
  const double scaled = std::scalbn(x, -unit), below = std::floor(scaled), rest = scaled - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
  return std::copysign(std::scalbn(below + (up ? 1 : 0), unit), x);
}

double value_of(Float16 x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
  const double sign = (x.bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::scalbn(fraction, -24) : sign * std::scalbn(fraction + 1024, exponent - 25);
}
double value_of(BFloat16 x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
T of_value(double x) {
  T result{};
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) {
    result.bits = std::is_same_v<T, Float16> ? 0x7e00 : 0x7fc0;
  } else if constexpr (std::is_same_v<T, Float16>) {
    const double size = std::fabs(rounded(x, 11, -24));
    if (size > 65504) result.bits = sign | 0x7c00;
    else if (size < 0x1p-14) result.bits = static_cast<std::uint16_t>(sign | static_cast<int>(std::scalbn(size, 24)));
    else
      result.bits =
          static_cast<std::uint16_t>(sign | ((std::ilogb(size) + 14) * 1024 + static_cast<int>(std::scalbn(size, 10 - std::ilogb(size)))));
  } else {
    const auto nearest = static_cast<float>(rounded(x, 8, -133));
    std::uint32_t bits = 0;
    std::memcpy(&bits, &nearest, sizeof bits);
    result.bits = static_cast<std::uint16_t>(bits >> 16);
  }
  return result;
}

// The type that a step computes in.
template <class T>
auto computing(T x) {
  if constexpr (is_16_bit<T>) return static_cast<float>(value_of(x));
  else return x;
}
template <class T, class C>
T stored(C x) {
  if constexpr (is_16_bit<T>) return of_value<T>(x);
  else return x;
}

struct Undefined {};

// One element as another type; what C++ leaves open is not judged.
template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (is_16_bit<From>) {
    return converted<To>(static_cast<float>(value_of(x)));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (is_complex<From> && is_complex<To>) {
    return To(static_cast<typename To::value_type>(x.real()), static_cast<typename To::value_type>(x.imag()));
  } else if constexpr (is_complex<From>) {
    return converted<To>(x.real());
  } else if constexpr (is_complex<To>) {
    return To(converted<typename To::value_type>(x), 0);
  } else if constexpr (std::is_same_v<To, Float16>) {
    return of_value<To>(std::is_integral_v<From> ? static_cast<double>(static_cast<float>(x)) : static_cast<double>(x));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return of_value<To>(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const double whole = std::trunc(static_cast<double>(x));
    if (!(whole >= static_cast<double>(std::numeric_limits<To>::lowest()) && whole < std::ldexp(1.0, std::numeric_limits<To>::digits)))
      throw Undefined{};
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// ---- Steps ----

template <class T>
bool is_nan(T x) {
  return x != x;
}
template <class T>
T one_nan(T x) {
  if constexpr (is_complex<T>) {
    return T(one_nan(x.real()), one_nan(x.imag()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return is_nan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
  } else {
    return x;
  }
}

// By the real part, then the imaginary one; nothing that has a NaN comes before anything.
template <class T>
bool lexically_first(T a, T b) {
  const bool numbers = !is_nan(a.imag()) && !is_nan(b.imag());
  return (a.real() < b.real() && numbers) || (a.real() == b.real() && a.imag() <= b.imag());
}

// The formula of min; of max with every comparison turned around.
template <class T>
T chosen(FoldCompare rule, T out, T update, bool least) {
  if constexpr (is_complex<T>) {
    const bool first =
        least ? lexically_first(out, update) : lexically_first(T(-out.real(), -out.imag()), T(-update.real(), -update.imag()));
    return is_nan(out) || first ? out : update;
  } else {
    const auto before = [&](T a, T b) { return least ? a < b : b < a; };
    switch (rule) {
      case FoldCompare::keep_out: return before(update, out) ? update : out;
      case FoldCompare::take_update: return before(out, update) ? out : update;
      case FoldCompare::propagate: return before(update, out) || is_nan(update) ? update : out;
      default: return before(out, update) || is_nan(out) ? out : update;
    }
  }
}

template <class T>
T step(const Fold& fold, T out, T update) {
  switch (fold.step) {
    case Reduction::assign: return update;
    case Reduction::min: return chosen(fold.compare, out, update, true);
    case Reduction::max: return chosen(fold.compare, out, update, false);
    default: break;
  }
  const bool adds = fold.step == Reduction::add, subtracts = fold.step == Reduction::sub;
  if constexpr (std::is_same_v<T, bool>) {
    return adds ? out || update : out && update;
  } else if constexpr (std::is_integral_v<T>) {
    const auto a = static_cast<std::uint64_t>(out), b = static_cast<std::uint64_t>(update);
    return static_cast<T>(adds ? a + b : subtracts ? a - b : a * b);
  } else if constexpr (is_complex<T>) {
    if (adds) return one_nan(T(out.real() + update.real(), out.imag() + update.imag()));
    if (subtracts) return one_nan(T(out.real() - update.real(), out.imag() - update.imag()));
    const auto rr = out.real() * update.real(), ii = out.imag() * update.imag();
    const auto ri = out.real() * update.imag(), ir = out.imag() * update.real();
    return one_nan(T(rr - ii, ri + ir));
  } else {
    return one_nan(adds ? out + update : subtracts ? out - update : out * update);
  }
}

template <class T>
T neutral(Reduction reduction) {
  if constexpr (is_complex<T>) {
    return T(reduction == Reduction::mul ? 1 : 0);
  } else {
    if (reduction == Reduction::mul) return T(1);
    if (reduction != Reduction::min && reduction != Reduction::max) return T(0);
    if constexpr (std::is_floating_point_v<T>) {
      return reduction == Reduction::min ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    } else {
      return reduction == Reduction::min ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
  }
}

template <class T>
T mean(T sum, std::int64_t count) {
  if constexpr (is_16_bit<T>) {
    const double divisor = value_of(of_value<T>(static_cast<float>(count)));
    return of_value<T>(static_cast<float>(static_cast<float>(value_of(sum)) / static_cast<float>(divisor)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return sum;
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    const std::int64_t wide = sum, quotient = wide / count;
    return static_cast<T>(quotient * count > wide ? quotient - 1 : quotient);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(sum) / static_cast<std::uint64_t>(count));
  } else if constexpr (is_complex<T>) {
    using Real = typename T::value_type;
    const Real part = Real(1) / static_cast<Real>(count);
    return T((sum.real() + sum.imag() * Real(0)) * part, (sum.imag() - sum.real() * Real(0)) * part);
  } else {
    return sum / static_cast<T>(count);
  }
}

// ---- Addresses ----

enum class Hit : std::uint8_t { place, skipped, bad };

Hit coordinate(const Addressing& where, std::size_t column, const Position& point, std::int64_t extent, std::int64_t& result) {
  const ConstTensorRef& indices = where.columns[column];
  const auto* const from = static_cast<const std::byte*>(indices.data) + distance(point, indices.strides) * size_of(indices.dtype);
  bool high = false;  // a number that no int64 holds
  std::int64_t index = 0;
  with_type(indices.dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      const T value = read<T>(from);
      high = std::is_same_v<T, std::uint64_t> && static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(INT64_MAX);
      index = static_cast<std::int64_t>(value);
    }
  });
  if (!high && index < 0 && where.negative == Negative::wrap) index += extent;
  result = index;
  if (!high && index >= 0 && index < extent) return Hit::place;
  if (where.out_of_range == OutOfRange::skip) return Hit::skipped;
  if (where.out_of_range == OutOfRange::error || extent == 0) return Hit::bad;
  result = !high && index < 0 ? 0 : extent - 1;
  return Hit::place;
}

// The coordinates that a point chooses along each axis; those of the row stay 0.
Hit place_of(const Addressing& where, const Dims& shape, const Position& point, Position& place) {
  place.assign(where.axes.size(), 0);
  bool skipped = false, bad = false;
  for (std::size_t d = 0; d < where.axes.size(); ++d) {
    const Axis axis = where.axes[d];
    if (axis.from == Axis::point) place[d] = point[axis.at];
    if (axis.from != Axis::column) continue;
    const Hit hit = coordinate(where, axis.at, point, shape.empty() ? 1 : shape[d], place[d]);
    skipped = skipped || hit == Hit::skipped;
    bad = bad || hit == Hit::bad;
  }
  return bad ? Hit::bad : skipped ? Hit::skipped : Hit::place;
}

// How far from the first element an element of the row at a place is.
std::int64_t offset_of(const Addressing& where, const Dims& strides, const Position& place, const Position& row) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < where.axes.size(); ++d) {
    const std::int64_t at = where.axes[d].from == Axis::row ? row[where.axes[d].at] : place[d];
    sum += strides.empty() ? 0 : at * strides[d];
  }
  return sum;
}

bool all_good(const Addressing& where, const Dims& shape) {
  Position place;
  return each_position(where.points, [&](const Position& point) { return place_of(where, shape, point, place) != Hit::bad; });
}

// Calls use(offset in the addressed tensor, offset in the tensor of shape points ++ row); a negative first one: the point is skipped.
template <class Use>
void each_pair(const Addressing& where, const Dims& shape, const Dims& strides, const Dims& stream_strides, Use use) {
  Position place;
  each_position(where.points, [&](const Position& point) {
    const bool skipped = place_of(where, shape, point, place) == Hit::skipped;
    const std::int64_t stream = distance(point, stream_strides);
    return each_position(where.row, [&](const Position& row) {
      use(skipped, skipped ? 0 : offset_of(where, strides, place, row), stream + distance(row, stream_strides, where.points.size()));
      return true;
    });
  });
}

// ---- Elements of a tensor, in row-major order ----

template <class T>
std::vector<T> elements(const ConstTensorRef& tensor) {
  std::vector<T> values;
  each_position(tensor.shape, [&](const Position& at) {
    const auto* const from = static_cast<const std::byte*>(tensor.data) + distance(at, tensor.strides) * size_of(tensor.dtype);
    if constexpr (std::is_same_v<T, std::string>) values.push_back(*reinterpret_cast<const std::string*>(from));
    else values.push_back(read<T>(from));
    return true;
  });
  return values;
}

template <class T>
T& string_at(void* data, std::int64_t offset) {
  return static_cast<T*>(data)[offset];
}

Judgement run_strings(const ScatterOp& op) {
  const Dims dense = dense_strides(op.updates.shape);
  const std::vector<std::string> updates = elements<std::string>(op.updates);
  std::vector<std::string> base;
  if (const auto* tensor = std::get_if<ConstTensorRef>(&op.base)) base = elements<std::string>(*tensor);
  std::size_t next = 0;
  each_position(op.out.shape, [&](const Position& at) {
    std::string& out = string_at<std::string>(op.out.data, distance(at, op.out.strides));
    if (std::holds_alternative<Zeros>(op.base)) out.clear();
    if (std::holds_alternative<ConstTensorRef>(op.base)) out = base[next++];
    return true;
  });
  each_pair(op.where, op.out.shape, op.out.strides, dense, [&](bool skipped, std::int64_t to, std::int64_t from) {
    if (skipped) return;
    std::string& out = string_at<std::string>(op.out.data, to);
    out = (op.fold.step == Reduction::add ? out : "") + updates[static_cast<std::size_t>(from)];
  });
  return Judgement::done;
}

template <class T>
T number_of(const Scalar& scalar) {
  return read<T>(scalar.bytes);
}

// The bytes of each element in row-major order: a bool may hold any.
template <std::size_t size>
std::vector<std::array<std::byte, size>> elements_as_they_are(const ConstTensorRef& tensor) {
  std::vector<std::array<std::byte, size>> values;
  each_position(tensor.shape, [&](const Position& at) {
    const auto* const from = static_cast<const std::byte*>(tensor.data) + distance(at, tensor.strides) * static_cast<std::int64_t>(size);
    std::memcpy(values.emplace_back().data(), from, size);
    return true;
  });
  return values;
}

template <std::size_t size>
void set_base(const ScatterOp& op) {
  const auto* const tensor = std::get_if<ConstTensorRef>(&op.base);
  std::vector<std::array<std::byte, size>> base;
  if (tensor != nullptr) base = elements_as_they_are<size>(*tensor);
  std::size_t next = 0;
  each_position(op.out.shape, [&](const Position& at) {
    std::byte* const to = static_cast<std::byte*>(op.out.data) + distance(at, op.out.strides) * static_cast<std::int64_t>(size);
    if (std::holds_alternative<Zeros>(op.base)) std::memset(to, 0, size);
    if (tensor != nullptr) std::memcpy(to, base[next++].data(), size);
    return true;
  });
}

// Elements of type T, updates of type U.
template <class T, class U>
class Numbers {
 public:
  explicit Numbers(const ScatterOp& op) : op_(op), out_(static_cast<std::byte*>(op.out.data)) {
    Dims shape = op.where.points;
    shape.append(op.where.row);
    dense_ = dense_strides(shape);
    if (op.scalar) {
      std::int64_t count = 1;
      for (const std::int64_t size : shape) count *= size;
      updates_.assign(static_cast<std::size_t>(count), number_of<U>(*op.scalar));
    } else {
      updates_ = elements<U>(op.updates);
      raw_ = elements_as_they_are<sizeof(U)>(op.updates);
    }
    if (op.scale) {
      const Fold product{.step = Reduction::mul};
      const auto factor = computing(number_of<U>(*op.scale));
      for (std::size_t i = 0; i < updates_.size(); ++i)
        updates_[i] = stored<U>(step(product, computing(static_cast<U>(updates_[i])), factor));
      raw_.clear();
    }
  }

  void run() {
    constexpr bool same = std::is_same_v<T, U>;
    if constexpr (same) {
      const Fold& fold = op_.fold;
      const bool rounds = fold.step == Reduction::add || fold.step == Reduction::sub || fold.step == Reduction::mul;
      const bool is_wide = is_16_bit<T> && fold.round == FoldRound::at_finish && rounds;
      if (fold.begin != FoldBegin::current || fold.finish != FoldFinish::keep || is_wide) {
        if constexpr (is_16_bit<T>) {
          if (is_wide) {
            run_folded<float>();
            return;
          }
        }
        run_folded<T>();
        return;
      }
    }
    each([&](std::byte* to, std::size_t update) {
      if constexpr (same) {
        if (op_.fold.step == Reduction::assign && !raw_.empty()) std::memcpy(to, raw_[update].data(), sizeof(T));
        else write(to, stored<T>(step(op_.fold, computing(read<T>(to)), computing(static_cast<U>(updates_[update])))));
      } else {
        const auto out = computing(converted<U>(read<T>(to)));
        write(to, converted<T>(stored<U>(step(op_.fold, out, computing(static_cast<U>(updates_[update]))))));
      }
    });
  }

 private:
  template <class A>
  struct Cell {
    A value{};
    std::int64_t count = 0;
  };

  // Accumulators of type A, one for each element that is named.
  template <class A>
  void run_folded() {
    std::map<std::byte*, Cell<A>> cells;
    const Fold& fold = op_.fold;
    each([&](std::byte* to, std::size_t update) {
      Cell<A>& cell = cells[to];
      const auto value = computing(static_cast<U>(updates_[update]));
      if (cell.count == 0 && fold.begin == FoldBegin::current) cell.value = stored<A>(computing(read<T>(to)));
      if (cell.count == 0 && fold.begin == FoldBegin::identity) cell.value = stored<A>(neutral<decltype(computing(T()))>(fold.step));
      if (cell.count == 0 && fold.begin == FoldBegin::first) cell.value = stored<A>(value);
      else cell.value = stored<A>(step(fold, computing(cell.value), value));
      ++cell.count;
    });
    for (const auto& [to, cell] : cells) {
      const T sum = stored<T>(computing(cell.value));
      write(to, fold.finish == FoldFinish::mean ? mean(sum, cell.count + (fold.begin == FoldBegin::current ? 1 : 0)) : sum);
    }
  }

  template <class Use>
  void each(Use use) {
    each_pair(op_.where, op_.out.shape, op_.out.strides, dense_, [&](bool skipped, std::int64_t to, std::int64_t from) {
      if (!skipped) use(out_ + to * static_cast<std::int64_t>(sizeof(T)), static_cast<std::size_t>(from));
    });
  }

  const ScatterOp& op_;
  std::byte* out_;
  Dims dense_;
  std::vector<U> updates_;
  std::vector<std::array<std::byte, sizeof(U)>> raw_;  // the updates as they are; none if they are a number or scaled
};

// The same op with columns in memory of their own: the base may be written over the indices.
ScatterOp with_own_columns(const ScatterOp& op, std::vector<std::vector<std::byte>>& memory) {
  ScatterOp own = op;
  memory.resize(op.where.columns.size());
  for (std::size_t c = 0; c < memory.size(); ++c) {
    ConstTensorRef& column = own.where.columns[c];
    const std::int64_t size = size_of(column.dtype);
    each_position(column.shape, [&](const Position& at) {
      const auto* const from = static_cast<const std::byte*>(column.data) + distance(at, column.strides) * size;
      memory[c].insert(memory[c].end(), from, from + size);
      return true;
    });
    column = ConstTensorRef(memory[c].data(), column.dtype, column.shape);
  }
  return own;
}

}  // namespace

Judgement run_loop(const ScatterOp& described) {
  std::vector<std::vector<std::byte>> columns;
  const ScatterOp op = with_own_columns(described, columns);
  if (!all_good(op.where, op.out.shape)) return Judgement::bad_index;
  if (op.out.dtype == Dtype::string) return run_strings(op);
  Judgement judgement = Judgement::done;
  const Dtype updates = op.scalar ? op.scalar->dtype : op.updates.dtype;
  with_type(op.out.dtype, [&]<class T>(T) {
    with_type(updates, [&]<class U>(U) {
      if constexpr (sizeof(U) >= sizeof(T)) {
        try {
          Numbers<T, U> numbers(op);
          set_base<sizeof(T)>(op);
          numbers.run();
        } catch (const Undefined&) {
          judgement = Judgement::undefined;
        }
      }
    });
  });
  return judgement;
}

Judgement run_loop(const GatherOp& op) {
  if (!all_good(op.where, op.from.shape)) return Judgement::bad_index;
  const bool text = op.from.dtype == Dtype::string;
  const std::int64_t size = size_of(op.from.dtype);
  struct Move {
    std::int64_t to;
    std::vector<std::byte> bytes;
    std::string text;
  };
  std::vector<Move> moves;  // everything is read before anything is written
  each_pair(op.where, op.from.shape, op.from.strides, op.out.strides, [&](bool skipped, std::int64_t from, std::int64_t to) {
    Move& move = moves.emplace_back(Move{to, std::vector<std::byte>(static_cast<std::size_t>(size)), {}});
    if (skipped) return;
    if (text) move.text = static_cast<const std::string*>(op.from.data)[from];
    else std::memcpy(move.bytes.data(), static_cast<const std::byte*>(op.from.data) + from * size, static_cast<std::size_t>(size));
  });
  for (const Move& move : moves) {
    if (text) string_at<std::string>(op.out.data, move.to) = move.text;
    else std::memcpy(static_cast<std::byte*>(op.out.data) + move.to * size, move.bytes.data(), static_cast<std::size_t>(size));
  }
  return Judgement::done;
}

std::optional<std::vector<Reached>> reached_by(const Addressing& where, const Dims& shape) {
  if (!all_good(where, shape)) return {};
  Dims all = where.points;
  all.append(where.row);
  std::vector<Reached> reached;
  each_pair(where, shape, dense_strides(shape), dense_strides(all), [&](bool skipped, std::int64_t addressed, std::int64_t stream) {
    reached.push_back({skipped ? -1 : addressed, stream});
  });
  return reached;
}

std::vector<std::complex<double>> numbers_in(const ConstTensorRef& tensor) {
  std::vector<std::complex<double>> numbers;
  with_type(tensor.dtype, [&]<class T>(T) {
    if constexpr (is_complex<T>) {
      for (const T value : elements<T>(tensor)) numbers.emplace_back(value.real(), value.imag());
    } else if constexpr (is_16_bit<T>) {
      for (const T value : elements<T>(tensor)) numbers.emplace_back(value_of(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      for (const T value : elements<T>(tensor)) numbers.emplace_back(value);
    }
  });
  return numbers;
}

}  // namespace strew::ops
