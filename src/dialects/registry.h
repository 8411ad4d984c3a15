// The operators of all dialects in one table: names, arguments with their defaults, dtypes, and a way to an op.
// It serves the command line, the Python package, the tests and the documents.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "strew/dialects/numpy.h"
#include "strew/op.h"

namespace strew::internal {

struct Parameter {
  // What is scattered is `updates`, or `source` where it may be a number too. `target` is a tensor that the operator writes into, having
  // no other form; `index_key` is what stands in a[...].
  enum Type : std::uint8_t { tensor, indices, updates, source, integer, number, boolean, word, shape, target, index_key };
  std::string_view name;
  Type type;
  std::optional<std::string_view> fallback = {};  // as text; none: the argument is required
  bool keyword_only = false;                      // callers must name it, where the language has such a thing
  bool must_be_said = false;                      // the default is a value to pass, not one to leave out
  std::string_view also = {};                     // another name, for callers who name it
  std::span<const std::string_view> words = {};   // what a word may be, where that is a list
};

constexpr Parameter keyword(Parameter parameter) {
  parameter.keyword_only = true;
  return parameter;
}

constexpr Parameter one_of(std::span<const std::string_view> words, Parameter parameter) {
  parameter.words = words;
  return parameter;
}

// The names of a dialect's table of words.
template <class Word, std::size_t n>
constexpr std::array<std::string_view, n> names_in(const Word (&table)[n]) {
  std::array<std::string_view, n> names{};
  for (std::size_t i = 0; i < n; ++i) names[i] = table[i].name;
  return names;
}

constexpr Parameter said(Parameter parameter) {
  parameter.must_be_said = true;
  return parameter;
}

constexpr std::string_view to_string(Parameter::Type type) {
  constexpr std::string_view names[] = {"tensor",  "indices", "updates", "source", "integer",  "number",
                                        "boolean", "word",    "shape",   "target", "index_key"};
  return names[type];
}

// Whether the default is that nothing was given: no word, or an integer that depends on the tensors.
constexpr bool takes_none(const Parameter& parameter) {
  return parameter.fallback && *parameter.fallback == (parameter.type == Parameter::word ? "" : "none");
}

using IndexKey = SmallVector<numpy::Index, 2>;

struct Argument {
  std::string_view name;
  std::variant<Number, ConstTensorRef, std::string, Dims, IndexKey> value;  // a number first: it costs least to begin with
};

// The same without anybody's memory: numbers and words as they are, of tensors only the type and shape. It describes the same op as long
// as nobody reads the indices.
[[nodiscard]] Argument without_memory(const Argument& argument);

struct Operator;

// The arguments of one call, by name. What is left out takes the operator's default; a wrong type or name is an Error.
class Arguments {
 public:
  Arguments(const Operator& op, std::span<const Argument> given);

  [[nodiscard]] const ConstTensorRef& tensor(std::string_view name) const;
  [[nodiscard]] Source source(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] Number number(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] std::string_view word(std::string_view name) const;
  [[nodiscard]] const Dims& shape(std::string_view name) const;
  [[nodiscard]] const IndexKey& index_key(std::string_view name) const;
  // An integer that may be left out.
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view name) const;

 private:
  template <class T>
  [[nodiscard]] const T* find(std::string_view name, std::string_view wanted) const;
  [[nodiscard]] std::string_view fallback(std::string_view name) const;
  [[noreturn]] void fail(const std::string& sentence) const;

  const Operator& op_;
  std::span<const Argument> given_;
};

using AnyOp = std::variant<ScatterOp, GatherOp>;

// The op that a function returns, made where it will stay: ops are large, and moving one costs.
template <class Describe>
[[nodiscard]] AnyOp any_op(const Describe& describe) {
  using Op = decltype(describe());
  struct Described {
    const Describe& describe;
    operator Op() const { return describe(); }
  };
  return AnyOp(std::in_place_type<Op>, Described{describe});
}

struct Operator {
  std::string_view dialect;
  std::string_view name;
  std::span<const Parameter> parameters;
  DtypeSet dtypes;        // what the data may be, with the reductions that are defined for it
  DtypeSet index_dtypes;
  bool in_place;          // there is a form with a trailing underscore that writes into its first argument
  // `out` may be empty: then the op has no memory for its output yet, see compute(). Where the first parameter is a
  // `target`, `out` is that tensor and never empty.
  AnyOp (*describe)(const TensorRef& out, const Arguments& args);
  std::string_view summary = {};  // one sentence for who reads help
  // The shape of the updates that belong to the other arguments, so that a plan can be made before there are any; the one that they are
  // broadcast to, where they are. Arguments that describe() refuses may have any. Null: it gathers.
  Dims (*updates_shape)(const Arguments& args) = nullptr;

  [[nodiscard]] constexpr bool scatters() const { return updates_shape != nullptr; }
  // Whether it only exists in place.
  [[nodiscard]] constexpr bool writes_first_argument() const { return parameters.front().type == Parameter::target; }
};

// One span per dialect.
std::span<const std::span<const Operator>> registry();

// By name, with or without a trailing underscore where there is an in-place form; null if there is none.
struct Found {
  const Operator* op = nullptr;
  bool in_place = false;  // this name writes into its first argument
};
Found find_operator(std::string_view dialect, std::string_view name);

}  // namespace strew::internal
