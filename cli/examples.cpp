// Runs the examples of a document, compares them bit by bit with what it says, and prints both.
#include "examples.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "print.h"
#include "strew/error.h"

namespace strew::cli {
using namespace internal;
namespace {

constexpr std::int64_t largest_shown = 64;
constexpr std::size_t width = 100;
constexpr std::string_view indent = "     ";

bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * size_of(a.dtype()))) == 0;
}

std::string type_text(const Tensor& tensor) { return cat(to_string(tensor.dtype()), " ", bracketed(tensor.shape())); }

std::string input_text(const Tensor& tensor, std::string_view start) {
  if (tensor.size() > largest_shown) return cat(type_text(tensor), ": ", summary(tensor));
  // Without elements the shape is what counts.
  if (tensor.size() == 0) return cat(nested(tensor), "   shape ", bracketed(tensor.shape()));
  const std::string line = nested(tensor);
  return start.size() + line.size() <= width ? line : rows(tensor, start);
}

void show_inputs(const Example& example) {
  std::size_t longest = 0;
  for (const Input& input : example.inputs) longest = std::max(longest, input.name.size());
  const std::string start(indent.size() + longest + 3, ' ');
  for (const Input& input : example.inputs)
    print(cat(indent, painted(Paint::dim, padded(input.name, longest)), " = ", input_text(input.tensor, start), "\n"));
}

void show_call(std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = words.find('\n');
    print(cat(indent, painted(Paint::bold, words.substr(0, end)), "\n"));
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
}

std::string result_text(const Tensor& result) { return result.size() > largest_shown ? summary(result) : rows(result, cat(indent, "  ")); }

// The result of every run, or what went wrong with the first that differs.
struct Outcome {
  std::string shown;
  bool documented = true;
};
Outcome outcome(const Example& example) {
  Outcome last;
  for (const Run& run : example.runs) {
    const std::string label = run.label.empty() ? std::string() : cat(run.label, ": ");
    try {
      const Tensor result = run.call(example.inputs);
      last = {cat(result_text(result), "   ", painted(Paint::dim, type_text(result))), same(result, example.expected)};
      if (!last.documented) last.shown = cat(label, last.shown, "\n", indent, "  expected ", result_text(example.expected));
    } catch (const Error& error) {
      last = {cat(label, error.what()), false};
    }
    if (!last.documented) break;
  }
  return last;
}

}  // namespace

int show(const Document& document) {
  print(cat("\n", painted(Paint::bold, document.dialect), "  ", document.name, "\n",
            std::string(document.dialect.size() + 2 + document.name.size(), '-'), "\n"));
  if (!document.note.empty()) print(cat("  Note: ", document.note, "\n"));
  int differing = 0, number = 0;
  for (const Example& example : document.examples) {
    const Outcome result = outcome(example);
    print(cat("\n  ", ++number, ". ", example.title, "\n"));
    show_inputs(example);
    show_call(example.words);
    print(cat(indent, "= ", result.shown, "\n", indent));
    print(result.documented ? painted(Paint::green, "as documented") : painted(Paint::red, "NOT as documented"));
    if (result.documented && example.runs.size() > 1) {
      std::string labels;
      for (const Run& run : example.runs) labels += cat(labels.empty() ? "" : ", ", run.label);
      print(cat(" at ", labels));
    }
    print(example.note.empty() ? std::string("\n") : cat("   (", example.note, ")\n"));
    differing += result.documented ? 0 : 1;
  }
  return differing;
}

Tensor filled(Dims shape, float value) {
  Tensor tensor(Dtype::float32, std::move(shape));
  std::ranges::fill(tensor.values<float>(), value);
  return tensor;
}

}  // namespace strew::cli
