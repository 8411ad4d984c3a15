// strew man: the manual page, made from the table of commands.
#include "base/text.h"
#include "commands.h"
#include "help.h"
#include "print.h"

namespace strew::cli {
using namespace internal;
namespace {

// Text as roff shows it unchanged.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool starts_line = escaped.empty() || escaped.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') escaped += "\\e";
    else if (c == '-') escaped += "\\-";
    else if (c == '\'') escaped += "\\(aq";
    else if (c == '`') escaped += "\\(ga";
    else if (c == '^') escaped += "\\(ha";
    else if (c == '~') escaped += "\\(ti";
    else escaped += c;
  }
  return escaped;
}

std::string bold(std::string_view text) { return cat("\\fB", roff(text), "\\fR"); }

// Each paragraph after the first begins with .PP.
std::string paragraphs(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find("\n\n"));
    shown += cat(shown.empty() ? "" : ".PP\n", roff(text.substr(0, end)), "\n");
    text.remove_prefix(std::min(text.size(), end + 2));
  }
  return shown;
}

std::string examples(std::span<const Sample> list) {
  std::string shown;
  for (const Sample& example : list) shown += cat(".TP\n", bold(example.line), "\n", roff(example.meaning), "\n");
  return shown;
}

std::string section_of(const Command& command) {
  std::string shown = cat(".SS ", roff(synopsis(command)), "\n", roff(command.summary), ".\n");
  if (!command.about.empty()) shown += cat(".PP\n", paragraphs(command.about));
  for (const Option& option : command.options) {
    shown += cat(".TP\n", bold(option.flags), option.value.empty() ? std::string() : cat(" \\fI", option.value, "\\fR"), "\n",
                 roff(option.help), ".\n");
  }
  return shown + examples(command.examples);
}

std::string upper(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return shown;
}

}  // namespace

int man(const Request&) {
  std::string page = cat(".TH STREW 1 \"\" \"strew ", STREW_VERSION,
                         "\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\nstrew \\- scatter and gather on files, "
                         "exactly as a framework does it\n.SH SYNOPSIS\n.B strew\n.I COMMAND\n.RI [ ARGUMENTS ]\n.SH DESCRIPTION\n",
                         roff(program_summary), "\n.SH EXAMPLES\n", examples(program_examples), ".SH COMMANDS\n");
  for (const Command& command : commands()) page += section_of(command);
  for (const Section& section : program_sections) page += cat(".SH ", upper(section.title), "\n", paragraphs(section.text));
  print(page);
  return 0;
}

}  // namespace strew::cli
