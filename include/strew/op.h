// The canonical form: what to scatter where, with no framework's word in it.
//
// For each axis of the addressed tensor an Addressing says where the coordinate comes from. Strides are not in it, so
// an access out of range cannot be written down: `validate(op)` proves the rest, and indices are checked when it runs.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "strew/tensor.h"

namespace strew::inline v0 {

// Where an axis takes its coordinate: from the point's own position, from an index column, or from the row.
struct Axis {
  enum From : std::uint8_t { point, column, row } from;
  std::uint8_t at;  // which dimension of the points, which column, or which dimension of the row
};

enum class Negative : std::uint8_t { reject, wrap };
enum class OutOfRange : std::uint8_t { error, skip, clamp };  // decided after wrapping; an empty axis cannot clamp

// How a bad index is reported: the framework's own sentence, with {value} {axis} {size} {low} {high} {point} {tuple}
// {shape} filled in. `argument` is the framework's name of the index tensor.
struct IndexWords {
  const char* argument = "indices";
  const char* sentence = "index {value} is out of bounds for axis {axis} with size {size}";
};

struct Addressing {
  Dims points;                             // visited in row-major order: that order is the law
  Dims row;                                // shape of what is moved for each point
  SmallVector<Axis, 8> axes;               // one per axis of the addressed tensor; one too if its rank is 0
  SmallVector<ConstTensorRef, 8> columns;  // index columns, each of shape `points`
  Negative negative = Negative::reject;
  OutOfRange out_of_range = OutOfRange::error;
  bool tuples = false;                     // the columns are the last axis of one tensor, so positions name it too
  IndexWords words;
};

enum class Reduction : std::uint8_t { assign, add, sub, mul, min, max };
inline constexpr std::string_view reduction_names[] = {"assign", "add", "sub", "mul", "min", "max"};
constexpr std::string_view to_string(Reduction reduction) {
  if (static_cast<std::size_t>(reduction) >= std::size(reduction_names))
    detail::throw_unnamed(ErrorCode::argument, "reduction", static_cast<int>(reduction));
  return reduction_names[static_cast<std::size_t>(reduction)];
}
enum class FoldBegin : std::uint8_t {
  current,   // what is there
  identity,  // the reduction's neutral element
  first,     // the first update replaces
};
enum class FoldFinish : std::uint8_t { keep, mean };
enum class FoldRound : std::uint8_t { every_step, at_finish };  // 16-bit floats: at_finish keeps a float32 for the whole call

// The formula of min (max mirrored). NaN and which zero survives a tie both follow from it.
enum class FoldCompare : std::uint8_t {
  keep_out,        // update < out ? update : out
  take_update,     // out < update ? out : update
  propagate,       // update < out || isnan(update) ? update : out
  propagate_late,  // out < update || isnan(out) ? out : update, floats only
  lexical,         // isnan(out) || out <= update ? out : update, complex only: by the real part, then the imaginary one
};

// What happens to one touched element: begin, a step for each update in order, finish.
struct Fold {
  Reduction step = Reduction::assign;
  FoldBegin begin = FoldBegin::current;
  FoldFinish finish = FoldFinish::keep;
  FoldRound round = FoldRound::every_step;
  FoldCompare compare = FoldCompare::keep_out;
};

// A number as a caller wrote it, before it takes an element type.
struct Number : std::variant<bool, std::int64_t, double, std::complex<double>> {
  Number() = default;
  // From a bool alone: pointers and literals, which convert to it, are no numbers.
  template <std::same_as<bool> B>
  Number(B value) : variant(value) {}
  // An unsigned number that no int64 holds is the nearest double.
  template <std::integral N>
    requires(!std::same_as<N, bool> && sizeof(N) <= sizeof(std::int64_t))
  Number(N value) : variant(static_cast<std::int64_t>(value)) {
    if (std::cmp_greater(value, std::numeric_limits<std::int64_t>::max())) emplace<double>(static_cast<double>(value));
  }
  template <std::floating_point N>
  Number(N value) : variant(static_cast<double>(value)) {}
  Number(std::complex<double> value) : variant(value) {}
};

// What a framework takes as source: a tensor, or a number that stands for every element.
using Source = std::variant<ConstTensorRef, Number>;

// One value of any element type but string.
struct Scalar {
  Dtype dtype = Dtype::float32;
  alignas(16) std::byte bytes[16] = {};
};

struct InPlace {};
struct Zeros {};

// What a caller calls the operator and its tensors, for errors.
struct OpNames {
  const char* op;
  const char* input;  // what the output starts from, or what is gathered
  const char* updates;

  constexpr OpNames(const char* op_, const char* input_ = "input", const char* updates_ = "updates")
      : op(op_), input(input_), updates(updates_) {}
  constexpr operator const char*() const { return op; }
};

struct ScatterOp {
  OpNames name = "scatter";
  Addressing where = {};
  TensorRef out = {};
  std::variant<InPlace, Zeros, ConstTensorRef> base = {};  // what `out` holds before the first step
  // Shape points ++ row; a stride of 0 repeats. Of the type of `out`, or a wider one: then each step is computed in that
  // type and cast back.
  ConstTensorRef updates = {};
  std::optional<Scalar> scalar = {};                       // a number as source, owned here: it stands for every update
  std::optional<Scalar> scale = {};                        // updates are multiplied by it first, in their own type
  Fold fold = {};
  std::shared_ptr<const void> keep = {};                   // memory that a dialect made for this op; the core only holds it
};

struct GatherOp {
  OpNames name = "gather";
  Addressing where;  // points that are skipped read zero
  ConstTensorRef from;
  TensorRef out;     // shape points ++ row
};

}  // namespace strew::inline v0
