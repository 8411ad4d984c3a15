// The recorded answers of the frameworks, who is right when two disagree, and the list of cases where Strew differs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/case.h"
#include "harness/runner.h"

namespace strew::harness {

// All cases of one file, or of all files of a folder.
[[nodiscard]] std::vector<Case> read_cases(const std::filesystem::path& file);
[[nodiscard]] std::vector<Case> read_golden(const std::filesystem::path& folder);

enum class Rule : std::uint8_t {
  compare,    // the same bits, or an error where there was one
  no_error,   // the framework's own result is one of several
  no_rule,    // the framework only says that it has no kernel
  elsewhere,  // another record decides
};

// What counts for each case: ONNX Runtime decides over the reference evaluator unless it has no kernel or no fixed answer.
[[nodiscard]] std::vector<Rule> rules_of(const std::vector<Case>& cases);

// A case in which Strew answers otherwise than the framework, both answers in short.
struct Difference {
  std::string framework;
  std::string strew;
  bool operator==(const Difference&) const = default;
};
[[nodiscard]] std::optional<Difference> difference(const Case& c, Rule rule, const Answer& answer);

// The rows of docs/differences.md by case id. Throws std::runtime_error when a row is malformed or appears twice.
[[nodiscard]] std::map<std::string, Difference> read_differences(const std::filesystem::path& file);

// The sections of docs/differences.md for all cases that differ now; the reasons are left to the reader.
[[nodiscard]] std::string print_differences(const std::vector<Case>& cases, const Setup& setup);

}  // namespace strew::harness
