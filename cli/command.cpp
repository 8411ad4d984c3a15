// Parses the command line, runs a command, and turns errors into sentences and exit codes.
#include "command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/text.h"
#include "commands.h"
#include "files/error.h"
#include "files/fault.h"
#include "help.h"
#include "json.h"
#include "print.h"
#include "usage.h"

namespace strew::cli {
namespace {

using internal::cat;

enum Exit : std::uint8_t { done = 0, refused = 1, wrong = 2 };

// A sentence may repeat words of the command line.
void print_error(const std::string& sentence) {
  std::fputs(cat("strew: ", files::printable(sentence, sentence.size()), "\n").c_str(), stderr);
}

// Fills a request from the words after the command's name. No value after --help, which is printed.
std::optional<Request> parse(const Command& command, std::span<const std::string> words) {
  Request request;
  CLI::App app;
  app.add_option("words", request.words);
  for (const Option& option : command.options) {
    const auto store = [&request, &option](const std::string& value) { request.*option.text = value; };
    if (option.text != nullptr) app.add_option_function<std::string>(std::string(option.flags), store);
    else app.add_flag(std::string(option.flags), request.*option.flag);
  }
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    print(command_help(command));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(cat(command.name, ": ", error.what(), " (see strew ", command.name, " --help)"));
  }
  if (command.takes == Words::none && !request.words.empty())
    throw UsageError(cat(command.name, " takes no \"", files::printable(request.words.front()), "\""));
  return request;
}

const Command& command_of(const std::string& name) {
  if (const Command* const command = command_named(name)) return *command;
  std::string names;
  for (const Command& command : commands()) names += cat(names.empty() ? "" : ", ", command.name);
  throw UsageError(cat("there is no command \"", files::printable(name), "\"; there are ", names, " (see strew --help)"));
}

int run_command(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    print(program_help());
    return done;
  }
  if (arguments[0] == "--version") {
    print("strew " STREW_VERSION "\n");
    return done;
  }
  if (arguments[0] == complete_command) return complete(arguments.subspan(1));
  const Command& command = command_of(arguments[0]);
  const std::optional<Request> request = parse(command, arguments.subspan(1));
  return request ? command.run(*request) : static_cast<int>(done);
}

int report(const Error& error, bool as_json, Exit code) {
  print_error(error.what());
  if (as_json) print(error_json(error, code == wrong));
  return code;
}

}  // namespace

int command(std::span<const std::string> arguments) noexcept {
  int code = done;
  try {
    const files::FaultHandler faults;
    const bool as_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    try {
      code = run_command(arguments);
    } catch (const UsageError& error) {
      code = report(error, as_json, wrong);
    } catch (const files::FileError& error) {
      code = report(error, as_json, wrong);
    } catch (const Error& error) {
      code = report(error, as_json, refused);
    }
  } catch (const std::exception& error) {
    std::fputs("strew: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    code = refused;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("strew: the output could not be written\n", stderr);
    return wrong;
  }
  return code;
}

}  // namespace strew::cli
