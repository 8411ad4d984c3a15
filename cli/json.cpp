// Writes JSON.
#include "json.h"

#include <cmath>

#include "base/text.h"
#include "files/text.h"
#include "kernels/types.h"

namespace strew::cli {
using namespace internal;
namespace {

std::string element(bool value) { return cat(value); }
std::string element(std::integral auto value) { return cat(value); }
std::string element(std::floating_point auto value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  if (value == 0 && std::signbit(value)) return "-0.0";  // many readers take -0 for the integer 0
  return cat(value);
}
std::string element(HalfLike auto value) { return element(to_float(value)); }
template <class T>
std::string element(std::complex<T> value) {
  return cat("[", element(value.real()), ",", element(value.imag()), "]");
}
std::string element(const std::string& value) { return quoted_json(value); }

template <class T>
void nest(std::string& text, std::span<const T> values, std::span<const std::int64_t> shape) {
  if (shape.empty()) return append(text, element(values.front()));
  append(text, '[');
  const std::size_t parts = static_cast<std::size_t>(shape.front());
  const std::size_t size = parts == 0 ? 0 : values.size() / parts;
  for (std::size_t i = 0; i < parts; ++i) {
    if (i > 0) append(text, ',');
    nest(text, values.subspan(i * size, size), shape.subspan(1));
  }
  append(text, ']');
}

}  // namespace

std::string quoted_json(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::string_view before = text;
    const auto code = files::take_character(text);
    if (!code) text.remove_prefix(1);
    if (!code) quoted += "\\ufffd";
    else if (files::is_control(*code)) quoted += cat("\\u", files::hexadecimal(*code));
    else if (*code == '"' || *code == '\\') quoted += cat('\\', before.front());
    else quoted += before.substr(0, before.size() - text.size());
  }
  return quoted + "\"";
}

JsonObject& JsonObject::number(std::string_view name, std::int64_t value) { return raw(name, cat(value)); }
JsonObject& JsonObject::dims(std::string_view name, std::span<const std::int64_t> value) { return raw(name, bracketed(value)); }
JsonObject& JsonObject::raw(std::string_view name, std::string_view value) {
  text_ += cat(text_.empty() ? "{" : ", ", quoted_json(name), ": ", value);
  return *this;
}

std::string error_object(const Error& error, bool is_usage) {
  JsonObject object;
  object.text("code", is_usage ? "usage" : to_string(error.code())).text("message", error.what());
  if (const auto& bad = error.bad_index()) {
    JsonObject index;
    index.number("value", bad->value).dims("position", bad->position).number("axis", bad->axis).number("extent", bad->extent);
    object.raw("bad_index", index.number("count", bad->count).str());
  }
  return object.str();
}

std::string error_json(const Error& error, bool is_usage) {
  return cat(JsonObject().raw("error", error_object(error, is_usage)).str(), "\n");
}

std::string values_json(const Tensor& tensor) {
  if (tensor.size() == 0) return "[]";  // shape [2^40, 0] would be long
  std::string text;
  const std::span<const std::int64_t> shape(tensor.shape().begin(), tensor.shape().size());
  const auto nest_values = [&]<class T>(Tag<T>) { nest(text, tensor.values<T>(), shape); };
  if (tensor.dtype() == Dtype::string) nest_values(Tag<std::string>{});
  visit_dtype(Numbers{}, tensor.dtype(), nest_values);
  return text;
}

}  // namespace strew::cli
