// Describes a call twice: as it is, which checks it, and with arguments whose strides tell which dimension a view came from.
#include "described.h"

#include "base/text.h"
#include "core/copy.h"
#include "core/core.h"
#include "object.h"

namespace strew::python {
namespace {

constexpr int address_bits = 57;  // the memory of one argument, which is never read, is below 2^57 bytes
constexpr std::size_t most_arrays = 60;

// Arguments at symbolic addresses. Dimension d has the stride d + 1.
class Symbols {
 public:
  // `part` is the number of the array in a key; -1 for other arguments.
  [[nodiscard]] ConstTensorRef add(const Operator& op, std::string_view name, std::int64_t part, Dtype dtype, const Dims& shape) {
    if (names_.size() == most_arrays) throw Error(ErrorCode::argument, cat(op.dialect, ".", op.name, ": ", name, " has too many arrays"));
    names_.push_back(tuple_of({text(name), integer(part), text(to_string(dtype))}));
    Dims strides;
    for (std::size_t d = 0; d < shape.size(); ++d) strides.push_back(static_cast<std::int64_t>(d) + 1);
    return {address_of(names_.size() - 1), dtype, shape, std::move(strides)};
  }
  [[nodiscard]] nb::object names() const { return tuple_of(names_); }

  // (number of the argument, offset in elements, strides, shape, dtype). The number is None for memory of the op's own.
  [[nodiscard]] nb::object data_of(const View& view) const {
    const auto address = reinterpret_cast<std::uintptr_t>(view.data);
    const std::uintptr_t at = (address >> address_bits) - 1;
    const bool is_own = at >= names_.size();
    const auto offset = static_cast<std::int64_t>(address & ((std::uintptr_t{1} << address_bits) - 1)) / size_of(view.dtype);
    return tuple_of({is_own ? nb::none() : integer(static_cast<std::int64_t>(at)), integer(is_own ? 0 : offset), tuple_of(view.strides),
                     tuple_of(view.shape), text(to_string(view.dtype))});
  }

 private:
  static const void* address_of(std::size_t at) { return reinterpret_cast<const void*>((std::uintptr_t{at} + 1) << address_bits); }

  std::vector<nb::object> names_;
};

const Parameter& parameter_of(const Operator& op, std::string_view name) {
  const Parameter* parameter = op.parameters.data();
  while (parameter->name != name) ++parameter;
  return *parameter;
}

// The arguments with symbolic arrays. In a key of a[...], a mask becomes one vector of coordinates for each of its dimensions.
class Arrangement {
 public:
  Arrangement(const Callable& callable, const SmallVector<Argument, 8>& arguments) : op_(*callable.op) {
    for (const Argument& argument : arguments) {
      Argument& like = arguments_.emplace_back();
      like.name = argument.name;
      const Parameter& parameter = parameter_of(op_, argument.name);
      if (const auto* tensor = std::get_if<ConstTensorRef>(&argument.value)) {
        like.value = symbols_.add(op_, argument.name, -1, tensor->dtype, tensor->shape);
      } else if (parameter.type == Parameter::columns) {
        like.value = with_symbols(argument.name, std::get<IndexKey>(argument.value));
      } else if (parameter.type == Parameter::index_key) {
        like.value = with_symbols(argument.name, std::get<IndexKey>(without_memory(argument).value));
      } else {
        like.value = argument.value;
      }
    }
  }

  // The updates, as if they already had the type that steps are computed in: they are not converted then, which would read them.
  void give_updates(std::string_view name, Dtype dtype) {
    for (Argument& argument : arguments_) {
      auto* const tensor = argument.name == name ? std::get_if<ConstTensorRef>(&argument.value) : nullptr;
      if (tensor != nullptr) tensor->dtype = dtype;
    }
  }

  // What an operator that works in place writes into: dense, as some operators require.
  [[nodiscard]] TensorRef target(bool in_place) const {
    TensorRef out;
    if (!in_place) return out;
    const ConstTensorRef& first = Arguments(op_, arguments_).tensor(op_.parameters.front().name);
    out.data = const_cast<void*>(first.data);
    out.dtype = first.dtype;
    out.shape = first.shape;
    out.strides = dense_strides(first.shape);
    return out;
  }

  [[nodiscard]] const SmallVector<Argument, 8>& arguments() const { return arguments_; }
  [[nodiscard]] const Symbols& symbols() const { return symbols_; }

 private:
  [[nodiscard]] IndexKey with_symbols(std::string_view name, const IndexKey& key) {
    IndexKey parts;
    std::int64_t number = 0;
    for (const numpy::Index& part : key) {
      const auto* const tensor = std::get_if<ConstTensorRef>(&part);
      if (tensor == nullptr || tensor->dtype == Dtype::bool_) {
        parts.push_back(part);
      } else {
        parts.push_back(symbols_.add(op_, name, number++, tensor->dtype, tensor->shape));
      }
    }
    return parts;
  }

  const Operator& op_;
  SmallVector<Argument, 8> arguments_;
  Symbols symbols_;
};

nb::object bytes_of(const Scalar& scalar) {
  const auto size = static_cast<Py_ssize_t>(size_of(scalar.dtype));
  return tuple_of({text(to_string(scalar.dtype)), checked(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(scalar.bytes), size))});
}

struct Items {
  nb::object dict = checked(PyDict_New());

  void add(const char* name, const nb::object& value) const {
    if (PyDict_SetItemString(dict.ptr(), name, value.ptr()) != 0) throw nb::python_error();
  }
  template <class E>
  void add_enumerator(const char* name, E value) const {
    add(name, integer(static_cast<std::int64_t>(value)));
  }
};

void add_addressing(const Items& items, const Addressing& where, const Symbols& symbols) {
  std::vector<nb::object> axes, columns;
  for (const Axis& axis : where.axes) axes.push_back(tuple_of({integer(axis.from), integer(axis.at)}));
  for (const ConstTensorRef& column : where.columns) columns.push_back(symbols.data_of(column));
  items.add("points", tuple_of(where.points));
  items.add("row", tuple_of(where.row));
  items.add("axes", tuple_of(axes));
  items.add("columns", tuple_of(columns));
  items.add_enumerator("negative", where.negative);
  items.add_enumerator("out_of_range", where.out_of_range);
  items.add("tuples", nb::bool_(where.tuples));
  items.add("words", tuple_of({text(where.words.argument), text(where.words.sentence)}));
}

// `checked_op` has the types, `layout` the views.
void add_scatter(const Items& items, const ScatterOp& checked_op, const ScatterOp& layout, const Symbols& symbols) {
  const Fold& fold = checked_op.fold;
  const Dtype dtype = checked_op.out.dtype, accumulator = accumulator_of(fold, dtype);
  items.add("out", symbols.data_of(layout.out));
  const auto* const base = std::get_if<ConstTensorRef>(&layout.base);
  items.add("base", base != nullptr ? symbols.data_of(*base) : nb::none());
  items.add("from_zeros", nb::bool_(std::holds_alternative<Zeros>(layout.base)));
  items.add("updates", layout.scalar ? nb::none() : symbols.data_of(layout.updates));
  items.add("number", checked_op.scalar ? bytes_of(*checked_op.scalar) : nb::none());
  items.add("scale", checked_op.scale ? bytes_of(*checked_op.scale) : nb::none());
  items.add_enumerator("step", fold.step);
  items.add_enumerator("compare", fold.compare);
  items.add_enumerator("finish", fold.finish);
  items.add("begin", text(fold.begin == FoldBegin::current ? "current" : fold.begin == FoldBegin::first ? "first" : "identity"));
  items.add("accumulator", needs_accumulators(fold, dtype) ? text(to_string(accumulator)) : nb::none());
  // Whether updates may be combined in any order before they are applied.
  const Properties properties = properties_of(fold.step, fold.compare, dtype);
  const Dtype stepped = checked_op.scalar ? checked_op.scalar->dtype : checked_op.updates.dtype;
  const bool is_plain = stepped == dtype && !needs_accumulators(fold, dtype);
  items.add("order_free", nb::bool_(is_plain && properties.associative && properties.commutative && properties.has_identity));
  Scalar identity{accumulator, {}};
  const IdentityKernel fill = identity_kernel(fold.step, fold.compare, accumulator);
  if (fill != nullptr) fill(identity.bytes, 1);
  items.add("identity", fill == nullptr ? nb::none() : bytes_of(identity));
}

}  // namespace

nb::object described(const Callable& callable, const SmallVector<Argument, 8>& arguments) {
  const Operator& op = *callable.op;
  for (const Argument& argument : arguments) {
    const auto* const tensor = std::get_if<ConstTensorRef>(&argument.value);
    if (tensor == nullptr || tensor->dtype != Dtype::string) continue;
    throw Error(ErrorCode::dtype, cat(op.dialect, ".", op.name, ": ", argument.name, ": a Dask array of strings cannot be scattered"));
  }
  Arrangement symbolic(callable, arguments);
  // Only the target gets symbolic strides now; the other arguments keep their memory, which may be read.
  const AnyOp first = op.describe(symbolic.target(callable.in_place), Arguments(op, arguments));
  std::visit([](const auto& any) { static_cast<void>(check_form(any, false)); }, first);
  const auto* const scatter = std::get_if<ScatterOp>(&first);
  if (scatter != nullptr && !scatter->scalar) symbolic.give_updates(op.parameters[callable.slots().updates()].name, scatter->updates.dtype);
  const AnyOp layout = op.describe(symbolic.target(callable.in_place), Arguments(op, symbolic.arguments()));

  const Items items;
  const Symbols& symbols = symbolic.symbols();
  items.add("arrays", symbols.names());
  std::visit(
      [&](const auto& any) {
        items.add("name", text(any.name.op));
        add_addressing(items, any.where, symbols);
      },
      layout);
  if (scatter != nullptr) {
    add_scatter(items, *scatter, std::get<ScatterOp>(layout), symbols);
  } else {
    const auto& gather = std::get<GatherOp>(layout);
    items.add("from", symbols.data_of(gather.from));
    items.add("out", symbols.data_of(gather.out));
  }
  return items.dict;
}

}  // namespace strew::python
