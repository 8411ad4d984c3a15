// From a draft to the arguments of a case.
#include "harness/generator.h"

#include "base/text.h"
#include "harness/draft.h"

namespace strew::harness {
namespace {

bool optional_and_left_out(const Parameter& parameter, Choices& choices) { return parameter.fallback.has_value() && choices.chance(50); }

// A case's tensors in the order of the parameters: the first one is the data, unless the output is given by its shape.
Role role_of(const Draft& draft, const Parameter& parameter) {
  if (parameter.type == Parameter::indices) return Role::index;
  const Parameter& first = draft.form.op->parameters[0];
  return parameter.name == first.name ? Role::data : Role::updates;
}

Dims output_shape(const Draft& draft, Choices& choices) {
  static constexpr std::int64_t far[] = {std::int64_t{1} << 40, std::int64_t{1} << 62, INT64_MAX, -1};
  Dims shape = draft.data;
  if (choices.chance(4) && !shape.empty()) shape[choices.below(shape.size())] = choices.pick(far);
  return shape;
}

// In place, an input may look into the memory that is written.
void share(Case& c, Choices& choices) {
  auto& data = std::get<TensorSpec>(c.args[0].value);
  for (std::size_t i = 1; i < c.args.size(); ++i) {
    auto* const tensor = std::get_if<TensorSpec>(&c.args[i].value);
    if (tensor == nullptr || tensor->data.dtype != data.data.dtype || !choices.chance(60)) continue;
    const std::int64_t count = element_count(tensor->shape), room = data.data.size() - count;
    if (room < 0 || count == 0) continue;
    *tensor =
        TensorSpec{tensor->shape, Buffer{data.data.dtype, {}, {}}, dense_strides(tensor->shape), choices.between(0, room), c.args[0].name};
    return;
  }
}

}  // namespace

std::string OperatorForm::full_name() const { return cat(op->dialect, ".", op->name, in_place ? "_" : ""); }

std::vector<OperatorForm> operator_forms() {
  std::vector<OperatorForm> forms;
  for (const std::span<const Operator> dialect : registry()) {
    for (const Operator& op : dialect) {
      forms.push_back({&op, false});
      if (op.in_place) forms.push_back({&op, true});
    }
  }
  return forms;
}

Case generate_case(const OperatorForm& form, Choices& choices, Size size) {
  Draft draft = valid_draft(form, choices, size);
  const bool spoilt = choices.chance(35);
  if (spoilt) spoil(draft, choices);
  if (spoilt && choices.chance(15)) spoil(draft, choices);

  Case c;
  c.id = form.full_name();
  c.system = form.op->dialect;
  c.op = cat(form.op->name, form.in_place ? "_" : "");
  for (const Parameter& parameter : form.op->parameters) {
    const auto give = [&](decltype(CaseArgument::value) value) { c.args.push_back({std::string(parameter.name), std::move(value)}); };
    const auto fixed = draft.fixed.find(parameter.name);
    const auto word = draft.words.find(parameter.name);
    const bool written = (form.in_place || parameter.type == Parameter::target) && c.args.empty();
    if (fixed != draft.fixed.end()) {
      give(fixed->second);
      continue;
    }
    switch (parameter.type) {
      case Parameter::index_key:
      case Parameter::columns: give(make_key(draft, choices)); break;
      case Parameter::source:
        if (choices.chance(35)) {
          Number number = make_number(choices);
          // Paddle says nothing about complex numbers.
          if (form.op->dialect == "paddle" && std::holds_alternative<std::complex<double>>(number)) number = 2.5;
          give(number);
          break;
        }
        [[fallthrough]];
      case Parameter::tensor:
      case Parameter::updates:
      case Parameter::target:
      case Parameter::indices: give(make_tensor(draft, role_of(draft, parameter), choices, !written || choices.chance(5))); break;
      case Parameter::word:
        if (word != draft.words.end()) give(word->second);
        break;
      case Parameter::shape: give(output_shape(draft, choices)); break;
      case Parameter::boolean:
        if (!optional_and_left_out(parameter, choices)) give(Number(choices.chance(50)));
        break;
      case Parameter::number:
        if (!optional_and_left_out(parameter, choices)) give(make_number(choices));
        break;
      case Parameter::integer:
        if (!parameter.fallback) give(Number(std::int64_t{0}));
        break;
    }
  }
  if ((form.in_place || form.op->writes_first_argument()) && choices.chance(6)) share(c, choices);
  return c;
}

Case generate_case(const OperatorForm& form, std::uint64_t seed, std::int64_t i) {
  // Operators and numbers must not walk through the same stretch of the sequence.
  std::uint64_t start = seed;
  for (const char letter : form.full_name()) start = SeededChoices(start ^ static_cast<std::uint64_t>(letter)).bits(64);
  SeededChoices choices(start + static_cast<std::uint64_t>(i) * 0x632be59bd9b4e019u);
  // Large cases are rare, so that many small ones can be judged in the same time.
  const Size size = i % 16 == 7 ? Size::many : i % 16 == 15 ? Size::wide : Size::small;
  Case c = generate_case(form, choices, size);
  c.id = cat(form.full_name(), "/seed-", seed, "/", i);
  return c;
}

}  // namespace strew::harness
