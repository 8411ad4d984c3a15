// Turns a call of one dialect into a question to all, by the table read backwards.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "compare/vocabulary.h"
#include "dialects/views.h"
#include "kernels/types.h"

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

// One index per axis as tuples: tensors of integers, of one shape or broadcast to that of another, and integers. No value for other keys.
std::optional<Tensor> stacked(const IndexKey& key) {
  std::vector<Tensor> columns;
  Dims shape;
  std::optional<Dtype> dtype;
  for (const numpy::Index& part : key) {
    const auto* const view = std::get_if<ConstTensorRef>(&part);
    const auto* const number = std::get_if<std::int64_t>(&part);
    if (number == nullptr && (view == nullptr || !is_integer(view->dtype))) return {};
    const Tensor& column = columns.emplace_back(view != nullptr ? Tensor::copy_of(*view) : Tensor({*number}, {}));
    if (!broadcasts_to(column.shape(), shape)) {
      if (!broadcasts_to(shape, column.shape())) return {};
      shape = column.shape();
    }
    const bool is_wide = dtype == Dtype::uint64 || column.dtype() == Dtype::uint64;
    if (dtype && *dtype != column.dtype() && is_wide) return {};
    dtype = dtype && *dtype != column.dtype() ? Dtype::int64 : column.dtype();
  }
  if (columns.empty()) return {};
  shape.push_back(static_cast<std::int64_t>(columns.size()));
  Tensor tuples(*dtype, shape);
  shape.pop_back();
  visit_dtype(Integers{}, *dtype, [&]<class To>(Tag<To>) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Tensor whole = Tensor::copy_of(broadcast(columns[c], shape));
      visit_dtype(Integers{}, whole.dtype(), [&]<class From>(Tag<From>) {
        const std::span<const From> from = whole.values<From>();
        const std::span<To> to = tuples.values<To>();
        for (std::size_t i = 0; i < from.size(); ++i) to[i * columns.size() + c] = static_cast<To>(from[i]);
      });
    }
  });
  return tuples;
}

// Updates as the call uses them: without excess leading dimensions of size 1, and broadcast. Tensors of which it uses a part, or that do
// not fit, are as given.
ConstTensorRef fitted(ConstTensorRef updates, const Dims& shape) {
  bool covers = updates.rank() == shape.size();
  for (std::size_t d = 0; covers && d < shape.size(); ++d) covers = updates.shape[d] >= shape[d];
  if (covers) return updates;
  while (updates.rank() > shape.size() && updates.shape[0] == 1) updates = without_leading(updates, 1);
  return broadcasts_to(updates.shape, shape) ? broadcast(updates, shape) : updates;
}

// The last `count` dimensions, if those before have size 1.
ConstTensorRef trailing(ConstTensorRef view, const std::optional<std::int64_t>& count) {
  while (count && *count > 0 && static_cast<std::int64_t>(view.rank()) > *count && view.shape[0] == 1) view = without_leading(view, 1);
  return view;
}

// The value of every update, as a tensor.
ConstTensorRef repeated(const Scalar& scalar, const Dims& shape, std::deque<Tensor>& made) {
  const ConstTensorRef one(scalar.bytes, scalar.dtype, Dims{});
  return broadcast(std::as_const(made.emplace_back(Tensor::copy_of(one))), shape);
}

// Translates one call.
class Asking {
 public:
  Asking(const Operator& op, std::span<const Argument> arguments, const ScatterOp* described)
      : op_(op), arguments_(arguments), given_(op, arguments), described_(described), meaning_(meaning_of(op, given_)) {}

  OwnedQuestion asked() && {
    if (!take_updates() || !take_data()) {
      asked_.reason = cat(op_.dialect, ".", op_.name, " has no counterpart with these arguments");
      return std::move(asked_);
    }
    for (const Parameter& parameter : op_.parameters) {
      if (parameter.name == "bad_indices_policy") question_.lenient = given_.word(parameter.name) == "IGNORE";
      if (parameter.name == "out_of_range") question_.lenient = given_.word(parameter.name) == "clamp";
    }
    asked_.reason = take_indices();
    return std::move(asked_);
  }

 private:
  template <class T>
  const T* find(auto... types) const {
    return value_of<T>(argument_of(op_, arguments_, types...));
  }
  std::optional<std::int64_t> integer_named(std::string_view name, std::string_view also = {}) const {
    for (const Parameter& parameter : op_.parameters) {
      if (parameter.type == Parameter::integer && (parameter.name == name || parameter.name == also))
        return given_.optional_integer(parameter.name);
    }
    return {};
  }

  bool take_updates() {
    const auto* const updates = find<ConstTensorRef>(Parameter::updates, Parameter::source);
    if (updates == nullptr && (described_ == nullptr || !described_->scalar)) return false;
    if (described_ == nullptr) question_.updates = *updates;
    else if (updates == nullptr) question_.updates = repeated(*described_->scalar, op_.updates_shape(given_), asked_.made);
    else question_.updates = fitted(*updates, op_.updates_shape(given_));
    return true;
  }

  bool take_data() {
    const auto* const shape = find<Dims>(Parameter::shape);
    if (!meaning_ && shape != nullptr) {  // zeros to which updates are added
      question_.data = asked_.made.emplace_back(Tensor::zeros(question_.updates.dtype, *shape));
      question_.reduction = "add";
      return true;
    }
    const auto* const data = find<ConstTensorRef>(Parameter::tensor, Parameter::target);
    if (!meaning_ || data == nullptr) return false;
    question_.data = trailing(*data, integer_named("input_dimension_count"));
    question_.reduction = meaning_->reduction;
    // An operator that can only accumulate from zero is compared with those that accumulate.
    const Entry& entry = *meaning_->entry;
    if (entry.self == Self::as_said) question_.include_self = given_.boolean("include_self");
    if (entry.self == Self::excluded) question_.include_self = !entry.attribute.empty();
    return true;
  }

  // Returns why there is no question, or an empty string.
  std::string take_indices() {
    const IndexForm form = meaning_ ? meaning_->entry->form : IndexForm::tuples;
    if (const auto* const key = find<IndexKey>(Parameter::index_key, Parameter::columns)) {
      std::optional<Tensor> tuples = stacked(*key);
      if (!tuples) return "only integers and index tensors of one shape have a counterpart in other dialects";
      question_.indices = asked_.made.emplace_back(std::move(*tuples));
      return {};
    }
    const auto* const indices = find<ConstTensorRef>(Parameter::indices);
    if (indices == nullptr) return "the call has no index tensor";
    question_.indices = trailing(*indices, integer_named("indices_dimension_count"));
    if (form == IndexForm::first_rows && indices->rank() < 2) {
      question_.axis = 0;
      if (indices->rank() == 0 && question_.updates.rank() + 1 == question_.data.rank()) lead(question_.updates);
    }
    if (form == IndexForm::rows && indices->rank() > 1) return "the index is not a vector";
    const bool is_elements = form == IndexForm::elements || form == IndexForm::covering || form == IndexForm::covering_in_place;
    if (is_elements || form == IndexForm::rows) {
      question_.axis = integer_named("axis", "dim");
      if (!question_.axis) flatten();
    }
    if (!question_.axis) return {};
    if (is_elements && described_ != nullptr && described_->where.columns.size() == 1) question_.indices = described_->where.columns[0];
    question_.data = at_least_vector(question_.data);
    question_.indices = at_least_vector(question_.indices);
    question_.updates = at_least_vector(question_.updates);
    if (is_elements && question_.indices.rank() == 1 && question_.data.rank() > 1) return "the index has another rank than the data";
    return {};
  }

  // A first axis of size 1.
  static void lead(ConstTensorRef& view) {
    view.shape = joined(Dims{1}, view.shape);
    view.strides = joined(Dims{0}, view.strides);
  }

  // An index without an axis counts through all elements.
  void flatten() {
    question_.axis = 0;
    const ConstTensorRef dense = std::as_const(asked_.made.emplace_back(Tensor::copy_of(question_.data)));
    question_.data = ConstTensorRef(dense.data, dense.dtype, Dims{element_count(dense.shape)});
  }

  const Operator& op_;
  std::span<const Argument> arguments_;
  const Arguments given_;
  const ScatterOp* described_;
  std::optional<Meaning> meaning_;
  OwnedQuestion asked_;
  Question& question_ = asked_.question;
};

}  // namespace

OwnedQuestion question_of(const Operator& op, std::span<const Argument> arguments, const ScatterOp* described) {
  return Asking(op, arguments, described).asked();
}

}  // namespace strew::internal
