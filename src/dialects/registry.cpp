// The table of all operators, and access to the arguments of a call by name.
#include "dialects/registry.h"

#include <charconv>

#include "base/text.h"
#include "dialects/numpy_index.h"
#include "dialects/views.h"

namespace strew::internal {
namespace {

// The entry of that name, or null. Names are literals that compilers merge, so equal names nearly always have equal pointers.
template <class Row>
const Row* named(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name.data() == name.data() && row.name.size() == name.size()) return &row;
  }
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

// The list of dialects; each defines its function next to its table.
std::span<const Operator> tensorflow_operators();
std::span<const Operator> pytorch_operators();
std::span<const Operator> paddle_operators();
std::span<const Operator> onnx_operators();
std::span<const Operator> directml_operators();
std::span<const Operator> numpy_operators();
std::span<const Operator> strew_operators();

std::span<const std::span<const Operator>> registry() {
  static const std::span<const Operator> dialects[] = {tensorflow_operators(), pytorch_operators(), paddle_operators(), onnx_operators(),
                                                       directml_operators(),   numpy_operators(),   strew_operators()};
  return dialects;
}

Found find_operator(std::string_view dialect, std::string_view name) {
  for (const std::span<const Operator> operators : registry()) {
    for (const Operator& op : operators) {
      if (op.dialect != dialect) continue;
      if (op.name == name) return {&op, op.writes_first_argument()};
      if (op.in_place && name.size() == op.name.size() + 1 && name.starts_with(op.name) && name.back() == '_') return {&op, true};
    }
  }
  return {};
}

Argument without_memory(const Argument& argument) {
  if (const auto* tensor = std::get_if<ConstTensorRef>(&argument.value)) return {argument.name, stand_in(tensor->dtype, tensor->shape)};
  if (const auto* key = std::get_if<IndexKey>(&argument.value)) return {argument.name, numpy::without_memory(*key)};
  return argument;
}

Arguments::Arguments(const Operator& op, std::span<const Argument> given) : op_(op), given_(given) {
  for (const Argument& argument : given) {
    if (named(op.parameters, argument.name) == nullptr) fail(cat("there is no argument \"", argument.name, "\""));
  }
}

void Arguments::fail(const std::string& sentence) const {
  throw Error(ErrorCode::argument, cat(op_.dialect, ".", op_.name, ": ", sentence));
}

std::string_view Arguments::fallback(std::string_view name) const {
  const Parameter* const parameter = named(op_.parameters, name);
  if (parameter != nullptr && parameter->fallback) return *parameter->fallback;
  fail(cat("argument \"", name, "\" is missing"));
}

template <class T>
const T* Arguments::find(std::string_view name, std::string_view wanted) const {
  const Argument* const argument = named(given_, name);
  if (argument == nullptr) return nullptr;
  if (const T* value = std::get_if<T>(&argument->value)) return value;
  fail(cat("argument \"", name, "\" must be ", wanted));
}

const ConstTensorRef& Arguments::tensor(std::string_view name) const {
  if (const auto* value = find<ConstTensorRef>(name, "a tensor")) return *value;
  fail(cat("argument \"", name, "\" is missing"));
}

Source Arguments::source(std::string_view name) const {
  const Argument* const argument = named(given_, name);
  const auto* const number = argument == nullptr ? nullptr : std::get_if<Number>(&argument->value);
  return number == nullptr ? Source(tensor(name)) : Source(*number);
}

std::optional<std::int64_t> Arguments::optional_integer(std::string_view name) const {
  if (const auto* value = find<Number>(name, "an integer")) {
    if (const auto* integer = std::get_if<std::int64_t>(value)) return *integer;
    fail(cat("argument \"", name, "\" must be an integer"));
  }
  const std::string_view text = fallback(name);
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::int64_t Arguments::integer(std::string_view name) const { return optional_integer(name).value_or(0); }

Number Arguments::number(std::string_view name) const {
  if (const auto* value = find<Number>(name, "a number")) return *value;
  return integer(name);
}

bool Arguments::boolean(std::string_view name) const {
  if (const auto* value = find<Number>(name, "a bool")) {
    if (const auto* flag = std::get_if<bool>(value)) return *flag;
    fail(cat("argument \"", name, "\" must be a bool"));
  }
  return fallback(name) == "true";
}

std::string_view Arguments::word(std::string_view name) const {
  if (const auto* value = find<std::string>(name, "a string")) return *value;
  return fallback(name);
}

const Dims& Arguments::shape(std::string_view name) const {
  if (const auto* value = find<Dims>(name, "a list of sizes")) return *value;
  fail(cat("argument \"", name, "\" is missing"));
}

const IndexKey& Arguments::index_key(std::string_view name) const {
  if (const auto* value = find<IndexKey>(name, "a list of indices")) return *value;
  fail(cat("argument \"", name, "\" is missing"));
}

}  // namespace strew::internal
