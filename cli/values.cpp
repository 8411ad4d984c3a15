// Opens the files of a call, converts its literals, and reads index keys.
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "call.h"
#include "files/error.h"
#include "usage.h"

namespace strew::cli {
using namespace internal;
using files::printable;
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The parts between commas outside of brackets and quotes. Parentheses around all of them are ignored.
std::vector<std::string_view> split(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '[') - (c == ']');
    if (c != ',' || depth > 0 || quoted) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  const std::string_view last = trimmed(text.substr(begin));
  if (!last.empty()) parts.push_back(last);
  return parts;
}

// "1:5:2"; no value if the text is no slice. Bounds that do not fit 64 bits are as far as any.
std::optional<numpy::Slice> slice(std::string_view name, std::string_view text) {
  if (text.find(':') == std::string_view::npos || text.find_first_not_of("0123456789:+- ") != std::string_view::npos) return std::nullopt;
  std::optional<std::int64_t> bounds[3];
  std::size_t count = 0;
  for (std::string_view rest = text;; rest.remove_prefix(rest.find(':') + 1)) {
    std::string_view bound = trimmed(rest.substr(0, rest.find(':')));
    if (count == 3) throw UsageError(cat(name, ": the slice ", text, " has more than three parts"));
    if (!bound.empty()) {
      if (bound.front() == '+' && bound.size() > 1 && bound[1] != '-') bound.remove_prefix(1);
      std::int64_t value = 0;
      const auto end = std::from_chars(bound.data(), bound.data() + bound.size(), value);
      if (end.ptr != bound.data() + bound.size() || end.ec == std::errc::invalid_argument)
        throw UsageError(cat(name, ": \"", bound, "\" in the slice ", text, " is no integer"));
      if (end.ec == std::errc::result_out_of_range) value = bound.front() == '-' ? INT64_MIN : INT64_MAX;
      bounds[count] = value;
    }
    ++count;
    if (rest.find(':') == std::string_view::npos) break;
  }
  return numpy::Slice{bounds[0], bounds[1], bounds[2]};
}

}  // namespace

ConstTensorRef Values::file(const std::string& name) { return files_.emplace_back(name, progress_).view(); }

ConstTensorRef Values::literal(std::string_view name, const Literal& literal, Dtype dtype) {
  return std::as_const(literals_.emplace_back(to_tensor(name, literal, dtype)));
}

ConstTensorRef Values::indices(std::string_view name, std::string_view text) {
  const auto read = parse_literal(name, text);
  if (!read) return file(std::string(text));
  const bool is_mask = read->kind == LiteralKind::boolean && !read->values.empty();
  return literal(name, *read, read->dtype.value_or(is_mask ? Dtype::bool_ : Dtype::int64));
}

IndexKey Values::key(std::string_view name, std::string_view text, bool slices) {
  IndexKey key;
  for (const std::string_view part : split(text)) {
    if (part.empty()) throw UsageError(cat(name, ": the index ", printable(text), " has a comma without an index before it"));
    const auto bounds = slice(name, part);
    const bool is_axis = part == "None" || part == "newaxis";
    if (!slices && (bounds || is_axis || part == "..."))
      throw UsageError(cat(name, ": must be integers, lists or files, got ", printable(part)));
    if (bounds) {
      key.push_back(*bounds);
    } else if (part == "...") {
      key.push_back(numpy::Ellipsis{});
    } else if (is_axis) {
      key.push_back(numpy::NewAxis{});
    } else {
      const auto read = parse_literal(name, part);
      const auto number = read && !read->dtype ? to_number(*read) : std::nullopt;
      const bool is_integer = number && std::holds_alternative<std::int64_t>(*number),
                 is_flag = number && std::holds_alternative<bool>(*number);
      if (is_integer) key.push_back(std::get<std::int64_t>(*number));
      else if (is_flag && slices) key.push_back(std::get<bool>(*number));
      else key.push_back(indices(name, part));
    }
  }
  return key;
}

void Values::require_intact() const {
  for (const files::Input& file : files_) file.require_intact();
}

}  // namespace strew::cli
