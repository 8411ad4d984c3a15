// One table of the operators of all dialects: names, arguments with defaults, dtypes, and the function that describes a call as an op. It
// serves the command line, the Python package, the tests and the documents.
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
  // The source is `updates`, or `source` if it may also be a number. `target` is a tensor that the operator writes to and has no
  // out-of-place form for; `index_key` is the index of a[...], `columns` one tensor of indices or a list of them.
  enum Type : std::uint8_t { tensor, indices, updates, source, integer, number, boolean, word, shape, target, index_key, columns };
  std::string_view name;
  Type type;
  std::optional<std::string_view> fallback = {};  // as text; none: the argument is required
  bool keyword_only = false;                      // passed by keyword in languages that have keywords
  bool must_be_said = false;                      // the default is a value to pass, and must not be omitted
  std::string_view also = {};                     // an alias of the keyword
  std::span<const std::string_view> words = {};   // the accepted words, if it is an enumeration
};

constexpr Parameter keyword(Parameter parameter) {
  parameter.keyword_only = true;
  return parameter;
}

constexpr Parameter one_of(std::span<const std::string_view> words, Parameter parameter) {
  parameter.words = words;
  return parameter;
}

// The names in a dialect's table of reductions.
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
  constexpr std::string_view names[] = {"tensor",  "indices", "updates", "source", "integer",   "number",
                                        "boolean", "word",    "shape",   "target", "index_key", "columns"};
  return names[type];
}

// Whether the value is an IndexKey.
constexpr bool is_key(Parameter::Type type) { return type == Parameter::index_key || type == Parameter::columns; }

// Whether the default means "not given": no word, or an integer that depends on the tensors.
constexpr bool takes_none(const Parameter& parameter) {
  return parameter.fallback && *parameter.fallback == (parameter.type == Parameter::word ? "" : "none");
}

using IndexKey = SmallVector<numpy::Index, 2>;

struct Argument {
  std::string_view name;
  std::variant<Number, ConstTensorRef, std::string, Dims, IndexKey> value;  // a number first: the cheapest to default-construct
};

// The arguments without references to memory: numbers and words as they are, tensors only as dtype and shape. They describe the same op as
// long as indices are not read.
[[nodiscard]] Argument without_memory(const Argument& argument);

struct Operator;

// The arguments of one call, by name. Omitted ones take the operator's default; a wrong type or name is an Error.
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
  // An optional integer.
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

// Constructs the op that a function returns in place: ops are large to move.
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
  DtypeSet dtypes;  // of the data, with the reductions that are defined for it
  DtypeSet index_dtypes;
  bool in_place;  // there is an in-place form, with a trailing underscore
  // `out` may be empty: the op then has no memory for its output yet, see compute(). If the first parameter is a `target`, `out` is that
  // tensor and never empty.
  AnyOp (*describe)(const TensorRef& out, const Arguments& args);
  std::string_view summary = {};  // one sentence for help texts
  // The shape of the updates, after broadcasting, for the other arguments, so that a plan can be made without updates. Arbitrary for
  // arguments that describe() rejects. Null: a gather.
  Dims (*updates_shape)(const Arguments& args) = nullptr;

  [[nodiscard]] constexpr bool scatters() const { return updates_shape != nullptr; }
  // Whether it only has an in-place form.
  [[nodiscard]] constexpr bool writes_first_argument() const { return parameters.front().type == Parameter::target; }
};

// One span of operators per dialect.
std::span<const std::span<const Operator>> registry();

struct Found {
  const Operator* op = nullptr;
  bool in_place = false;  // the name is that of the in-place form
};
// Finds an operator by name, with or without the trailing underscore of an in-place form; null if there is none.
Found find_operator(std::string_view dialect, std::string_view name);

}  // namespace strew::internal
