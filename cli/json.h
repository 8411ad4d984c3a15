// Text for programs.
#pragma once

#include <string>
#include <string_view>

#include "strew/error.h"
#include "strew/tensor.h"

namespace strew::cli {

// A string in quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string quoted_json(std::string_view text);

// An object, field after field.
class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) { return raw(name, quoted_json(value)); }
  JsonObject& number(std::string_view name, std::int64_t value);
  JsonObject& dims(std::string_view name, std::span<const std::int64_t> value);
  // A value that is JSON already.
  JsonObject& raw(std::string_view name, std::string_view value);
  [[nodiscard]] std::string str() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

// The code, the message and the bad index of an error. The code of one about a file or the command line is "usage".
[[nodiscard]] std::string error_object(const Error& error, bool is_usage);

// {"error": ...}, as the answer of a command.
[[nodiscard]] std::string error_json(const Error& error, bool is_usage);

// The elements as nested lists. Infinities and NaN, which JSON lacks, are strings; a complex number is a list of two.
[[nodiscard]] std::string values_json(const Tensor& tensor);

}  // namespace strew::cli
