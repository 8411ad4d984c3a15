// One run: lay out the arguments, describe, run, then look at every byte that must not have changed.
#include "harness/runner.h"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "dialects/registry.h"
#include "dialects/views.h"
#include "harness/cut.h"
#include "harness/memory.h"
#include "strew/plan.h"

namespace strew::harness {
using namespace internal;
namespace {

// The buffers of a case in guarded memory, and the arguments that look into them.
class Layout {
 public:
  Layout(const Case& c, std::size_t shift) {
    for (const CaseArgument& argument : c.args) {
      each_tensor(argument, [&](const std::string& name, const TensorSpec& tensor) {
        if (tensor.shares.empty()) buffers_.emplace(name, std::make_unique<GuardedBuffer>(tensor.data, shift));
      });
    }
    for (const CaseArgument& argument : c.args)
      arguments_.push_back({argument.name, std::visit([&](const auto& x) { return value_of(argument.name, x); }, argument.value)});
  }

  [[nodiscard]] std::span<const Argument> arguments() const { return arguments_; }
  [[nodiscard]] std::map<std::string, Buffer> contents() const {
    std::map<std::string, Buffer> contents;
    for (const auto& [name, buffer] : buffers_) contents.emplace(name, buffer->content());
    return contents;
  }
  [[nodiscard]] std::string broken_guards() const {
    std::string names;
    for (const auto& [name, buffer] : buffers_) {
      if (!buffer->intact()) names += cat("wrote outside ", name, "; ");
    }
    return names;
  }

 private:
  using Value = decltype(Argument::value);

  ConstTensorRef view_of(const std::string& name, const TensorSpec& tensor) {
    const auto owner = buffers_.find(tensor.shares.empty() ? name : tensor.shares);
    if (owner == buffers_.end()) throw std::runtime_error(cat("case: no argument \"", tensor.shares, "\" to share with"));
    // An offset of a buffer without elements is never used, and a null pointer must do there.
    auto* const data = static_cast<std::byte*>(owner->second->data()) + tensor.offset * size_of(tensor.data.dtype);
    return ConstTensorRef(data, tensor.data.dtype, tensor.shape, strides_of(tensor));
  }
  Value value_of(const std::string& name, const TensorSpec& tensor) { return view_of(name, tensor); }
  Value value_of(const std::string& name, const KeySpec& parts) {
    IndexKey key;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto* const tensor = std::get_if<TensorSpec>(&parts[i]);
      if (tensor != nullptr) key.push_back(view_of(cat(name, "[", i, "]"), *tensor));
      else key.push_back(std::visit(Basic{}, parts[i]));
    }
    return key;
  }
  template <class T>
  Value value_of(const std::string&, const T& value) {
    return value;
  }

  // A part of a key that is no tensor.
  struct Basic {
    numpy::Index operator()(const auto& part) const { return part; }
    numpy::Index operator()(const TensorSpec&) const { return {}; }
  };

  std::map<std::string, std::unique_ptr<GuardedBuffer>> buffers_;
  std::vector<Argument> arguments_;
};

const CaseArgument& argument_named(const Case& c, std::string_view name) {
  for (const CaseArgument& argument : c.args) {
    if (argument.name == name) return argument;
  }
  throw Error(ErrorCode::argument, cat("argument \"", name, "\" is missing"));
}

Values values_of(const Tensor& tensor) {
  Values values{tensor.shape(), zeros(tensor.dtype(), tensor.size())};
  if (tensor.dtype() == Dtype::string) {
    const auto strings = tensor.values<std::string>();
    values.data.strings.assign(strings.begin(), strings.end());
  } else if (tensor.size() > 0) {
    std::memcpy(values.data.bytes.data(), tensor.data(), values.data.bytes.size());
  }
  return values;
}

// The errors that a call may throw, as an answer.
template <class Call>
Answer answer_of(Call call) {
  Answer answer;
  try {
    answer.result = call();
  } catch (const Error& error) {
    answer.code = error.code();
    answer.message = error.what();
    answer.bad_index = error.bad_index();
  } catch (const std::bad_alloc&) {
    answer.code = ErrorCode::memory;
    answer.message = "std::bad_alloc";
  }
  return answer;
}

// A plan of an op; for `indices_gone`, from copies of its indices that no longer exist when this returns.
Plan make_plan(ScatterOp op, const Setup& setup) {
  if (setup.planned == Planned::yes) return plan(op, setup.options);
  std::vector<Tensor> copies;
  for (ConstTensorRef& column : op.where.columns) {
    copies.push_back(Tensor::copy_of(column));
    column = std::as_const(copies.back());
  }
  Plan made = plan(op, setup.options);
  for (Tensor& copy : copies) {
    if (copy.size() > 0) std::memset(copy.data(), 0x5b, static_cast<std::size_t>(copy.size() * size_of(copy.dtype())));
  }
  if (setup.planned != Planned::from_places) return made;
  const Tensor places = made.places();
  return plan_from_places(op, places, setup.options);
}

RunOptions without_strategy(RunOptions options) {
  options.strategy = {};
  return options;
}

ConstTensorRef updates_of(const ScatterOp& op, const Plan& made) {
  if (!op.scalar) return op.updates;
  return {op.scalar->bytes, op.scalar->dtype, made.updates_shape(), Dims(made.updates_shape().size(), 0)};
}

Tensor compute_one(ScatterOp op, const Setup& setup) {
  if (setup.planned == Planned::no) return compute(std::move(op), setup.options);
  if (std::holds_alternative<InPlace>(op.base)) op.base = ConstTensorRef(op.out);
  const Plan made = make_plan(op, setup);
  const RunOptions options = without_strategy(setup.options);
  // Once with the op again and once with its tensors alone: both are the same.
  if (setup.planned == Planned::yes) return made.compute(std::move(op), options);
  const ConstTensorRef updates = updates_of(op, made);
  const auto* base = std::get_if<ConstTensorRef>(&op.base);
  return base != nullptr ? made.compute(*base, updates, options) : made.compute(updates, options);
}
Tensor compute_one(GatherOp op, const Setup& setup) { return compute(std::move(op), setup.options); }

void run_one(ScatterOp op, const Setup& setup) {
  if (setup.pieces != 0) return run_in_pieces(op, setup.pieces, setup.options);
  if (setup.planned == Planned::no) {
    run(std::move(op), setup.options);
    return;
  }
  const Plan made = make_plan(op, setup);
  const RunOptions options = without_strategy(setup.options);
  if (setup.planned == Planned::yes) {
    made.apply(std::move(op), options);
  } else if (op.scalar) {
    made.apply(*op.scalar, op.out, options);
  } else {
    made.apply(op.updates, op.out, options);
  }
}
void run_one(GatherOp op, const Setup& setup) { run(std::move(op), setup.options); }

// Whether there can be memory for an output of this shape.
bool is_affordable(const Dims& shape) {
  double count = 1;
  for (const std::int64_t size : shape) count *= static_cast<double>(size == 0 ? 1 : size);
  return count < 1e7;
}

Tensor compute_any(AnyOp op, const Setup& setup) {
  return std::visit(
      [&](auto& any) {
        if (!setup.explained) return compute_one(std::move(any), setup);
        static_cast<void>(explain(any, setup.options));
        return is_affordable(any.out.shape) ? Tensor::zeros(any.out.dtype, any.out.shape) : Tensor();
      },
      op);
}
void run_any(AnyOp op, const Setup& setup) {
  std::visit(
      [&](auto& any) {
        if (!setup.explained) return run_one(std::move(any), setup);
        static_cast<void>(explain(any, setup.options));
      },
      op);
}

Parameter::Type type_of(const Operator& op, const Argument& argument) {
  std::size_t i = 0;
  while (op.parameters[i].name != argument.name) ++i;
  return op.parameters[i].type;
}
bool is_scattered(Parameter::Type type) { return type == Parameter::updates || type == Parameter::source; }
bool is_index(Parameter::Type type) { return type == Parameter::indices || is_key(type); }

// The arguments with something of the updates' type and shape in their place.
std::vector<Argument> before_updates(const Operator& op, const ScatterOp& described, std::vector<Argument> arguments) {
  const auto updates = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return is_scattered(type_of(op, a)); });
  const auto* const tensor = std::get_if<ConstTensorRef>(&updates->value);
  Argument stands_in{updates->name, {}};
  const Dtype dtype = tensor != nullptr ? tensor->dtype : described.scalar->dtype;
  arguments.erase(updates);
  stands_in.value = stand_in(dtype, op.updates_shape(Arguments(op, arguments)));
  arguments.push_back(std::move(stands_in));
  return arguments;
}

// A plan, and the op that it is applied to, which has no indices any more.
struct PlannedOp {
  Plan plan;
  ScatterOp op;
};
PlannedOp describe_twice(const Operator& op, const TensorRef& out, std::span<const Argument> arguments, const Setup& setup) {
  // What is wrong with the updates comes first in a call, so it does here as well.
  const AnyOp whole = op.describe(out, Arguments(op, arguments));
  const std::vector<Argument> early = before_updates(op, std::get<ScatterOp>(whole), {arguments.begin(), arguments.end()});
  const Plan made = plan(std::get<ScatterOp>(op.describe(out, Arguments(op, early))), setup.options);
  std::vector<Argument> late(arguments.begin(), arguments.end());
  for (Argument& argument : late) {
    if (is_index(type_of(op, argument))) argument = without_memory(argument);
  }
  return {made, std::get<ScatterOp>(op.describe(out, Arguments(op, late)))};
}

Values run_into(const Operator& op, const Arguments& arguments, const Setup& setup, std::string& damage) {
  const TensorRef wanted = std::visit([](const auto& any) { return any.out; }, op.describe({}, arguments));
  // Where nobody could hand in such an output, the functional form says what is wrong with it.
  if (!is_affordable(wanted.shape)) return values_of(compute_any(op.describe({}, arguments), setup));
  // What was there before must not shine through, so it is neither zero nor a likely value.
  Buffer before = zeros(wanted.dtype, element_count(wanted.shape));
  for (std::byte& b : before.bytes) b = std::byte{0x5b};
  for (std::string& s : before.strings) s = "what was here before";
  if (wanted.dtype == Dtype::bool_) before = zeros(wanted.dtype, element_count(wanted.shape));
  GuardedBuffer memory(before);
  try {
    run_any(op.describe(TensorRef(memory.data(), wanted.dtype, wanted.shape), arguments), setup);
  } catch (...) {
    if (!same_bits(memory.content(), before)) damage += "an error changed the output; ";
    if (!memory.intact()) damage += "wrote outside the output; ";
    throw;
  }
  if (!memory.intact()) damage += "wrote outside the output; ";
  return {wanted.shape, memory.content()};
}

// In place only the elements of the first argument's view may change, and on an error not even those.
std::string unexpected_changes(const Case& c, const std::map<std::string, Buffer>& before, const std::map<std::string, Buffer>& after,
                               const TensorSpec* written, std::string_view written_name) {
  std::string damage;
  for (const auto& entry : before) {
    const std::string& name = entry.first;
    const Buffer& buffer = entry.second;
    const Buffer& now = after.at(name);
    if (same_bits(buffer, now)) continue;
    if (written == nullptr || name != (written->shares.empty() ? written_name : std::string_view(written->shares))) {
      damage += cat("changed ", name, " of ", c.id, "; ");
      continue;
    }
    Buffer rest = now;
    each_place(*written, [&](std::int64_t place) { copy_element(rest, place, buffer, place); });
    if (!same_bits(rest, buffer)) damage += cat("changed elements of ", name, " that are not in the view; ");
  }
  return damage;
}

}  // namespace

bool has_in_place_form(const Case& c) {
  const Found found = find_operator(c.dialect(), c.op);
  // DirectML has no operator of these that may run in place.
  return found.op != nullptr && found.op->parameters[0].type == Parameter::tensor && !c.op.starts_with("gather") &&
         c.dialect() != "directml";
}

Answer run_case(const Case& c, const Setup& setup) {
  const Found found = find_operator(c.dialect(), c.op);
  if (found.op == nullptr) throw std::runtime_error(cat("case ", c.id, ": no operator ", c.dialect(), ".", c.op));
  const bool only_in_place = found.op->writes_first_argument();
  const bool in_place = only_in_place || setup.form == Form::in_place || (setup.form == Form::by_name && found.in_place);
  Layout layout(c, setup.shift);
  const std::map<std::string, Buffer> before = layout.contents();
  const std::string_view target_name = found.op->parameters[0].name;
  const TensorSpec* target = nullptr;
  std::string damage;

  Answer answer = answer_of([&]() -> Values {
    const Arguments arguments(*found.op, layout.arguments());
    if (setup.form == Form::into && !in_place) return run_into(*found.op, arguments, setup, damage);
    const bool twice = setup.planned == Planned::described_twice && found.op->scatters();
    if (!in_place && twice) {
      const PlannedOp planned = describe_twice(*found.op, {}, layout.arguments(), setup);
      return values_of(planned.plan.compute(planned.op, without_strategy(setup.options)));
    }
    if (!in_place) return values_of(compute_any(found.op->describe({}, arguments), setup));
    target = &std::get<TensorSpec>(argument_named(c, target_name).value);
    const ConstTensorRef& view = arguments.tensor(target_name);
    const TensorRef out(const_cast<void*>(view.data), view.dtype, view.shape, view.strides);
    if (twice) {
      const PlannedOp planned = describe_twice(*found.op, out, layout.arguments(), setup);
      planned.plan.apply(planned.op, without_strategy(setup.options));
    } else {
      run_any(found.op->describe(out, arguments), setup);
    }
    const std::map<std::string, Buffer> now = layout.contents();
    return dense(*target, now.at(target->shares.empty() ? std::string(target_name) : target->shares));
  });
  answer.damage =
      damage + layout.broken_guards() + unexpected_changes(c, before, layout.contents(), answer.result ? target : nullptr, target_name);
  return answer;
}

}  // namespace strew::harness
