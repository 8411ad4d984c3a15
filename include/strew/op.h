// The canonical form of all operators. A dialect translates a framework's call into a ScatterOp or GatherOp; run.h runs it.
//
// An Addressing names, for each axis of the addressed tensor, the source of its coordinate. It has no strides, so an access out of range
// cannot be expressed; validate(op) checks everything but the indices, and run(op) checks the indices.
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

// The source of the coordinate on one axis: the position of the point, an index column, or the position in the row.
struct Axis {
  enum From : std::uint8_t { point, column, row } from;
  std::uint8_t at;  // number of the dimension of the points, of the column, or of the dimension of the row
};

// A negative index is out of range (reject) or counts from the end of the axis (wrap).
enum class Negative : std::uint8_t { reject, wrap };

// An index out of range, after wrapping, is an error, leaves its point out (skip), or becomes the nearest valid index (clamp). On an axis
// of size 0 clamp is an error.
enum class OutOfRange : std::uint8_t { error, skip, clamp };

// The wording of errors about an index. `argument` is the framework's name of the index tensor. `sentence` may contain {value} {axis}
// {size} {low} {high} {point} {tuple} {shape}. Both strings are borrowed.
struct IndexWords {
  const char* argument = "indices";
  const char* sentence = "index {value} is out of bounds for axis {axis} with size {size}";
};

// Which elements the points of an op address.
struct Addressing {
  Dims points;                             // shape of the points; they are processed in row-major order
  Dims row;                                // shape of the row that each point addresses; empty: one element
  SmallVector<Axis, 8> axes;               // one per axis of the addressed tensor; one for a tensor of rank 0, too
  SmallVector<ConstTensorRef, 8> columns;  // index columns, each of shape `points`
  Negative negative = Negative::reject;
  OutOfRange out_of_range = OutOfRange::error;
  bool tuples = false;                     // the columns are the last axis of one index tensor; a bad index's position includes it
  IndexWords words;
};

// The arithmetic of a step, and its names.
enum class Reduction : std::uint8_t { assign, add, sub, mul, min, max };
inline constexpr std::string_view reduction_names[] = {"assign", "add", "sub", "mul", "min", "max"};
// Throws an Error of code `argument` for a value that is not an enumerator.
constexpr std::string_view to_string(Reduction reduction) {
  if (static_cast<std::size_t>(reduction) >= std::size(reduction_names))
    detail::throw_unnamed(ErrorCode::argument, "reduction", static_cast<int>(reduction));
  return reduction_names[static_cast<std::size_t>(reduction)];
}
// What an element holds before its first step.
enum class FoldBegin : std::uint8_t {
  current,   // its value in the output
  identity,  // the neutral element of the reduction
  first,     // nothing: the first update replaces the value
};
// What happens after the last step: nothing, or a division by the number of values. Integer means round toward minus infinity.
enum class FoldFinish : std::uint8_t { keep, mean };

// When 16-bit floats are rounded: after every step, or once, from a float32 accumulator. No effect on other types.
enum class FoldRound : std::uint8_t { every_step, at_finish };

// The formula of min; max is mirrored. It decides about NaN and about ties between zeros.
enum class FoldCompare : std::uint8_t {
  keep_out,        // update < out ? update : out
  take_update,     // out < update ? out : update
  propagate,       // update < out || isnan(update) ? update : out
  propagate_late,  // out < update || isnan(out) ? out : update, floats only
  lexical,         // isnan(out) || out <= update ? out : update, complex only: by the real part, then the imaginary one
};

// What happens to each element that an index names: begin, one step per update in order, finish. Other elements do not change.
struct Fold {
  Reduction step = Reduction::assign;
  FoldBegin begin = FoldBegin::current;
  FoldFinish finish = FoldFinish::keep;
  FoldRound round = FoldRound::every_step;
  FoldCompare compare = FoldCompare::keep_out;
};

// A number argument, not yet converted to an element type. Converts implicitly from bool, arithmetic types, 16-bit floats and
// std::complex<double>. An integer is held as std::int64_t, or as std::uint64_t if it exceeds 2^63 - 1.
struct Number : std::variant<bool, std::int64_t, double, std::complex<double>, std::uint64_t> {
  Number() = default;
  // From bool alone: pointers, which convert to bool, are not numbers.
  template <std::same_as<bool> B>
  Number(B value) : variant(value) {}
  template <std::integral N>
    requires(!std::same_as<N, bool> && sizeof(N) <= sizeof(std::int64_t))
  Number(N value) : variant(static_cast<std::int64_t>(value)) {
    if constexpr (std::unsigned_integral<N> && sizeof(N) == sizeof(std::uint64_t)) {
      if (value > N{std::numeric_limits<std::int64_t>::max()}) emplace<std::uint64_t>(value);
    }
  }
  template <class N>
    requires(std::floating_point<N> || std::same_as<N, detail::NativeHalf> || std::same_as<N, detail::NativeBfloat16>)
  Number(N value) : variant(static_cast<double>(value)) {}
  Number(Half value) : variant(double{to_float(value)}) {}
  Number(Bfloat16 value) : variant(double{to_float(value)}) {}
  Number(std::complex<double> value) : variant(value) {}
};

// A source argument: a tensor, or a number that is used for every element.
using Source = std::variant<ConstTensorRef, Number>;

// One value of any element type but string, as its bytes.
struct Scalar {
  Dtype dtype = Dtype::float32;
  alignas(16) std::byte bytes[16] = {};
};

// The output is updated in place.
struct InPlace {};

// The output starts from zeros, or empty strings.
struct Zeros {};

// A framework's sentences about shared memory.
struct OverlapWords {
  const char* input;   // an input shares memory with the output
  const char* output;  // the output shares memory with itself
};

// The names of an operator and its tensors in error messages. The strings are borrowed; literals are best.
struct OpNames {
  const char* op;
  const char* input;  // the base of the output, or the tensor that is gathered from
  const char* updates;
  const OverlapWords* overlap;  // null: Strew's own; must outlive plans and pieces of the op

  constexpr OpNames(const char* op_, const char* input_ = "input", const char* updates_ = "updates", const OverlapWords* overlap_ = nullptr)
      : op(op_), input(input_), updates(updates_), overlap(overlap_) {}
  constexpr operator const char*() const { return op; }
};

// A scatter: steps each update into the elements that its point addresses. All tensors are borrowed.
struct ScatterOp {
  OpNames name = "scatter";
  Addressing where = {};
  TensorRef out = {};
  std::variant<InPlace, Zeros, ConstTensorRef> base = {};  // initial values of `out`; a tensor is copied
  // Shape points ++ row; a stride of 0 repeats values. The type is that of `out`, or a wider one: then each step is computed in that type
  // and cast back.
  ConstTensorRef updates = {};
  std::optional<Scalar> scalar = {};  // a number in place of `updates`: the value of every update
  std::optional<Scalar> scale = {};  // multiplies the updates first, in their own type
  Fold fold = {};
  std::shared_ptr<const void> keep = {};  // keeps memory alive that a dialect allocated for this op
};

// A gather: copies the elements that each point addresses. All tensors are borrowed.
struct GatherOp {
  OpNames name = "gather";
  Addressing where;  // skipped points read zero
  ConstTensorRef from;
  TensorRef out;  // shape points ++ row
};

}  // namespace strew::inline v0
