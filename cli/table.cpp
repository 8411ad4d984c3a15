// The table of commands.
#include "table.h"

#include "commands.h"

namespace strew::cli {
namespace {

constexpr Option output{"-o,--output", "FILE", "Write the result to this file; it appears whole or not at all", &Request::output};
constexpr Option force{"-f,--force", "", "Replace the file if it exists", nullptr, &Request::force};
constexpr Option quiet{"-q,--quiet", "", "Print neither progress nor a summary", nullptr, &Request::quiet};
constexpr Option json{"--json", "", "Print JSON, also for errors", nullptr, &Request::json};

constexpr Option picture{"-o,--output", "FILE", "Write the picture to this file instead of standard output", &Request::output};

constexpr Option draw_options[] = {picture, force, quiet, json};
constexpr Option run_options[] = {output, force, quiet, json};
constexpr Option query_options[] = {quiet, json};
constexpr Option list_options[] = {json};

constexpr Sample run_examples[] = {
    {"strew run pytorch.scatter_add input=x.npy dim=0 index=i.npy src=s.npy -o y.npy", "from files to a file"},
    {"strew run onnx.scatter_nd data=x.npy indices=i.npy updates=u.npy reduction=add -o x.npy --force", "replace an input by the result"},
    {"strew run numpy.add_at a='[0,0,0]:float32' indices='[2,0,2]' b='[1,2,3]'", "values as text; prints the result"},
    {"strew run numpy.add_at a=image.npy indices=':,[0,2]' b=1 threads=4 -o brighter.npy", "a NumPy index, on four threads"},
    {"strew run pytorch.gather input=data.npz:x dim=1 index=data.npz:i -o y.npy", "arrays of a .npz file"},
};
constexpr Sample explain_examples[] = {
    {"strew explain pytorch.scatter_add input=x.npy dim=0 index=i.npy src=s.npy", "which strategy, why, and with how much memory"},
};
constexpr Sample draw_examples[] = {
    {"strew draw pytorch.scatter_add input='[10,20,30]' dim=0 index='[2,0,2]' src='[5,6,7]' -o y.svg",
     "an arrow from each update to its place"},
};
constexpr Sample compare_examples[] = {
    {"strew compare data='[1,2,3]' indices='[0,-1]' updates='[10,20]' axis=0 reduction=add", "who accepts a negative index"},
    {"strew compare data=x.npy indices=i.npy updates=u.npy axis=0 reduction=max mine=y.npy", "with whom an answer of your own agrees"},
    {"strew compare pytorch.scatter_add input=x.npy dim=0 index=i.npy src=s.npy", "the question that a call asks"},
};
constexpr Sample list_examples[] = {
    {"strew list", "every operator"},
    {"strew list onnx", "those of one dialect"},
    {"strew list --json", "for programs"},
};
constexpr Sample completion_examples[] = {
    {"source <(strew completions bash)", "in ~/.bashrc"},
    {"source <(strew completions zsh)", "in ~/.zshrc, after compinit"},
    {"strew completions fish | source", "in ~/.config/fish/config.fish"},
};
constexpr Sample man_examples[] = {
    {"strew man | man -l -", "read it"},
};

constexpr std::string_view call_words = "OPERATOR [NAME=VALUE ...]";

constexpr Command table[] = {
    {"run", call_words, "Run an operator on files, literals, or both",
     "OPERATOR is a name that strew list shows, such as pytorch.scatter_add. Its arguments have the names and defaults of the framework. "
     "threads=N limits the number of threads; the result has the same bits for any number.\n\n"
     "Without -o the result is printed, shortened if it is large. With -o it is written as a .npy file. Operators that work in place write "
     "to -o as well and leave their input file alone.",
     run_options, run_examples, Words::call, &run},
    {"explain", call_words, "Say how a call would run, or why it is rejected; nothing is written", "", query_options, explain_examples,
     Words::call, &explain},
    {"compare", "NAME=VALUE ...", "The same scatter in every dialect: who says what, and whether they agree",
     "The arguments are data, indices, updates, and optionally axis, reduction (assign, add, sub, mul, min, max or mean), include_self, "
     "lenient (indices out of range are no error where a dialect has such a mode) and mine. With an axis, indices are positions along "
     "it; without one, their last axis holds index tuples. Instead, the call of an operator can be given, and mine with it: its own "
     "dialect answers with the result or the error of the call itself.",
     query_options, compare_examples, Words::question, &compare},
    {"draw", call_words, "A picture of a call, in SVG: where each update goes, and what it does there",
     "Of large tensors a part is drawn. An index out of range is drawn where it points, with the sentence of the error.", draw_options,
     draw_examples, Words::call, &draw},
    {"list", "[DIALECT]", "Operators with their arguments, defaults, accepted words and dtypes", "", list_options, list_examples,
     Words::dialect, &list},
    {"demo", "", "The examples of the frameworks' documents, and where the frameworks disagree", "", {}, {}, Words::none, &demo},
    {"page",
     "",
     "Where the page is that shows scatters in a browser",
     "In the source tree, ./strew page builds it first.",
     {},
     {},
     Words::none,
     &page},
    {"completions",
     "SHELL",
     "A script that completes commands, operators and arguments in bash, zsh or fish",
     "",
     {},
     completion_examples,
     Words::shell,
     &completions},
    {"man", "", "The manual page, in roff", "", {}, man_examples, Words::none, &man},
};

constexpr Sample examples[] = {
    {"strew run pytorch.scatter_add input=x.npy dim=0 index=i.npy src=s.npy -o y.npy", "an operator on .npy files"},
    {"strew run numpy.add_at a='[0,0,0]' indices='[2,0,2]' b='[1,2,3]'", "on values as text; prints the result"},
    {"strew compare data='[1,2,3]' indices='[0,-1]' updates='[10,20]' axis=0 reduction=add", "what each framework answers"},
    {"strew draw pytorch.scatter_add input=x.npy dim=0 index=i.npy src=s.npy -o picture.svg", "a picture of it"},
    {"strew explain pytorch.scatter_add input=x.npy dim=0 index=i.npy src=s.npy", "how it would run"},
    {"strew list onnx", "operators with their arguments"},
    {"strew demo", "the documents' examples, and where the frameworks disagree"},
};

constexpr Section sections[] = {
    {"Values",
     "A tensor is a file or a literal. FILE.npy holds one array; FILE.npz:NAME is one of the arrays of a .npz file. Files are mapped, not "
     "read into memory; compressed arrays, text and numbers in the other byte order are converted in memory.\n\n"
     "A literal is a number, a string in double quotes, or a list such as [[1,2],[3,4]]; :DTYPE after it sets its dtype, as in "
     "[0,1]:int32. A literal without a dtype takes that of the other data of the call; if none has one, the framework's default. Indices "
     "are int64. A file whose name looks like a literal is written ./NAME.\n\n"
     "The index of a numpy operator is written as in Python: '[2,0,2]', '1:5:2', ':,[0,1]', '...,rows.npy', 'None'."},
    {"Exit codes",
     "0 done. 1 the operator rejected the call, for example because of an index out of range. 2 the command line or a file is wrong."},
};

}  // namespace

std::span<const Command> commands() { return table; }

const Command* command_named(std::string_view name) {
  for (const Command& command : table) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

const std::string_view program_summary =
    "Strew: scatter with the exact behaviour of TensorFlow, PyTorch, Paddle, ONNX, DirectML and NumPy.";
const std::span<const Sample> program_examples = examples;
const std::span<const Section> program_sections = sections;

}  // namespace strew::cli
