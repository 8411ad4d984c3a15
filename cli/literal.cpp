// Reads values from the command line.
#include "literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/checked.h"
#include "base/text.h"
#include "files/error.h"
#include "files/text.h"
#include "kernels/cast.h"
#include "usage.h"

namespace strew::cli {
using namespace internal;
using files::printable;
namespace {

LiteralKind kind_of(const LiteralValue& value) {
  constexpr LiteralKind kinds[] = {LiteralKind::boolean,  LiteralKind::integer, LiteralKind::integer,
                                   LiteralKind::floating, LiteralKind::complex, LiteralKind::text};
  return kinds[value.index()];
}

// The whole text as a number of type T.
template <class T>
std::optional<T> whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(text.size() > 1 && text[1] != '-' ? 1 : 0);
  T value{};
  std::from_chars_result end{};
  if constexpr (std::same_as<T, double>) end = read_digits(text.data(), text.data() + text.size(), value);
  else end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// Whether a decimal beyond the range of float64 is too small, not too large: its first digit other than 0 is after the point.
bool is_tiny(std::string_view text) {
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, mark), exponent = mark == std::string_view::npos ? "" : text.substr(mark + 1);
  std::int64_t power = 0;
  const std::string_view digits = exponent.substr(exponent.starts_with('+') ? 1 : 0);
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), power);
  if (end.ec == std::errc::result_out_of_range) return digits.starts_with('-');
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size()), first = mantissa.find_first_of("123456789");
  // The number of digits before the point, or minus the number of zeros after it.
  const auto before = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return saturating_add(power, before) < 0;
}

bool is_out_of_range(std::string_view text) {
  double value = 0;
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  const auto end = read_digits(digits.data(), digits.data() + digits.size(), value);
  return end.ec == std::errc::result_out_of_range && end.ptr == digits.data() + digits.size();
}

// A double, without from_chars' hexadecimal forms, or one that names NaN's payload.
std::optional<double> real(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  const double sign = text.starts_with('-') ? -1 : 1;
  if (digits == "nan" || digits == "NaN") return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (digits == "inf" || digits == "Infinity") return sign * std::numeric_limits<double>::infinity();
  if (digits.empty() || digits.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  if (is_out_of_range(text) && is_tiny(digits)) return std::copysign(0.0, sign);
  return whole_number<double>(text);
}

// "1+2j", "2j": the imaginary part begins at the last sign that is not that of an exponent.
std::optional<std::complex<double>> complex_number(std::string_view text) {
  if (!text.ends_with('j')) return std::nullopt;
  text.remove_suffix(1);
  std::size_t at = text.find_last_of("+-");
  while (at != std::string_view::npos && at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E')) at = text.find_last_of("+-", at - 1);
  const bool has_real = at != std::string_view::npos && at > 0;
  const auto imaginary = real(has_real ? text.substr(at) : text), whole = has_real ? real(text.substr(0, at)) : 0.0;
  if (!imaginary || !whole) return std::nullopt;
  return std::complex<double>(*whole, *imaginary);
}

// A number, true or false.
std::optional<LiteralValue> plain_value(std::string_view text) {
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  if (const auto integer = whole_number<std::int64_t>(text)) return *integer;
  if (const auto integer = whole_number<std::uint64_t>(text)) return *integer;
  if (const auto number = real(text)) return *number;
  if (const auto number = complex_number(text)) return *number;
  return std::nullopt;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }

class Parser {
 public:
  Parser(std::string_view name, std::string_view text) : name_(name), text_(text), rest_(text) {}

  Literal whole() {
    literal_.shape = value(0);
    skip_spaces();
    if (!rest_.empty()) {
      if (!take(':')) fail(cat("has \"", printable(rest_), "\" after its end"));
      literal_.dtype = dtype_named(name_, rest_);
    }
    for (const LiteralValue& value : literal_.values) literal_.kind = std::max(literal_.kind, kind_of(value));
    const bool mixed = literal_.kind == LiteralKind::text && std::any_of(literal_.values.begin(), literal_.values.end(),
                                                                         [](const auto& v) { return kind_of(v) != LiteralKind::text; });
    if (mixed) fail("mixes strings and numbers");
    return std::move(literal_);
  }

 private:
  [[noreturn]] void fail(std::string_view sentence) const { throw UsageError(cat(name_, ": the value ", printable(text_), " ", sentence)); }
  void skip_spaces() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Reads a list or a single value; returns its shape.
  Dims value(std::size_t depth) {
    if (take('[')) return list(depth);
    if (take('"')) {
      literal_.values.emplace_back(string());
    } else {
      const std::string_view word = rest_.substr(0, rest_.find_first_of(", ]:\n\t"));
      auto plain = plain_value(word);
      if (!plain && is_out_of_range(word)) fail(cat("holds ", word, ", which is out of the range of float64"));
      if (!plain) fail(word.empty() ? std::string("lacks a number") : cat("holds \"", printable(word), "\", which is no number"));
      literal_.values.push_back(*std::move(plain));
      rest_.remove_prefix(word.size());
    }
    return {};
  }

  Dims list(std::size_t depth) {
    if (depth == max_rank) fail(cat("has more than ", max_rank, " dimensions"));
    std::int64_t count = 0;
    Dims part{};
    while (!take(']')) {
      if (count > 0 && !take(',')) fail("has a list that does not end, or lacks a comma");
      if (count > 0 && take(']')) break;  // a comma may follow the last
      const Dims shape = value(depth + 1);
      if (count > 0 && !(shape == part)) fail("has lists of different sizes");
      part = shape;
      ++count;
    }
    Dims shape{count};
    shape.append(part);
    return shape;
  }

  // After the opening quote: the escapes of JSON.
  std::string string() {
    std::string text;
    while (!rest_.starts_with('"')) {
      if (rest_.empty()) fail("has a string that does not end");
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\') files::append_character(text, escaped());
      else text += c;
    }
    rest_.remove_prefix(1);
    return text;
  }

  // After a backslash.
  std::uint32_t escaped() {
    constexpr std::string_view letters = "\"\\/bfnrtu", characters = "\"\\/\b\f\n\r\t";
    const std::size_t at = rest_.empty() ? std::string_view::npos : letters.find(rest_.front());
    if (at == std::string_view::npos) fail("has an escape other than those of JSON: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    rest_.remove_prefix(1);
    if (at < characters.size()) return static_cast<unsigned char>(characters[at]);
    const std::uint32_t code = four_digits();
    if (code < 0xd800 || code > 0xdfff) return code;
    // A character above U+FFFF is a pair of surrogates.
    const bool has_second = code < 0xdc00 && rest_.starts_with("\\u");
    if (has_second) rest_.remove_prefix(2);
    const std::uint32_t second = has_second ? four_digits() : 0;
    if (second < 0xdc00 || second > 0xdfff) fail("has one half of a surrogate pair");
    return 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
  }

  std::uint32_t four_digits() {
    std::uint32_t code = 0;
    const std::string_view digits = rest_.substr(0, 4);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || end.ptr != digits.data() + 4) fail("has a \\u without four hexadecimal digits");
    rest_.remove_prefix(4);
    return code;
  }

  std::string_view name_, text_, rest_;
  Literal literal_;
};

template <class T>
constexpr double largest_of() {
  if constexpr (std::same_as<T, Half>) return 65504.0;
  else if constexpr (std::same_as<T, Bfloat16>) return 0x1.fep127;
  else if constexpr (std::same_as<T, float> || std::same_as<T, std::complex<float>>) return std::numeric_limits<float>::max();
  else return std::numeric_limits<double>::max();
}

// Converts a value to T; no value if T cannot represent it.
template <class T>
struct ToElement {
  std::optional<T> operator()(bool value) const { return cast<T>(value ? std::int64_t{1} : 0); }
  std::optional<T> operator()(std::integral auto value) const {
    if constexpr (std::same_as<T, bool>) return std::nullopt;
    else if constexpr (Integer<T>) return std::in_range<T>(value) ? std::optional<T>(static_cast<T>(value)) : std::nullopt;
    else if constexpr (HalfLike<T>) return (*this)(static_cast<double>(value));
    else return cast<T>(value);
  }
  std::optional<T> operator()(double value) const {
    if constexpr (std::integral<T>) return std::nullopt;
    else return std::isfinite(value) && std::abs(value) > largest_of<T>() ? std::nullopt : std::optional<T>(cast<T>(value));
  }
  std::optional<T> operator()(std::complex<double> value) const {
    if constexpr (!ComplexLike<T>) return std::nullopt;
    else return fits(value.real()) && fits(value.imag()) ? std::optional<T>(cast<T>(value)) : std::nullopt;
  }
  std::optional<T> operator()(const std::string&) const { return std::nullopt; }

 private:
  static bool fits(double part) { return !std::isfinite(part) || std::abs(part) <= largest_of<T>(); }
};

struct Printer {
  std::string operator()(const std::string& text) const { return cat("\"", printable(text), "\""); }
  std::string operator()(std::complex<double> value) const { return cat(value.real(), value.imag() < 0 ? "" : "+", value.imag(), "j"); }
  std::string operator()(auto value) const { return cat(value); }
};

[[noreturn]] void refuse(std::string_view name, const LiteralValue& value, Dtype dtype) {
  throw UsageError(cat(name, ": ", std::visit(Printer(), value), " is no ", to_string(dtype)));
}

}  // namespace

std::optional<Literal> parse_literal(std::string_view name, std::string_view text) {
  const std::string_view start = text.substr(std::min(text.size(), text.find_first_not_of(" \n\t")));
  const bool is_marked = start.starts_with('[') || start.starts_with('"');
  const std::string_view word = start.substr(0, start.find(':'));
  if (!is_marked && !plain_value(word) && !is_out_of_range(word)) return std::nullopt;
  return Parser(name, text).whole();
}

Tensor to_tensor(std::string_view name, const Literal& literal, Dtype dtype) {
  Tensor tensor(dtype, literal.shape);
  if (dtype == Dtype::string) {
    const auto elements = tensor.values<std::string>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto* const text = std::get_if<std::string>(&literal.values[i]);
      if (text == nullptr) refuse(name, literal.values[i], dtype);
      elements[i] = *text;
    }
    return tensor;
  }
  visit_dtype(Numbers{}, dtype, [&]<class T>(Tag<T>) {
    const auto elements = tensor.values<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::optional<T> element = std::visit(ToElement<T>(), literal.values[i]);
      if (!element) refuse(name, literal.values[i], dtype);
      elements[i] = *element;
    }
  });
  return tensor;
}

std::optional<Number> to_number(const Literal& literal) {
  if (!literal.shape.empty()) return std::nullopt;
  return std::visit(
      []<class T>(const T& value) -> std::optional<Number> {
        if constexpr (std::same_as<T, std::string>) return std::nullopt;
        else return Number(value);
      },
      literal.values.front());
}

Dtype dtype_named(std::string_view name, std::string_view text) {
  std::string names;
  for (const DtypeInfo& row : dtypes) {
    if (row.name == text) return row.dtype;
    names += cat(names.empty() ? "" : ", ", row.name);
  }
  throw UsageError(cat(name, ": there is no dtype \"", printable(text), "\"; there are ", names));
}

}  // namespace strew::cli
