// strew completions: scripts for shells. They ask the command itself for candidates, so that they are never out of date.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "call.h"
#include "commands.h"
#include "print.h"
#include "usage.h"

namespace strew::cli {
using namespace internal;
namespace {

// In bash, = and : separate words; the candidates replace what follows the last of them.
constexpr std::string_view bash = R"(_strew() {
  local line=${COMP_LINE:0:COMP_POINT} words word candidate
  read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  word=${words[-1]}
  local prefix=${word%"${word##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ $candidate == *'<file>' ]]; then
      compopt -o filenames -o nospace 2> /dev/null
      while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "${word#"$prefix"}")
    else
      [[ $candidate == *= || $candidate == *. ]] && compopt -o nospace 2> /dev/null
      COMPREPLY+=("${candidate#"$prefix"}")
    fi
  done < <("${words[0]}" __complete "${words[@]:1}" 2> /dev/null)
}
complete -F _strew strew ./strew
)";

constexpr std::string_view zsh = R"(#compdef strew
_strew() {
  local -a candidates plain open
  local candidate
  candidates=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  for candidate in $candidates; do
    if [[ $candidate == *'<file>' ]]; then
      compset -P '*='
      _files
    elif [[ $candidate == *= || $candidate == *. ]]; then
      open+=("$candidate")
    elif [[ -n $candidate ]]; then
      plain+=("$candidate")
    fi
  done
  (( $#open )) && compadd -S '' -- $open
  (( $#plain )) && compadd -- $plain
}
if [[ $funcstack[1] == _strew ]]; then _strew; else compdef _strew strew; fi
)";

constexpr std::string_view fish = R"(function __strew_candidates
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  for candidate in ($words[1] __complete $words[2..-1] $word 2> /dev/null)
    if string match -q '*<file>' -- $candidate
      set -l prefix (string replace -r '[^=]*$' '' -- $word)
      for file in (__fish_complete_path (string replace -r '^.*=' '' -- $word))
        echo "$prefix$file"
      end
    else
      echo $candidate
    end
  end
end
complete -c strew -f -a '(__strew_candidates)'
)";

struct Shell {
  std::string_view name, script;
};
constexpr Shell shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

constexpr std::string_view file_candidate = "<file>";  // the shell completes the name of a file

// Collects the candidates that begin with the word.
class Candidates {
 public:
  explicit Candidates(std::string_view word) : word_(word) {}
  void add(std::string_view candidate) {
    if (candidate.starts_with(word_)) text_ += cat(candidate, "\n");
  }
  void add_files(std::string_view prefix) { text_ += cat(prefix, file_candidate, "\n"); }
  void print() const { cli::print(text_); }

 private:
  std::string_view word_;
  std::string text_;
};

bool takes_file(Parameter::Type type) {
  switch (type) {
    case Parameter::integer:
    case Parameter::number:
    case Parameter::boolean:
    case Parameter::word:
    case Parameter::shape: return false;
    default: return true;
  }
}

void add_operators(Candidates& candidates, std::string_view word) {
  for (const std::span<const Operator> operators : registry()) {
    const std::string dialect = cat(operators.front().dialect, ".");
    if (!word.starts_with(dialect)) {
      candidates.add(dialect);
      continue;
    }
    for (const Operator& op : operators) {
      candidates.add(cat(dialect, op.name));
      if (op.in_place) candidates.add(cat(dialect, op.name, "_"));
    }
  }
}

// After "name=".
void add_values(Candidates& candidates, const Parameter& parameter) {
  const std::string prefix = cat(parameter.name, "=");
  for (const std::string_view word : parameter.words) {
    if (!word.empty()) candidates.add(cat(prefix, word));
  }
  if (parameter.type == Parameter::boolean) {
    candidates.add(cat(prefix, "true"));
    candidates.add(cat(prefix, "false"));
  }
  if (takes_file(parameter.type)) candidates.add_files(prefix);
}

// The arguments that were not given yet, or the values of the one that is being typed.
void add_arguments(Candidates& candidates, std::span<const Parameter> parameters, std::span<const std::string> given,
                   std::string_view word) {
  for (const Parameter& parameter : parameters) {
    const std::string prefix = cat(parameter.name, "=");
    if (word.starts_with(prefix)) return add_values(candidates, parameter);
    const bool is_given = std::any_of(given.begin(), given.end(), [&](const std::string& other) { return other.starts_with(prefix); });
    if (!is_given) candidates.add(prefix);
  }
}

void add_options(Candidates& candidates, const Command& command) {
  for (const Option& option : command.options) candidates.add(option.flags.substr(option.flags.find("--")));
  candidates.add("--help");
}

const Option* option_named(const Command& command, std::string_view word) {
  for (const Option& option : command.options) {
    const std::size_t comma = option.flags.find(',');
    if (option.flags.substr(0, comma) == word || (comma != std::string_view::npos && option.flags.substr(comma + 1) == word))
      return &option;
  }
  return nullptr;
}

void add_words(Candidates& candidates, const Command& command, std::span<const std::string> before, std::string_view word) {
  const auto add_threads = [&] { candidates.add(cat(threads_argument, "=")); };
  // Options and their values are no arguments.
  std::vector<std::string> given;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Option* const option = option_named(command, before[i]);
    if (option == nullptr) given.push_back(before[i]);
    else if (!option->value.empty()) ++i;
  }
  switch (command.takes) {
    case Words::none: break;
    case Words::shell:
      for (const Shell& shell : shells) candidates.add(shell.name);
      break;
    case Words::dialect:
      for (const std::span<const Operator> operators : registry()) candidates.add(operators.front().dialect);
      break;
    case Words::question:
      if (given.empty()) add_operators(candidates, word);
      if (!given.empty() && given.front().find('=') == std::string::npos) {
        add_arguments(candidates, operator_named(given.front()).op->parameters, given, word);
        add_arguments(candidates, compare_parameters().last(1), given, word);  // an answer of one's own
      } else {
        add_arguments(candidates, compare_parameters(), given, word);
      }
      add_threads();
      break;
    case Words::call:
      if (given.empty()) return add_operators(candidates, word);
      add_arguments(candidates, operator_named(given.front()).op->parameters, given, word);
      add_threads();
      break;
  }
}

}  // namespace

int completions(const Request& request) {
  for (const Shell& shell : shells) {
    if (request.words.size() != 1 || request.words.front() != shell.name) continue;
    print(shell.script);
    return 0;
  }
  throw UsageError("completions needs the name of a shell: bash, zsh or fish");
}

int complete(std::span<const std::string> words) {
  const std::string_view word = words.empty() ? std::string_view() : words.back();
  Candidates candidates(word);
  if (words.size() < 2) {
    for (const Command& command : commands()) candidates.add(command.name);
    candidates.add("--help");
    candidates.add("--version");
  } else if (const Command* const command = command_named(words[0])) {
    const std::span<const std::string> before = words.subspan(1, words.size() - 2);
    const Option* const last = before.empty() ? nullptr : option_named(*command, before.back());
    if (last != nullptr && !last->value.empty()) candidates.add_files("");
    else if (word.starts_with('-')) add_options(candidates, *command);
    else add_words(candidates, *command, before, word);
  }
  candidates.print();
  return 0;
}

}  // namespace strew::cli
