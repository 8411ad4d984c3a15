// From words to the arguments of an operator.
#include "call.h"

#include <algorithm>

#include "base/text.h"
#include "dialects/literal_types.h"
#include "files/error.h"
#include "usage.h"

namespace strew::cli {
using namespace internal;
using files::printable;
namespace {

// The names, separated by commas.
template <class Rows, class Name>
std::string listed(const Rows& rows, const Name& name_of) {
  std::string text;
  for (const auto& row : rows) text += cat(text.empty() ? "" : ", ", name_of(row));
  return text;
}

std::string names_of(std::span<const Operator> operators) {
  return listed(operators, [](const Operator& op) { return op.name; });
}

const Parameter* parameter_named(const Operator& op, std::string_view name) {
  for (const Parameter& parameter : op.parameters) {
    if (parameter.name == name || (!parameter.also.empty() && parameter.also == name)) return &parameter;
  }
  return nullptr;
}

bool is_data(Parameter::Type type) {
  return type == Parameter::tensor || type == Parameter::target || type == Parameter::updates || type == Parameter::source;
}

// A literal that is no list and has no dtype.
std::optional<Number> plain_number(std::string_view name, std::string_view text) {
  const auto literal = parse_literal(name, text);
  return literal && !literal->dtype ? to_number(*literal) : std::nullopt;
}

Number number_from(std::string_view name, std::string_view text) {
  if (const auto number = plain_number(name, text)) return *number;
  throw UsageError(cat(name, ": must be a number, got ", printable(text)));
}
std::int64_t integer_from(std::string_view name, std::string_view text) {
  const auto number = plain_number(name, text);
  if (number && std::holds_alternative<std::int64_t>(*number)) return std::get<std::int64_t>(*number);
  throw UsageError(cat(name, ": must be an integer, got ", printable(text)));
}
bool boolean_from(std::string_view name, std::string_view text) {
  const auto number = plain_number(name, text);
  if (number && std::holds_alternative<bool>(*number)) return std::get<bool>(*number);
  throw UsageError(cat(name, ": must be true or false, got ", printable(text)));
}
Dims shape_from(std::string_view name, std::string_view text) {
  const auto literal = parse_literal(name, text);
  Dims shape;
  const bool is_list = literal && literal->shape.size() == 1;
  for (std::size_t i = 0; is_list && i < literal->values.size(); ++i) {
    const auto* const size = std::get_if<std::int64_t>(&literal->values[i]);
    if (size != nullptr) shape.push_back(*size);
  }
  if (is_list && shape.size() == literal->values.size()) return shape;
  throw UsageError(cat(name, ": must be a list of sizes such as [3,4], got ", printable(text)));
}
std::int64_t threads_from(std::string_view text) {
  const std::int64_t threads = integer_from(threads_argument, text);
  if (threads < 1) throw UsageError(cat(threads_argument, ": must be at least 1, got ", threads));
  return threads;
}

// The dtype of literals without one: of a kind, in a dialect.
Dtype default_dtype(LiteralKind kind, bool is_large, std::string_view dialect) {
  const LiteralTypes types = literal_types_of(dialect);
  switch (kind) {
    case LiteralKind::boolean: return Dtype::bool_;
    case LiteralKind::integer: return is_large ? Dtype::uint64 : types.integer;
    case LiteralKind::floating: return types.floating;
    case LiteralKind::complex: return types.floating == Dtype::float32 ? Dtype::complex64 : Dtype::complex128;
    case LiteralKind::text: break;
  }
  return Dtype::string;
}

}  // namespace

Found operator_named(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view dialect = name.substr(0, dot), own = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (dot != std::string_view::npos) {
    if (const Found found = find_operator(dialect, own); found.op != nullptr) return found;
  }
  std::string same;
  for (const std::span<const Operator> operators : registry()) {
    if (operators.front().dialect == dialect && dot != std::string_view::npos)
      throw UsageError(cat(dialect, " has no operator \"", printable(own), "\"; it has ", names_of(operators)));
    for (const Operator& op : operators) {
      if (op.name == own) same += cat(same.empty() ? "" : ", ", op.dialect, ".", op.name);
    }
  }
  const std::string hint = same.empty() ? "strew list shows them all" : cat("there are ", same);
  throw UsageError(cat("there is no operator \"", printable(name), "\"; ", hint));
}

struct Call::Waiting {
  std::string_view name;
  Literal literal;
  bool as_number;  // if it is one
  bool decides;    // takes part in the choice of a dtype
};

Call call_of(std::string_view command, std::span<const std::string> words, files::Progress& progress) {
  if (words.empty()) throw UsageError(cat(command, " needs an operator, such as pytorch.scatter_add (see strew ", command, " --help)"));
  return {words.front(), operator_named(words.front()), words.subspan(1), progress};
}

Call::Call(std::string_view name, Found op, std::span<const std::string> words, files::Progress& progress)
    : name_(name), found_(op), values_(progress) {
  std::vector<std::pair<const Parameter*, std::string>> given;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string argument = word.substr(0, equals);
    const auto names = [&] {
      return cat(listed(found_.op->parameters, [](const Parameter& p) { return p.name; }), ", ", threads_argument);
    };
    if (equals == std::string::npos)
      throw UsageError(cat("\"", printable(word), "\" has no name: write NAME=", printable(word), ", with one of ", names()));
    const std::string value = word.substr(equals + 1);
    if (argument == threads_argument) {
      if (value.empty()) throw UsageError(cat(argument, ": the value is empty"));
      if (options_.threads != 0) throw UsageError(cat("the argument \"", argument, "\" is given twice"));
      options_.threads = threads_from(value);
      continue;
    }
    const Parameter* const parameter = parameter_named(*found_.op, argument);
    if (parameter == nullptr) throw UsageError(cat(name_, " has no argument \"", printable(argument), "\"; it has ", names()));
    const bool may_be_empty = is_key(parameter->type) || parameter->type == Parameter::word;
    if (value.empty() && !may_be_empty) throw UsageError(cat(argument, ": the value is empty"));
    for (const auto& other : given) {
      if (other.first == parameter) throw UsageError(cat("the argument \"", argument, "\" is given twice"));
    }
    given.emplace_back(parameter, value);
  }
  for (const Parameter& parameter : found_.op->parameters) {
    const bool is_given = std::any_of(given.begin(), given.end(), [&](const auto& pair) { return pair.first == &parameter; });
    if (!is_given && (!parameter.fallback || parameter.must_be_said))
      throw UsageError(cat(name_, " needs the argument \"", parameter.name, "\""));
  }
  // In the order of the operator: the dtype of the first array is that of literals.
  std::vector<Waiting> waiting;
  for (const Parameter& parameter : found_.op->parameters) {
    for (const auto& pair : given) {
      if (pair.first == &parameter) take(parameter, pair.second, waiting);
    }
  }
  settle(waiting);
}

void Call::take(const Parameter& parameter, const std::string& text, std::vector<Waiting>& waiting) {
  const std::string_view name = parameter.name;
  if (is_data(parameter.type)) return take_data(parameter, text, waiting);
  if (takes_none(parameter) && (text == "none" || text == "None") && parameter.type != Parameter::word) return;
  Argument argument{name, {}};
  switch (parameter.type) {
    case Parameter::indices: argument.value = values_.indices(name, text); break;
    case Parameter::integer: argument.value = Number(integer_from(name, text)); break;
    case Parameter::number: argument.value = number_from(name, text); break;
    case Parameter::boolean: argument.value = Number(boolean_from(name, text)); break;
    case Parameter::shape: argument.value = shape_from(name, text); break;
    case Parameter::index_key: argument.value = values_.key(name, text, true); break;
    case Parameter::columns: argument.value = values_.key(name, text, false); break;
    default: argument.value = text; break;
  }
  arguments_.push_back(std::move(argument));
}

void Call::take_data(const Parameter& parameter, const std::string& text, std::vector<Waiting>& waiting) {
  auto literal = parse_literal(parameter.name, text);
  if (literal && !literal->dtype) {
    waiting.push_back({parameter.name, *std::move(literal), parameter.type == Parameter::source, !parameter.fallback});
    return;
  }
  const ConstTensorRef view = literal ? values_.literal(parameter.name, *literal, *literal->dtype) : values_.file(text);
  if (!data_) data_ = view.dtype;
  arguments_.push_back({parameter.name, view});
}

void Call::settle(std::vector<Waiting>& waiting) {
  LiteralKind kind = LiteralKind::boolean;
  bool is_large = false, is_empty = true;
  for (const Waiting& one : waiting) {
    if (!one.decides) continue;
    kind = std::max(kind, one.literal.kind);
    for (const LiteralValue& value : one.literal.values) is_large = is_large || std::holds_alternative<std::uint64_t>(value);
    is_empty = is_empty && one.literal.values.empty();
  }
  const Dtype dtype = data_.value_or(default_dtype(is_empty ? LiteralKind::floating : kind, is_large, found_.op->dialect));
  for (const Waiting& one : waiting) {
    const auto number = one.as_number ? to_number(one.literal) : std::nullopt;
    if (number) arguments_.push_back({one.name, *number});
    else arguments_.push_back({one.name, values_.literal(one.name, one.literal, dtype)});
  }
}

const ConstTensorRef& Call::target() const { return Arguments(*found_.op, arguments_).tensor(found_.op->parameters.front().name); }

const ConstTensorRef* Call::array(std::string_view name) const {
  for (const Argument& argument : arguments_) {
    if (argument.name == name) return std::get_if<ConstTensorRef>(&argument.value);
  }
  return nullptr;
}

AnyOp Call::describe_unwritten() const {
  if (!found_.in_place) return describe({});
  const ConstTensorRef& view = target();
  return describe(TensorRef(const_cast<void*>(view.data), view.dtype, view.shape, view.strides));
}

AnyOp Call::describe(const TensorRef& out) const {
  std::vector<Argument> arguments = arguments_;
  if (found_.in_place) {
    for (Argument& argument : arguments) {
      if (argument.name == found_.op->parameters.front().name) argument.value = ConstTensorRef(out);
    }
  }
  return found_.op->describe(out, Arguments(*found_.op, arguments));
}

}  // namespace strew::cli
