// Reads golden files and docs/differences.md, and judges answers by them.
#include "harness/golden.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "harness/case_json.h"

namespace strew::harness {
using namespace internal;
namespace {

// Fit for a cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\t') text[i] = ' ';
    if (text[i] == '|') text[i] = '/';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// The first `limit` bytes of a text, without half a character at the end.
std::string shortened(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string error_cell(const std::string& message) { return cell("error: " + shortened(message, 60)); }
std::string result_cell(const Values& values) { return cell(text(values, 12)); }

std::string answer_cell(const Answer& answer) { return answer.result ? result_cell(*answer.result) : error_cell(answer.message); }
std::string recorded_cell(const Case& c) { return c.result ? result_cell(*c.result) : error_cell(*c.error); }

// The id without the system: the same for the two ONNX systems.
std::string suffix(const Case& c) { return c.id.substr(c.id.find('/') + 1); }

std::string kind_of(const Case& c, const Answer& answer) {
  const std::string answers = cat(c.result ? "a result" : "an error", ", Strew ", answer.result ? "a result" : "an error");
  return cat(c.system, " ", c.op, ": ", answers, c.overruled.empty() ? "" : cat(" (overruled: ", c.overruled, ")"));
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::size_t begin = 1;
  for (std::size_t bar = row.find('|', begin); bar != std::string::npos; bar = row.find('|', begin)) {
    std::string text = row.substr(begin, bar - begin);
    text.erase(0, text.find_first_not_of(' ') == std::string::npos ? text.size() : text.find_first_not_of(' '));
    while (!text.empty() && text.back() == ' ') text.pop_back();
    cells.push_back(std::move(text));
    begin = bar + 1;
  }
  return cells;
}

}  // namespace

std::vector<Case> read_cases(const std::filesystem::path& file) {
  std::ifstream lines(file);
  if (!lines) throw std::runtime_error("cannot read " + file.string());
  std::vector<Case> cases;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) cases.push_back(parse_case(line));
  }
  return cases;
}

std::vector<Case> read_golden(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> all;
  for (const std::filesystem::path& file : files) {
    for (Case& c : read_cases(file)) all.push_back(std::move(c));
  }
  return all;
}

std::vector<Rule> rules_of(const std::vector<Case>& cases) {
  std::set<std::string> runtime_decides;
  for (const Case& c : cases) {
    if (c.system == "onnxruntime" && !c.unsupported && !c.unspecified) runtime_decides.insert(suffix(c));
  }
  std::vector<Rule> rules;
  for (const Case& c : cases) {
    const bool overtaken = c.system == "onnx_reference" && runtime_decides.contains(suffix(c));
    rules.push_back(c.disputed || overtaken     ? Rule::elsewhere
                    : c.unsupported             ? Rule::no_rule
                    : c.unspecified && c.result ? Rule::no_error
                                                : Rule::compare);
  }
  return rules;
}

std::optional<Difference> difference(const Case& c, Rule rule, const Answer& answer) {
  const bool agrees = rule == Rule::no_rule || rule == Rule::elsewhere    ? true
                      : rule == Rule::no_error                            ? answer.result.has_value()
                      : c.result.has_value() && answer.result.has_value() ? same(*c.result, *answer.result)
                                                                          : c.result.has_value() == answer.result.has_value();
  if (agrees) return std::nullopt;
  return Difference{recorded_cell(c), answer_cell(answer)};
}

std::map<std::string, Difference> read_differences(const std::filesystem::path& file) {
  std::map<std::string, Difference> listed;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    // Rows of the case tables start with an id, which has a slash; headers and other tables do not.
    if (!line.starts_with("| ") || line.find('/') == std::string::npos) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty() || cells[0].find('/') == std::string::npos || cells[0].find(' ') != std::string::npos) continue;
    if (cells.size() != 3) throw std::runtime_error("differences: not three cells: " + line);
    if (!listed.emplace(cells[0], Difference{cells[1], cells[2]}).second)
      throw std::runtime_error("differences: listed twice: " + cells[0]);
  }
  return listed;
}

std::string print_differences(const std::vector<Case>& cases, const Setup& setup) {
  const std::vector<Rule> rules = rules_of(cases);
  std::map<std::string, std::string> sections;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Answer answer = run_case(cases[i], setup);
    if (const auto found = difference(cases[i], rules[i], answer)) {
      sections[kind_of(cases[i], answer)] += cat("| ", cases[i].id, " | ", found->framework, " | ", found->strew, " |\n");
    }
  }
  std::string page;
  for (const auto& [title, rows] : sections)
    page += cat("## ", title, "\n\n| case | framework | Strew |\n| --- | --- | --- |\n", rows, "\n");
  return page;
}

}  // namespace strew::harness
