// strew_cases: runs recorded cases, makes new ones, and lists where Strew differs from the frameworks.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "dialects/registry.h"
#include "harness/case_json.h"
#include "harness/executor.h"
#include "harness/generator.h"
#include "harness/golden.h"
#include "harness/runner.h"

namespace {

using namespace strew;
using namespace strew::harness;

constexpr const char* usage =
    "strew_cases run FILE...                                      answers appended to the cases of golden files\n"
    "strew_cases generate --count N --seed S [--op NAME]          random cases for each operator, of a dialect, or for one (dialect.name)\n"
    "strew_cases differences                                      rows for docs/differences.md\n"
    "  --block N  --strategy NAME  --executor threads             how to run; never what comes out\n"
    "  --golden DIR                                               where the golden files are\n";

struct Command {
  std::string verb;
  std::vector<std::string> files;
  Setup setup;
  std::string strategy;
  std::string op;
  std::string golden = STREW_TESTS_DIR "/golden";
  std::uint64_t seed = 1;
  std::int64_t count = 1000;
  bool threads = false;
};

Command parse(int argc, char** argv) {
  Command command;
  const auto number = [](const std::string& text) {
    char* end = nullptr;
    const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0') throw std::runtime_error("not a number: " + text);
    return value;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw std::runtime_error(word + " needs a value");
      return std::string(argv[++i]);
    };
    if (word == "--count") command.count = static_cast<std::int64_t>(number(value()));
    else if (word == "--seed") command.seed = number(value());
    else if (word == "--op") command.op = value();
    else if (word == "--golden") command.golden = value();
    else if (word == "--block") command.setup.options.block_points = static_cast<std::int64_t>(number(value()));
    else if (word == "--strategy") command.strategy = value();
    else if (word == "--executor") command.threads = value() == "threads";
    else if (word.starts_with("--")) throw std::runtime_error("no option " + word);
    else if (command.verb.empty()) command.verb = word;
    else command.files.push_back(word);
  }
  return command;
}

// Runs a case and prints it; a call that damaged memory ends the program with what it did.
void answer_and_print(const Case& c, const Setup& setup) {
  const Answer answer = run_case(c, setup);
  if (!answer.damage.empty()) throw std::runtime_error(c.id + ": " + answer.damage);
  std::cout << print_case(c, &answer) << '\n';
}

void generate_all(const Command& command) {
  bool found = false;
  for (const OperatorForm& form : operator_forms()) {
    if (!command.op.empty() && command.op != form.full_name() && command.op != form.op->dialect) continue;
    found = true;
    for (std::int64_t i = 0; i < command.count; ++i) answer_and_print(generate_case(form, command.seed, i), command.setup);
  }
  if (!found) throw std::runtime_error("no operator " + command.op);
}

int run_command(Command command) {
  ThreadExecutor executor(4);
  command.setup.options.strategy = command.strategy;
  if (command.threads) command.setup.options.executor = executor.get();
  if (command.verb == "run") {
    for (const std::string& file : command.files) {
      for (const Case& c : read_cases(file)) answer_and_print(c, command.setup);
    }
  } else if (command.verb == "generate") {
    std::cerr << "seed " << command.seed << '\n';
    generate_all(command);
  } else if (command.verb == "differences") {
    std::cout << print_differences(read_golden(command.golden), command.setup);
  } else {
    std::cerr << usage;
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    return run_command(parse(argc, argv));
  } catch (const std::exception& failure) {
    std::cout << std::flush;
    std::cerr << "strew_cases: " << failure.what() << '\n';
    return 1;
  }
}
