// Values written on the command line: numbers, strings, and lists of them such as [[1,2],[3,4]]:float32.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strew/op.h"
#include "strew/tensor.h"

namespace strew::cli {

// In the order in which each kind can represent those before it; text apart.
enum class LiteralKind : std::uint8_t { boolean, integer, floating, complex, text };

// One element. An integer above 2^63 - 1 is unsigned.
using LiteralValue = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>, std::string>;

struct Literal {
  Dims shape;  // empty: a single value
  std::vector<LiteralValue> values;
  std::optional<Dtype> dtype;  // if it was written
  LiteralKind kind = LiteralKind::boolean;  // the widest of the values; of an empty list, boolean
};

// Reads a literal. No value if the text is the name of a file: anything that begins with neither [ nor " and is no number, true or false.
// Throws a UsageError that begins with `name` if the text begins like a literal and is none.
[[nodiscard]] std::optional<Literal> parse_literal(std::string_view name, std::string_view text);

// The elements in a dtype. Throws a UsageError if it cannot represent one of them; floats are rounded.
[[nodiscard]] Tensor to_tensor(std::string_view name, const Literal& literal, Dtype dtype);

// The single value as a number; no value for text and a list.
[[nodiscard]] std::optional<Number> to_number(const Literal& literal);

// The dtype of that name, after a colon for example. Throws a UsageError if there is none.
[[nodiscard]] Dtype dtype_named(std::string_view name, std::string_view text);

}  // namespace strew::cli
