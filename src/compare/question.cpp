// Turns a call of one dialect into a question to all, by the table read backwards.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "compare/vocabulary.h"

namespace strew::internal {
namespace {

const Argument* argument_of(const Operator& op, std::span<const Argument> arguments, auto... types) {
  for (const Parameter& parameter : op.parameters) {
    if (!((parameter.type == types) || ...)) continue;
    for (const Argument& argument : arguments) {
      if (argument.name == parameter.name) return &argument;
    }
  }
  return nullptr;
}

template <class T>
const T* value_of(const Argument* argument) {
  return argument == nullptr ? nullptr : std::get_if<T>(&argument->value);
}

// Arguments of a call; omitted ones have their defaults. The last resort for a wrong type is the default, too: the question asks others.
std::string word_in(const Arguments& given, const Operator& op, std::string_view name) {
  for (const Parameter& parameter : op.parameters) {
    if (parameter.name != name) continue;
    if (parameter.type == Parameter::boolean) return given.boolean(name) ? "true" : "false";
    if (parameter.type == Parameter::word) return std::string(given.word(name));
    const Number number = given.number(name);
    const auto* const integer = std::get_if<std::int64_t>(&number);
    return integer == nullptr ? std::string() : cat(*integer);
  }
  return {};
}

// Whether every argument that could change the arithmetic has its default: then the operator's name alone says what it does.
bool is_plain(const Operator& op, const Arguments& given) {
  constexpr std::string_view no_arithmetic[] = {"bad_indices_policy", "out_of_range", "feature_level"};
  return std::all_of(op.parameters.begin(), op.parameters.end(), [&](const Parameter& parameter) {
    const bool may = parameter.type == Parameter::word || parameter.type == Parameter::boolean || parameter.type == Parameter::number;
    const bool counts = may && std::find(std::begin(no_arithmetic), std::end(no_arithmetic), parameter.name) == std::end(no_arithmetic);
    return !counts || !parameter.fallback || word_in(given, op, parameter.name) == *parameter.fallback;
  });
}

struct Meaning {
  const Entry* entry;
  std::string_view reduction;
};
// The entry of the table for a call.
std::optional<Meaning> meaning_of(const Operator& op, const Arguments& given) {
  for (const Entry& entry : vocabulary()) {
    if (entry.dialect != op.dialect || (entry.op.empty() ? !is_plain(op, given) : entry.op != op.name)) continue;
    const std::string said = entry.op.empty() ? std::string(op.name) : word_in(given, op, entry.attribute);
    for (std::size_t r = 0; r < entry.words.size(); ++r) {
      if (!entry.words[r].empty() && entry.words[r] == said) return Meaning{&entry, compared_reductions[r]};
    }
  }
  return {};
}

// Tuples of one index from each tensor, which have the same dtype and shape.
std::optional<Tensor> stacked(const IndexKey& key) {
  std::vector<Tensor> columns;
  for (const numpy::Index& part : key) {
    const auto* const view = std::get_if<ConstTensorRef>(&part);
    if (view == nullptr || !is_integer(view->dtype)) return {};
    if (!columns.empty() && (view->dtype != columns[0].dtype() || !(view->shape == columns[0].shape()))) return {};
    columns.push_back(Tensor::copy_of(*view));
  }
  if (columns.empty()) return {};
  Dims shape = columns[0].shape();
  shape.push_back(static_cast<std::int64_t>(columns.size()));
  Tensor tuples(columns[0].dtype(), shape);
  const std::int64_t size = size_of(tuples.dtype());
  auto* to = static_cast<std::byte*>(tuples.data());
  for (std::int64_t i = 0; i < columns[0].size(); ++i) {
    for (const Tensor& column : columns) {
      std::memcpy(to, static_cast<const std::byte*>(column.data()) + i * size, static_cast<std::size_t>(size));
      to += size;
    }
  }
  return tuples;
}

}  // namespace

std::optional<OwnedQuestion> question_of(const Operator& op, std::span<const Argument> arguments) {
  if (!op.scatters()) return {};
  const Arguments given(op, arguments);
  OwnedQuestion asked;
  Question& question = asked.question;
  const auto* const updates = value_of<ConstTensorRef>(argument_of(op, arguments, Parameter::updates, Parameter::source));
  if (updates == nullptr) return {};
  question.updates = *updates;

  const std::optional<Meaning> meaning = meaning_of(op, given);
  const auto* const shape = value_of<Dims>(argument_of(op, arguments, Parameter::shape));
  if (meaning) {
    const auto* const data = value_of<ConstTensorRef>(argument_of(op, arguments, Parameter::tensor, Parameter::target));
    if (data == nullptr) return {};
    question.data = *data;
    question.reduction = meaning->reduction;
    question.include_self =
        meaning->entry->self == Self::included || (meaning->entry->self == Self::as_said && given.boolean("include_self"));
  } else if (shape != nullptr) {  // zeros to which updates are added
    question.data = asked.made.emplace_back(Tensor::zeros(updates->dtype, *shape));
    question.reduction = "add";
  } else {
    return {};
  }
  for (const Parameter& parameter : op.parameters) {
    if (parameter.name == "bad_indices_policy") question.lenient = given.word(parameter.name) == "IGNORE";
    if (parameter.name == "out_of_range") question.lenient = given.word(parameter.name) == "clamp";
  }

  const IndexForm form = meaning ? meaning->entry->form : IndexForm::tuples;
  if (const auto* const key = value_of<IndexKey>(argument_of(op, arguments, Parameter::index_key, Parameter::columns))) {
    std::optional<Tensor> tuples = stacked(*key);
    if (!tuples) return {};
    question.indices = asked.made.emplace_back(std::move(*tuples));
    return asked;
  }
  const auto* const indices = value_of<ConstTensorRef>(argument_of(op, arguments, Parameter::indices));
  if (indices == nullptr) return {};
  question.indices = *indices;
  const bool is_along =
      form == IndexForm::elements || form == IndexForm::covering || form == IndexForm::covering_in_place || form == IndexForm::rows;
  if (form == IndexForm::first_rows && indices->rank() < 2) question.axis = 0;
  if (is_along) {
    for (const Parameter& parameter : op.parameters) {
      if (parameter.type == Parameter::integer && (parameter.name == "axis" || parameter.name == "dim"))
        question.axis = given.optional_integer(parameter.name);
    }
    if (!question.axis) return {};
  }
  return asked;
}

}  // namespace strew::internal
