// Describes calls with cotangents and tangents in the place of arguments.
#include "gradient/operator_gradient.h"

#include "base/text.h"
#include "core/memory_errors.h"
#include "core/view.h"
#include "gradient/elementwise.h"
#include "gradient/vjp.h"

namespace strew::internal {
namespace {

using ArgumentList = SmallVector<Argument, 8>;

bool is_source(Parameter::Type type) { return type == Parameter::updates || type == Parameter::source; }

// The argument whose values the output starts from, or that is gathered from; empty if there is none.
std::string_view input_of(const Operator& op) {
  const Parameter& first = op.parameters.front();
  return first.type == Parameter::tensor || first.type == Parameter::target ? first.name : std::string_view();
}
std::string_view updates_of(const Operator& op) {
  for (const Parameter& parameter : op.parameters) {
    if (is_source(parameter.type)) return parameter.name;
  }
  return {};
}

std::string name_of(const OperatorCall& call) {
  return cat(call.op.dialect, ".", call.op.name, call.in_place && call.op.in_place ? "_" : "");
}
[[noreturn]] void fail(const OperatorCall& call, ErrorCode code, const std::string& sentence) {
  throw Error(code, cat(name_of(call), ": ", sentence));
}

// Views of arrays are valid; only what they are is checked.
void require_like(const OperatorCall& call, std::string_view argument, const ConstTensorRef& given, Dtype dtype, const Dims& shape) {
  if (given.dtype != dtype) fail(call, ErrorCode::dtype, cat(argument, " must be ", to_string(dtype), ", got ", to_string(given.dtype)));
  if (!(given.shape == shape))
    fail(call, ErrorCode::shape, cat(argument, " must have shape ", bracketed(shape), ", got ", bracketed(given.shape)));
}

const Argument* find(std::span<const Argument> arguments, std::string_view name) {
  for (const Argument& argument : arguments) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

// The tensor that has a cotangent or a tangent.
const ConstTensorRef& differentiable(const OperatorCall& call, std::string_view name) {
  const Argument* const argument = find(call.arguments, name);
  const bool has_role = name == input_of(call.op) || name == updates_of(call.op);
  if (argument == nullptr || !has_role) {
    std::string names(input_of(call.op));
    if (call.op.scatters()) append(names, cat(names.empty() ? "" : " and ", updates_of(call.op)));
    fail(call, ErrorCode::argument, cat("there is no gradient of \"", name, "\"; there is one of ", names));
  }
  const auto* const tensor = std::get_if<ConstTensorRef>(&argument->value);
  if (tensor == nullptr) fail(call, ErrorCode::argument, cat("\"", name, "\" is a number here; only arrays have a gradient"));
  const DtypeKind kind = dtype_info(tensor->dtype).kind;
  if (kind != DtypeKind::floating && kind != DtypeKind::complex) {
    fail(call, ErrorCode::dtype,
         cat(name, " of ", to_string(tensor->dtype), " has no gradient; only floating-point and complex numbers have one"));
  }
  return *tensor;
}

// The op of the call with other tensors for some arguments. `out` is used by operators that are not in place.
AnyOp described(const OperatorCall& call, std::span<const Argument> others, const TensorRef& out = {}) {
  ArgumentList arguments(call.arguments);
  for (const Argument& other : others) {
    for (Argument& argument : arguments) {
      if (argument.name == other.name) argument.value = other.value;
    }
  }
  const Arguments by_name(call.op, arguments);
  return call.op.describe(call.in_place ? writable(by_name.tensor(call.op.parameters.front().name)) : out, by_name);
}

// The same view of another dense tensor of the same type and shape.
template <class Ref>
Ref moved(Ref view, const void* from, const void* to) {
  const std::ptrdiff_t offset = static_cast<const std::byte*>(view.data) - static_cast<const std::byte*>(from);
  view.data = const_cast<std::byte*>(static_cast<const std::byte*>(to)) + offset;
  return view;
}

// Arrays that live as long as one derivative.
class Workspace {
 public:
  explicit Workspace(const RunOptions& options) : options_(options) {}
  // The tensor itself if it is dense, else a copy.
  [[nodiscard]] ConstTensorRef dense(const ConstTensorRef& view) {
    if (view.strides == dense_strides(view.shape)) return view;
    return tensors_.emplace_back(converted(view, view.dtype, options_));
  }
  [[nodiscard]] ConstTensorRef zeros(Dtype dtype, const Dims& shape) { return tensors_.emplace_back(Tensor::zeros(dtype, shape)); }

 private:
  const RunOptions& options_;
  std::vector<Tensor> tensors_;
};

std::int64_t distinct_elements(const ConstTensorRef& view) { return element_count(without_repeats(view).shape); }

// Views of something like the inputs of a scatter: cotangents or tangents.
struct Views {
  ConstTensorRef base, updates;
  bool has_base = false, has_updates = false;
};

// The cotangents of a scatter's arguments.
class ScatterVjp {
 public:
  ScatterVjp(const OperatorCall& call, const ScatterOp& op, const ConstTensorRef& cotangent, std::span<const std::string_view> wanted)
      : call_(call), op_(op), work_(call.options), cotangent_(cotangent) {
    for (const std::string_view name : wanted) {
      const ConstTensorRef& argument = differentiable(call, name);
      (name == input_of(call.op) ? input_ : updates_) = &argument;
    }
    const Dims& shape = call.in_place ? input().shape : op.out.shape;
    require_like(call, "the cotangent", cotangent, op.out.dtype, shape);
  }

  // Makes the outputs, and views of them and of the cotangent as the op addresses them. `apply` writes the outputs; elements of the base
  // that the op cannot address get those of `elsewhere`.
  template <class Apply>
  void run(bool may_pass, const ConstTensorRef& elsewhere, Apply apply) {
    passes_ = may_pass && input_ != nullptr && passes_cotangent(op_);
    const bool makes_base = input_ != nullptr && !passes_;
    SmallVector<Argument, 2> others;
    if (updates_ != nullptr) {
      // A dialect that casts its updates is described with a cotangent of the type that it casts to.
      const bool is_cast = op_.keep != nullptr && !op_.scalar && op_.updates.dtype != updates_->dtype;
      updates_made_.emplace(is_cast ? op_.updates.dtype : updates_->dtype, updates_->shape);
      others.push_back({updates_of(call_.op), *updates_made_});
    }
    if (makes_base) base_made_.emplace(input_->dtype, input_->shape);
    if (call_.in_place) {
      cotangent_ = work_.dense(cotangent_);
      others.push_back({input_of(call_.op), cotangent_});
    } else if (makes_base) {
      others.push_back({input_of(call_.op), ConstTensorRef(*base_made_)});
    }
    const AnyOp any = described(call_, others, writable(cotangent_));
    const auto& views = std::get<ScatterOp>(any);
    TensorRef base, updates;
    Cotangents into;
    if (makes_base) {
      base = call_.in_place ? moved(views.out, cotangent_.data, base_made_->data()) : writable(std::get<ConstTensorRef>(views.base));
      if (distinct_elements(base) != base_made_->size()) convert(*base_made_, elsewhere, call_.options);
      into.base = &base;
    }
    if (updates_ != nullptr) {
      const bool is_used = !views.scalar;
      if (is_used && views.keep != nullptr && !is_inside(views.updates, *updates_made_))
        fail(call_, ErrorCode::unsupported, cat("the gradient of ", updates_of(call_.op), " through a copy of it is not defined"));
      if (!is_used || distinct_elements(views.updates) != updates_made_->size()) fill_zeros(*updates_made_);
      updates = writable(views.updates);
      if (is_used) into.updates = &updates;
    }
    apply(views, into);
  }

  [[nodiscard]] ArgumentCotangent take(std::string_view name) {
    if (name == input_of(call_.op)) {
      if (passes_) return std::nullopt;
      return std::move(base_made_);
    }
    if (updates_made_->dtype() != updates_->dtype) return converted(*updates_made_, updates_->dtype, call_.options);
    return std::move(updates_made_);
  }

  // The output of the call as the op addresses it. `views` is the op of the views.
  [[nodiscard]] std::optional<ConstTensorRef> result_view(const std::optional<ConstTensorRef>& result, const ScatterOp& views) {
    const bool is_used = rule_of(op_.name, op_.fold.step) == Rule::extreme;
    if (!result) return {};
    require_like(call_, "the result", *result, op_.out.dtype, call_.in_place ? input().shape : op_.out.shape);
    if (!is_used) return {};
    if (!call_.in_place) return std::get<ScatterOp>(described(call_, {}, writable(*result))).out;
    return moved(ConstTensorRef(views.out), cotangent_.data, work_.dense(*result).data);
  }

 private:
  [[nodiscard]] const ConstTensorRef& input() const { return std::get<ConstTensorRef>(find(call_.arguments, input_of(call_.op))->value); }
  static bool is_inside(const ConstTensorRef& view, const Tensor& memory) {
    const auto* const begin = static_cast<const std::byte*>(memory.data());
    const auto* const at = static_cast<const std::byte*>(view.data);
    return std::less_equal<>()(begin, at) && std::less_equal<>()(at, begin + memory.size() * size_of(memory.dtype()));
  }

  const OperatorCall& call_;
  const ScatterOp& op_;
  Workspace work_;
  ConstTensorRef cotangent_;
  const ConstTensorRef *input_ = nullptr, *updates_ = nullptr;  // null: not wanted
  std::optional<Tensor> base_made_, updates_made_;
  bool passes_ = false;
};

std::vector<ArgumentCotangent> in_order(ScatterVjp& made, std::span<const std::string_view> wanted) {
  std::vector<ArgumentCotangent> cotangents;
  cotangents.reserve(wanted.size());
  for (const std::string_view name : wanted) cotangents.push_back(made.take(name));
  return cotangents;
}

// The cotangent of the source of a gather.
Tensor gather_vjp(const OperatorCall& call, const GatherOp& op, const ConstTensorRef& cotangent) {
  const std::string_view name = input_of(call.op);
  const ConstTensorRef& source = differentiable(call, name);
  require_like(call, "the cotangent", cotangent, op.out.dtype, op.out.shape);
  Tensor made(source.dtype, source.shape);
  const Argument other{name, ConstTensorRef(made)};
  const AnyOp any = described(call, {&other, 1}, writable(cotangent));
  const auto& views = std::get<GatherOp>(any);
  if (distinct_elements(views.from) != made.size() || is_empty(views.where.points)) fill_zeros(made);
  if (!is_empty(views.where.points)) vjp_on_fresh(views, views.out, writable(views.from), call.options);
  return made;
}

void require_tangents_like_arguments(const OperatorCall& call, std::span<const Argument> tangents) {
  for (const Argument& tangent : tangents) {
    const ConstTensorRef& argument = differentiable(call, tangent.name);
    const auto* const given = std::get_if<ConstTensorRef>(&tangent.value);
    if (given == nullptr) fail(call, ErrorCode::argument, cat("the tangent of ", tangent.name, " must be a tensor"));
    require_like(call, cat("the tangent of ", tangent.name), *given, argument.dtype, argument.shape);
  }
}

// Calls use(op on tangents, their views, dense memory of the input's tangent) for a scatter.
template <class Use>
void with_tangents(const OperatorCall& call, std::span<const Argument> tangents, Workspace& work, Use use) {
  SmallVector<Argument, 2> others;
  const std::string_view input = input_of(call.op);
  const Argument* const base = input.empty() ? nullptr : find(tangents, input);
  const Argument* const updates = find(tangents, updates_of(call.op));
  if (updates != nullptr) others.push_back(*updates);
  ConstTensorRef memory;
  if (call.in_place) {
    const auto& own = std::get<ConstTensorRef>(find(call.arguments, input)->value);
    memory = base != nullptr ? work.dense(std::get<ConstTensorRef>(base->value)) : work.zeros(own.dtype, own.shape);
    others.push_back({input, memory});
  } else if (base != nullptr) {
    others.push_back(*base);
  }
  const AnyOp any = described(call, others);
  const auto& op = std::get<ScatterOp>(any);
  const ConstTensorRef* const tensor = std::get_if<ConstTensorRef>(&op.base);
  const ConstTensorRef in_place = op.out;
  const ConstTensorRef* const base_view = call.in_place ? &in_place : base != nullptr ? tensor : nullptr;
  const bool has_updates = updates != nullptr && !op.scalar;
  use(op, Tangents{base_view, has_updates ? &op.updates : nullptr}, memory);
}

// The name of the operator is only put together for an error.
template <class Work>
auto naming_memory(const OperatorCall& call, const Work& work) {
  try {
    return work();
  } catch (...) {
    return naming_memory_errors(name_of(call).c_str(), "the gradient", "", [&]() -> decltype(work()) { throw; });
  }
}

}  // namespace

std::vector<ArgumentCotangent> vjp(const OperatorCall& call, const ConstTensorRef& cotangent, std::span<const std::string_view> wanted,
                                   const std::optional<ConstTensorRef>& result) {
  return naming_memory(call, [&] {
    std::vector<ArgumentCotangent> cotangents;
    const AnyOp any = described(call, {});
    if (const auto* const gather = std::get_if<GatherOp>(&any)) {
      for (const std::string_view name : wanted) static_cast<void>(differentiable(call, name));
      for (std::size_t i = 0; i < wanted.size(); ++i) cotangents.emplace_back(gather_vjp(call, *gather, cotangent));
      return cotangents;
    }
    const auto& op = std::get<ScatterOp>(any);
    ScatterVjp made(call, op, cotangent, wanted);
    Problem problem(op, call.options);
    made.run(true, cotangent, [&](const ScatterOp& views, const Cotangents& into) {
      vjp_on_fresh(problem, views.out, made.result_view(result, views), into);
    });
    return in_order(made, wanted);
  });
}

Tensor jvp(const OperatorCall& call, std::span<const Argument> tangents, const std::optional<ConstTensorRef>& result) {
  return naming_memory(call, [&] {
    require_tangents_like_arguments(call, tangents);
    const AnyOp any = described(call, {});
    if (const auto* const gather = std::get_if<GatherOp>(&any)) {
      if (tangents.empty()) return Tensor::zeros(gather->out.dtype, gather->out.shape);
      return compute(std::get<GatherOp>(described(call, tangents)), call.options);
    }
    const auto& op = std::get<ScatterOp>(any);
    Problem problem(op, call.options);
    Workspace work(call.options);
    std::optional<Tensor> made;
    with_tangents(call, tangents, work, [&](const ScatterOp& on_tangents, const Tangents& views, const ConstTensorRef& memory) {
      const Dims& shape = call.in_place ? memory.shape : op.out.shape;
      made.emplace(op.out.dtype, shape);
      TensorRef into = *made;
      std::optional<ConstTensorRef> result_view;
      if (result) {
        require_like(call, "the result", *result, op.out.dtype, shape);
        result_view = call.in_place ? moved(ConstTensorRef(on_tangents.out), memory.data, work.dense(*result).data)
                                    : ConstTensorRef(std::get<ScatterOp>(described(call, {}, writable(*result))).out);
      }
      if (call.in_place) {
        into = moved(on_tangents.out, memory.data, made->data());
        if (distinct_elements(into) != made->size()) convert(*made, memory, call.options);
      } else {
        into = std::get<ScatterOp>(described(call, {}, into)).out;
      }
      jvp_on_fresh(problem, views, result_view, into);
    });
    return std::move(*made);
  });
}

std::vector<ArgumentCotangent> vjp_jvp(const OperatorCall& call, const ConstTensorRef& cotangent,
                                       const std::optional<ConstTensorRef>& cotangent_tangent, std::span<const Argument> tangents,
                                       std::span<const std::string_view> wanted) {
  require_tangents_like_arguments(call, tangents);
  const AnyOp any = described(call, {});
  const auto* const op = std::get_if<ScatterOp>(&any);
  if (cotangent_tangent) require_like(call, "the tangent of the cotangent", *cotangent_tangent, cotangent.dtype, cotangent.shape);
  return naming_memory(call, [&] {
    Workspace work(call.options);
    const ConstTensorRef further = cotangent_tangent ? *cotangent_tangent : work.zeros(cotangent.dtype, cotangent.shape);
    if (op == nullptr || rule_of(op->name, op->fold.step) != Rule::product) {
      std::vector<ArgumentCotangent> made = vjp(call, further, wanted);
      for (ArgumentCotangent& one : made) {
        if (!one) one = converted(further, further.dtype, call.options);
      }
      return made;
    }
    ScatterVjp made(call, *op, cotangent, wanted);
    Problem problem(*op, call.options);
    with_tangents(call, tangents, work, [&](const ScatterOp&, const Tangents& views, const ConstTensorRef&) {
      const auto given = views.updates != nullptr ? std::optional(*views.updates) : std::nullopt;
      const auto updates = plain_tangent(problem, given);
      // The second cotangent has the layout of the first.
      ScatterVjp second(call, *op, further, wanted);
      ConstTensorRef further_view;
      second.run(false, further, [&](const ScatterOp& described_further, const Cotangents&) { further_view = described_further.out; });
      made.run(false, further, [&](const ScatterOp& described_views, const Cotangents& into) {
        second_on_fresh(problem, described_views.out, &further_view, {views.base, updates ? &*updates : nullptr}, into);
      });
    });
    return in_order(made, wanted);
  });
}

Tensor winners(const OperatorCall& call) {
  const AnyOp any = described(call, {});
  if (const auto* const scatter = std::get_if<ScatterOp>(&any)) return strew::winners(*scatter, call.options);
  fail(call, ErrorCode::argument, "a gather has no winners; only an assignment has");
}

}  // namespace strew::internal
