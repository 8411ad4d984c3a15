// One input a row, one dialect a column. What a dialect cannot say, and what it refuses, is explained below the table.
#include "disagreements.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "print.h"
#include "strew/strew.h"

namespace strew::cli {
using namespace internal;
namespace {

constexpr std::string_view dialects[] = {"tensorflow", "pytorch", "paddle", "onnx", "directml"};
constexpr std::size_t title_width = 30, cell_width = 14, table_width = 100;

// A call of one dialect, or the reason why it has none.
struct Cell {
  std::string_view op;
  std::function<Tensor()> call;
  std::string_view reason = {};
};
Cell none(std::string_view reason) { return {{}, {}, reason}; }

struct Row {
  std::string_view title;
  std::string_view input;
  Cell cells[std::size(dialects)];
};

// The same values for every dialect. Indices are int64, which all take; along an axis they are `index`, as tuples `index_nd`.
Tensor ints(std::initializer_list<std::int32_t> values) { return Tensor(values, {static_cast<std::int64_t>(values.size())}); }
Tensor floats(std::initializer_list<float> values) { return Tensor(values, {static_cast<std::int64_t>(values.size())}); }
Tensor index(std::initializer_list<std::int64_t> values) { return Tensor(values, {static_cast<std::int64_t>(values.size())}); }
Tensor index_nd(std::initializer_list<std::int64_t> values) { return Tensor(values, {static_cast<std::int64_t>(values.size()), 1}); }

constexpr std::string_view only_replaces = "directml only replaces; it has no reduction";

Row depth_zero() {
  const auto x = [] { return Tensor({65, 17, -14, -25}, {2, 2}); };
  const auto tuples = [] { return Tensor(Dtype::int64, {2, 0}); };
  const auto updates = [] { return Tensor({-1, -2, 1, 2, 3, 4, -3, -4}, {2, 2, 2}); };
  return {"index depth 0, added",
          "65 17 -14 -25, 2 empty tuples",
          {{"tensor_scatter_nd_add", [=] { return tensorflow::tensor_scatter_nd_add(x(), tuples(), updates()); }},
           none("pytorch has no index tuples"),
           {"scatter_nd_add", [=] { return paddle::scatter_nd_add(x(), tuples(), updates()); }},
           {"scatter_nd", [=] { return onnx::scatter_nd(x(), tuples(), updates(), {.reduction = "add"}); }},
           {"scatter_nd", [=] { return directml::scatter_nd(x(), tuples(), updates()); }}}};
}

// [1, 2, 3] with one element replaced by 9.
Row replace(std::string_view title, std::string_view input, std::int64_t at) {
  const auto x = [] { return ints({1, 2, 3}); };
  const auto nine = [] { return ints({9}); };
  return {title,
          input,
          {{"tensor_scatter_nd_update", [=] { return tensorflow::tensor_scatter_nd_update(x(), index_nd({at}), nine()); }},
           {"scatter", [=] { return pytorch::scatter(x(), 0, index({at}), nine()); }},
           {"put_along_axis", [=] { return paddle::put_along_axis(x(), index({at}), nine(), 0); }},
           {"scatter_elements", [=] { return onnx::scatter_elements(x(), index({at}), nine()); }},
           {"scatter_nd", [=] { return directml::scatter_nd(x(), index_nd({at}), nine()); }}}};
}

Row replace_leniently() {
  const auto x = [] { return ints({1, 2, 3}); };
  const auto nine = [] { return ints({9}); };
  return {
      "out of range, lenient mode",
      "the same with IGNORE or clamp",
      {{"tensor_scatter_nd_update",
        [=] { return tensorflow::tensor_scatter_nd_update(x(), index_nd({7}), nine(), {.bad_indices_policy = "IGNORE"}); }},
       none("only tensorflow and directml have such a mode"),
       none("only tensorflow and directml have such a mode"),
       none("only tensorflow and directml have such a mode"),
       {"scatter_nd", [=] { return directml::scatter_nd(x(), index_nd({7}), nine(), {.options = {.out_of_range = OutOfRange::clamp}}); }}}};
}

Row duplicates() {
  const auto x = [] { return ints({0, 0, 0}); };
  const auto updates = [] { return ints({5, 7}); };
  return {"duplicates, replaced",
          "0 0 0, index 1 1 <- 5 7",
          {{"tensor_scatter_nd_update",
            [=] {
              return tensorflow::tensor_scatter_nd_update(x(), index_nd({1, 1}), updates());
            }},
           {"scatter",
            [=] {
              return pytorch::scatter(x(), 0, index({1, 1}), updates());
            }},
           {"scatter",
            [=] {
              return paddle::scatter(x(), index({1, 1}), updates());
            }},
           {"scatter_elements",
            [=] {
              return onnx::scatter_elements(x(), index({1, 1}), updates());
            }},
           {"scatter_nd", [=] {
              return directml::scatter_nd(x(), index_nd({1, 1}), updates());
            }}}};
}

Row half_sum() {
  const auto x = [] { return Tensor({to_half(2048)}, {1}); };
  const auto ones = [] { return Tensor({to_half(1), to_half(1), to_half(1), to_half(1)}, {4}); };
  return {"float16 sum",
          "2048 + 1 + 1 + 1 + 1",
          {{"tensor_scatter_nd_add",
            [=] {
              return tensorflow::tensor_scatter_nd_add(x(), index_nd({0, 0, 0, 0}), ones());
            }},
           {"scatter_add",
            [=] {
              return pytorch::scatter_add(x(), 0, index({0, 0, 0, 0}), ones());
            }},
           {"index_add",
            [=] {
              return paddle::index_add(x(), index({0, 0, 0, 0}), 0, ones());
            }},
           {"scatter_elements",
            [=] {
              return onnx::scatter_elements(x(), index({0, 0, 0, 0}), ones(), {.reduction = "add"});
            }},
           none(only_replaces)}};
}

Row largest(std::string_view title, std::string_view input, float existing, float update) {
  const auto x = [=] { return floats({existing}); };
  const auto updates = [=] { return floats({update}); };
  return {title,
          input,
          {{"tensor_scatter_nd_max", [=] { return tensorflow::tensor_scatter_nd_max(x(), index_nd({0}), updates()); }},
           {"scatter_reduce", [=] { return pytorch::scatter_reduce(x(), 0, index({0}), updates(), "amax"); }},
           {"put_along_axis", [=] { return paddle::put_along_axis(x(), index({0}), updates(), 0, {.reduce = "amax"}); }},
           {"scatter_elements", [=] { return onnx::scatter_elements(x(), index({0}), updates(), {.reduction = "max"}); }},
           none(only_replaces)}};
}

Row integer_mean() {
  const auto x = [] { return ints({100}); };
  const auto updates = [] { return ints({-3, 0}); };
  return {"integer mean, without self",
          "100, index 0 0 <- -3 0",
          {none("tensorflow and onnx have no mean"),
           {"scatter_reduce",
            [=] {
              return pytorch::scatter_reduce(x(), 0, index({0, 0}), updates(), "mean", false);
            }},
           {"put_along_axis",
            [=] {
              return paddle::put_along_axis(x(), index({0, 0}), updates(), 0, {.reduce = "mean", .include_self = false});
            }},
           none("tensorflow and onnx have no mean"),
           none(only_replaces)}};
}

Row larger_updates() {
  const auto x = [] { return ints({0, 0, 0}); };
  const auto updates = [] { return ints({5, 6}); };
  return {"updates larger than indices",
          "0 0 0, index 1 <- 5 6",
          {{"tensor_scatter_nd_update", [=] { return tensorflow::tensor_scatter_nd_update(x(), index_nd({1}), updates()); }},
           {"scatter", [=] { return pytorch::scatter(x(), 0, index({1}), updates()); }},
           {"scatter", [=] { return paddle::scatter(x(), index({1}), updates()); }},
           {"scatter_elements", [=] { return onnx::scatter_elements(x(), index({1}), updates()); }},
           {"scatter_nd", [=] { return directml::scatter_nd(x(), index_nd({1}), updates()); }}}};
}

Row accumulate() {
  const auto x = [] { return ints({10, 20}); };
  const auto updates = [] { return ints({1, 2}); };
  return {"accumulate: is the old kept?",
          "10 20, index 0 0 <- 1 2",
          {{"tensor_scatter_nd_add",
            [=] {
              return tensorflow::tensor_scatter_nd_add(x(), index_nd({0, 0}), updates());
            }},
           {"scatter_add",
            [=] {
              return pytorch::scatter_add(x(), 0, index({0, 0}), updates());
            }},
           {"scatter(overwrite=False)",
            [=] {
              return paddle::scatter(x(), index({0, 0}), updates(), false);
            }},
           {"scatter_elements",
            [=] {
              return onnx::scatter_elements(x(), index({0, 0}), updates(), {.reduction = "add"});
            }},
           none(only_replaces)}};
}

std::vector<Row> table() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Row> rows;
  rows.push_back(depth_zero());
  rows.push_back(replace("index -1", "1 2 3, index -1 <- 9", -1));
  rows.push_back(replace("index out of range", "1 2 3, index 7 <- 9", 7));
  rows.push_back(replace_leniently());
  rows.push_back(duplicates());
  rows.push_back(half_sum());
  rows.push_back(largest("max, NaN is there", "NaN, index 0 <- 1", nan, 1));
  rows.push_back(largest("max, NaN comes", "1, index 0 <- NaN", 1, nan));
  rows.push_back(integer_mean());
  rows.push_back(larger_updates());
  rows.push_back(accumulate());
  return rows;
}

// Reasons and errors below the table, each once.
class Footnotes {
 public:
  std::string mark(const std::string& text) {
    const auto found = std::find(texts_.begin(), texts_.end(), text);
    const auto number = found - texts_.begin() + 1;
    if (found == texts_.end()) texts_.push_back(text);
    return cat(" (", number, ")");
  }
  void show() const {
    for (std::size_t i = 0; i < texts_.size(); ++i)
      print(cat(shortened(cat(i < 9 ? "  (" : " (", i + 1, ") ", texts_[i]), table_width), "\n"));
  }

 private:
  std::vector<std::string> texts_;
};

// The dialect and the framework's sentence: without the operator, the position of a bad index and the value received.
std::string sentence_of(std::string_view dialect, const Error& error) {
  std::string_view message = error.what();
  message.remove_prefix(std::min(message.size(), message.find(": ") + 2));
  if (error.bad_index()) message = message.substr(0, message.rfind(" ("));
  for (const std::string_view end : {", got ", ". "}) message = message.substr(0, message.find(end));
  return cat(dialect, ": ", message);
}

std::string cell_text(std::string_view dialect, const Cell& cell, Footnotes& notes) {
  if (!cell.call) return painted(Paint::dim, padded(cat("n/a", notes.mark(std::string(cell.reason))), cell_width));
  try {
    return padded(flat(cell.call()), cell_width);
  } catch (const Error& error) {
    return painted(Paint::red, padded(cat("error", notes.mark(sentence_of(dialect, error))), cell_width));
  }
}

void show_operators(const std::vector<Row>& rows) {
  print("\n  Computed by\n");
  for (std::size_t d = 0; d < std::size(dialects); ++d) {
    std::vector<std::string_view> names;
    for (const Row& row : rows) {
      const std::string_view op = row.cells[d].op;
      if (!op.empty() && std::find(names.begin(), names.end(), op) == names.end()) names.push_back(op);
    }
    std::string text;
    for (const std::string_view op : names) text += cat(text.empty() ? "" : ", ", op);
    print(cat("    ", padded(dialects[d], 11), text, "\n"));
  }
}

}  // namespace

void show_disagreements() {
  print(cat("\n\n", painted(Paint::bold, "Where the five agree and where they do not: the same input, in each dialect"), "\n\n"));
  std::string head = padded("", title_width);
  for (const std::string_view dialect : dialects) head += padded(dialect, cell_width);
  print(cat(painted(Paint::bold, head.substr(0, head.find_last_not_of(' ') + 1)), "\n", std::string(table_width, '-'), "\n"));

  const std::vector<Row> rows = table();
  Footnotes notes;
  for (const Row& row : rows) {
    std::string line = padded(row.title, title_width);
    for (std::size_t d = 0; d < std::size(dialects); ++d) line += cell_text(dialects[d], row.cells[d], notes);
    line.erase(line.find_last_not_of(' ') + 1);
    print(cat(line, "\n", painted(Paint::dim, cat("  ", row.input)), "\n"));
  }
  print(cat(std::string(table_width, '-'), "\n"));
  notes.show();
  print("\n  Which duplicate wins is open in pytorch, onnx and directml; in Strew it is the last.\n");
  show_operators(rows);
}

}  // namespace strew::cli
