// The one table of commands: the parser, the help, the manual page and the completions are made from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strew::cli {

// What was typed after the name of the command.
struct Request {
  std::vector<std::string> words;  // arguments that are no options
  std::optional<std::string> output;  // -o
  bool force = false, quiet = false, json = false;
};

struct Option {
  std::string_view flags;  // as CLI11 writes them: "-o,--output"
  std::string_view value;  // a word for the value, or empty for a flag
  std::string_view help;
  std::optional<std::string> Request::*text = nullptr;  // where it is stored
  bool Request::*flag = nullptr;
};

// What the words of a command are, for completions.
enum class Words : std::uint8_t { none, call, question, dialect, shell };

struct Sample {
  std::string_view line, meaning;
};

struct Command {
  std::string_view name;
  std::string_view words;    // in the synopsis
  std::string_view summary;  // one line
  std::string_view about;    // paragraphs, separated by empty lines
  std::span<const Option> options;
  std::span<const Sample> examples;
  Words takes;
  int (*run)(const Request& request);  // returns the exit code
};

[[nodiscard]] std::span<const Command> commands();
// Null if there is none of that name.
[[nodiscard]] const Command* command_named(std::string_view name);

// Of the whole program: the sentence about it, the examples of its help, and the explanations of values and of exit codes.
extern const std::string_view program_summary;
extern const std::span<const Sample> program_examples;
struct Section {
  std::string_view title, text;
};
extern const std::span<const Section> program_sections;

}  // namespace strew::cli
