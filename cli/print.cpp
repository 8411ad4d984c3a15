// Text for people: colours, tensors, columns.
#include "print.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "json.h"
#include "kernels/types.h"

namespace strew::cli {
using namespace internal;
namespace {

bool has_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(STDOUT_FILENO) != 0 && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
}

std::string text_of(std::integral auto value) { return cat(value); }
std::string text_of(std::floating_point auto value) {
  if (std::isnan(value)) return "NaN";
  std::string text = cat(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}
std::string text_of(HalfLike auto value) { return text_of(to_float(value)); }
template <class T>
std::string text_of(std::complex<T> value) {
  const std::string imaginary = cat(value.imag());
  return cat(value.real(), imaginary.starts_with('-') ? "" : "+", imaginary, "j");
}
std::string text_of(const std::string& value) { return quoted_json(value); }

std::vector<std::string> element_texts(const Tensor& tensor) {
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < tensor.size(); ++i) texts.push_back(cli::element_text(tensor, i));
  return texts;
}

// The axes from `axis` on, starting at element `first`. Rows are kept on one line if `indent` is null.
std::string brackets(const std::vector<std::string>& texts, const Dims& shape, std::size_t axis, std::size_t first,
                     const std::string* indent) {
  if (axis == shape.size()) return texts[first];
  std::size_t step = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) step *= static_cast<std::size_t>(shape[d]);
  const bool breaks = indent != nullptr && axis + 1 < shape.size();
  std::string text = "[";
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape[axis]); ++i) {
    if (i > 0) text += breaks ? cat(",\n", *indent, std::string(axis + 1, ' ')) : ", ";
    text += brackets(texts, shape, axis + 1, first + i * step, indent);
  }
  return text + "]";
}

}  // namespace

std::string painted(Paint paint, std::string_view text) {
  static const bool colour = has_colour();
  constexpr std::string_view codes[] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[31m"};
  if (!colour || paint == Paint::plain) return std::string(text);
  return cat(codes[static_cast<std::size_t>(paint)], text, "\033[0m");
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string element_text(const Tensor& tensor, std::int64_t i) {
  std::string text;
  const auto take = [&]<class T>(Tag<T>) { text = text_of(tensor.values<T>()[static_cast<std::size_t>(i)]); };
  if (tensor.dtype() == Dtype::string) take(Tag<std::string>{});
  visit_dtype(Numbers{}, tensor.dtype(), take);
  return text;
}

std::string nested(const Tensor& tensor) { return brackets(element_texts(tensor), tensor.shape(), 0, 0, nullptr); }

std::string rows(const Tensor& tensor, std::string_view indent) {
  std::vector<std::string> texts = element_texts(tensor);
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  if (tensor.shape().size() > 1) {
    for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
  }
  const std::string start(indent);
  return brackets(texts, tensor.shape(), 0, 0, &start);
}

std::string flat(const Tensor& tensor) {
  std::string text;
  for (const std::string& element : element_texts(tensor)) text += cat(text.empty() ? "" : " ", element);
  return text;
}

std::string summary(const Tensor& tensor) {
  const std::vector<std::string> texts = element_texts(tensor);
  const auto count = [&](std::string_view text) { return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text)); };
  const std::size_t ones = count("1.0"), zeros = count("0.0"), all = texts.size();
  if (ones == all || zeros == all) return ones == all ? "all ones" : "all zeros";
  return cat(ones, " ones, ", zeros, " zeros", ones + zeros == all ? std::string() : cat(", ", all - ones - zeros, " others"));
}

std::string wrapped(std::string_view text, std::size_t begin) {
  constexpr std::size_t width = 100;
  std::string lines;
  std::size_t column = begin;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool first = column == begin, fits = column + word.size() + (first ? 0 : 1) <= width;
    if (!first) lines += fits ? " " : cat("\n", std::string(begin, ' '));
    column = (first ? begin : fits ? column + 1 : begin) + word.size();
    lines += word;
  }
  return cat(lines, "\n");
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  if (result.size() < width) result.append(width - result.size(), ' ');
  return result;
}

std::string shortened(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  text.resize(width - 3);
  return text + "...";
}

}  // namespace strew::cli
