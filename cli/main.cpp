// The strew command: arguments in, exit code out.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "base/text.h"
#include "commands.h"

namespace {

using strew::internal::cat;

constexpr const char* about = R"(Strew: scatter with the exact behaviour of five frameworks.

Examples:
  strew demo           the documents' own examples, then where the five disagree
  strew list           every operator with its arguments, defaults and dtypes
  strew list onnx      those of one dialect
)";

// CLI11 says of an unknown command only that an argument was not expected.
bool is_known(const CLI::App& app, std::string_view word) {
  std::string commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return true;
    commands += cat(commands.empty() ? "" : ", ", command->get_name());
  }
  std::fputs(cat("strew: there is no command \"", word, "\"; there are ", commands, " (see strew --help)\n").c_str(), stderr);
  return false;
}

int run(int count, char** arguments) {
  CLI::App app(about, "strew");
  app.set_version_flag("--version", "strew " STREW_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(24);
  const CLI::App* const demo = app.add_subcommand("demo", "The documents' examples and the table of disagreements");
  CLI::App* const list = app.add_subcommand("list", "Operators with arguments, defaults and dtypes");
  std::string dialect;
  list->add_option("dialect", dialect, cat("One of ", strew::cli::dialect_names(), "; all if left out"));

  if (count > 1 && arguments[1][0] != '-' && !is_known(app, arguments[1])) return 2;
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (demo->parsed()) return strew::cli::demo();
  if (list->parsed()) return strew::cli::list(dialect);
  std::fputs(app.help().c_str(), stdout);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  int code = 0;
  try {
    code = run(count, arguments);
  } catch (const std::exception& error) {
    std::fputs(cat("strew: ", error.what(), "\n").c_str(), stderr);
    code = 1;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("strew: the output could not be written\n", stderr);
    return 1;
  }
  return code;
}
