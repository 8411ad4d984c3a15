// The help: examples first.
#include "help.h"

#include <algorithm>

#include "base/text.h"
#include "print.h"

namespace strew::cli {
using namespace internal;
namespace {

std::string shown_flags(const Option& option) {
  std::string flags(option.flags);
  const std::size_t comma = flags.find(',');
  if (comma != std::string::npos) flags.insert(comma + 1, " ");
  return option.value.empty() ? flags : cat(flags, " ", option.value);
}

// Paragraphs, each wrapped and indented.
std::string paragraphs(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find("\n\n"));
    shown += cat("  ", wrapped(text.substr(0, end), 2));
    text.remove_prefix(std::min(text.size(), end + 2));
    if (!text.empty()) shown += "\n";
  }
  return shown;
}

std::string example_lines(std::span<const Sample> examples) {
  std::string shown;
  for (const Sample& example : examples) shown += cat("  ", example.line, "\n      ", wrapped(example.meaning, 6));
  return shown;
}

}  // namespace

std::string synopsis(const Command& command) {
  std::string text = cat("strew ", command.name);
  if (!command.words.empty()) text += cat(" ", command.words);
  for (const Option& option : command.options) {
    const std::string_view flag = option.flags.substr(0, option.flags.find(','));
    text += option.value.empty() ? cat(" [", flag, "]") : cat(" [", flag, " ", option.value, "]");
  }
  return text;
}

std::string command_help(const Command& command) {
  std::string text = cat(command.summary, "\n\n");
  if (!command.examples.empty()) text += cat("Examples:\n", example_lines(command.examples), "\n");
  text += cat("Usage:\n  ", wrapped(synopsis(command), 6), "\n");
  if (!command.about.empty()) text += cat(paragraphs(command.about), "\n");
  text += "Options:\n";
  for (const Option& option : command.options) text += cat("  ", padded(shown_flags(option), 20), "  ", wrapped(option.help, 24));
  return text + cat("  ", padded("-h, --help", 20), "  Print this help\n");
}

std::string program_help() {
  std::string text =
      cat(program_summary, "\n\nExamples:\n", example_lines(program_examples), "\nCommands (strew COMMAND --help says more):\n");
  for (const Command& command : commands()) text += cat("  ", padded(command.name, 12), wrapped(command.summary, 14));
  for (const Section& section : program_sections) text += cat("\n", section.title, ":\n", paragraphs(section.text));
  return text + "\nOptions:\n  -h, --help  Print this help\n  --version   Print the version\n";
}

}  // namespace strew::cli
