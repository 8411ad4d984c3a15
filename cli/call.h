// A call as typed on the command line: an operator, and NAME=VALUE for each argument.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialects/registry.h"
#include "files/input.h"
#include "literal.h"
#include "strew/run.h"

namespace strew::cli {

// Reads the values of a call, and owns the memory that they view.
class Values {
 public:
  explicit Values(files::Progress& progress) : progress_(progress) {}

  // The array in a file.
  ConstTensorRef file(const std::string& name);
  // A literal in a dtype.
  ConstTensorRef literal(std::string_view name, const Literal& literal, Dtype dtype);
  // Indices: a file or a literal, of integers or of bool. int64 if it has no dtype.
  ConstTensorRef indices(std::string_view name, std::string_view text);
  // The index of a[...], as NumPy writes it: integers, slices, `...`, None, lists and files, separated by commas. Without `slices`, only
  // integers, lists and files.
  internal::IndexKey key(std::string_view name, std::string_view text, bool slices);

  // Throws a FileError if a part of a file was lost while it was mapped.
  void require_intact() const;

 private:
  files::Progress& progress_;
  std::deque<files::Input> files_;
  std::deque<Tensor> literals_;
};

class Call {
 public:
  // The words after the name of the operator. Throws a UsageError or a FileError.
  Call(std::string_view name, internal::Found op, std::span<const std::string> words, files::Progress& progress);

  [[nodiscard]] const internal::Operator& op() const { return *found_.op; }
  // The name as it was typed.
  [[nodiscard]] const std::string& name() const { return name_; }
  // Whether the first argument is what the operator writes to.
  [[nodiscard]] bool in_place() const { return found_.in_place; }
  [[nodiscard]] std::span<const internal::Argument> arguments() const { return arguments_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  void require_intact() const { values_.require_intact(); }

  // An argument that is an array; null if it was not given.
  [[nodiscard]] const ConstTensorRef* array(std::string_view name) const;
  // The first argument of an operator that works in place.
  [[nodiscard]] const ConstTensorRef& target() const;
  // The op that writes to `out`, which takes the place of the target of an operator that works in place. Without memory, an op to compute.
  [[nodiscard]] internal::AnyOp describe(const TensorRef& out) const;
  // For whoever only looks at the op: the target, if there is one, stands for the output.
  [[nodiscard]] internal::AnyOp describe_unwritten() const;

 private:
  struct Waiting;  // a literal of data, whose dtype depends on the other arguments
  void take(const internal::Parameter& parameter, const std::string& text, std::vector<Waiting>& waiting);
  void take_data(const internal::Parameter& parameter, const std::string& text, std::vector<Waiting>& waiting);
  void settle(std::vector<Waiting>& waiting);

  std::string name_;
  internal::Found found_;
  Values values_;
  std::vector<internal::Argument> arguments_;
  std::optional<Dtype> data_;  // of the first array
  RunOptions options_;
};

// The operator of that name, such as pytorch.scatter_add. Throws a UsageError if there is none.
[[nodiscard]] internal::Found operator_named(std::string_view name);

// The call of a command whose first word is the name of an operator.
[[nodiscard]] Call call_of(std::string_view command, std::span<const std::string> words, files::Progress& progress);

// "threads" is an argument of every call, beside those of the operator.
inline constexpr std::string_view threads_argument = "threads";

}  // namespace strew::cli
