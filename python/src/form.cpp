// form_of(): what is known of a call before its arrays have values. zeros(): arrays that take their place.
#include "form.h"

#include "base/text.h"
#include "call.h"
#include "core/view.h"
#include "memory.h"
#include "object.h"
#include "values.h"

namespace strew::python {
namespace {

// The arguments whose values the derivative of a scatter reads.
std::vector<std::string_view> read_by_derivative(const Callable& callable, const AnyOp& any) {
  const auto* const op = std::get_if<ScatterOp>(&any);
  if (op == nullptr) return {};
  const Reduction step = op->fold.step;
  if (step != Reduction::mul && step != Reduction::min && step != Reduction::max) return {};
  std::vector<std::string_view> names;
  if (callable.slots().has_input() && op->fold.begin == FoldBegin::current) names.push_back(callable.op->parameters.front().name);
  names.push_back(callable.op->parameters[callable.slots().updates()].name);
  return names;
}

// (shape of the result, number of its dimensions that are those of the points, names of the arguments that the derivative reads, whether
// the derivative varies with their values)
nb::object form_of(const Callable& callable, const Slots& slots) {
  Dims shape;
  std::size_t points = 0;
  std::vector<std::string_view> reads;
  bool is_product = false;
  const Derive describe = [&](std::span<const Argument> given, std::span<const ConstTensorRef>, const RunOptions&) {
    const Arguments arguments(*callable.op, given);
    const bool in_place = callable.in_place;
    const AnyOp any =
        callable.op->describe(in_place ? writable(arguments.tensor(callable.op->parameters.front().name)) : TensorRef(), arguments);
    std::visit(
        [&](const auto& op) {
          shape = op.out.shape;
          points = op.where.points.size();
        },
        any);
    reads = read_by_derivative(callable, any);
    const auto* const scatter = std::get_if<ScatterOp>(&any);
    is_product = scatter != nullptr && scatter->fold.step == Reduction::mul;
    return std::vector<std::optional<Tensor>>();
  };
  static_cast<void>(derive_call(callable, slots, {}, describe));
  std::vector<nb::object> sizes, names;
  for (const std::int64_t size : shape) sizes.push_back(integer(size));
  for (const std::string_view name : reads) names.push_back(text(name));
  return tuple_of({tuple_of(sizes), integer(static_cast<std::int64_t>(points)), tuple_of(names), nb::bool_(is_product)});
}

const Callable& operator_from(PyObject* const* arguments, Py_ssize_t count) {
  const Callable* const callable = count == 0 ? nullptr : as_operator(arguments[0]);
  if (callable != nullptr) return *callable;
  PyErr_SetString(PyExc_TypeError, "an operator of Strew must come first, such as strew.pytorch.scatter_add");
  throw nb::python_error();
}

// form_of(operator, /, *arguments, **keywords)
PyObject* python_form_of(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  try {
    const Callable& callable = operator_from(arguments, count);
    return form_of(callable, callable.signature.assign(arguments + 1, static_cast<std::size_t>(count - 1), keywords)).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// zeros(operator, dtype, shape)
PyObject* python_zeros(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  try {
    const ArgumentName name{operator_from(arguments, count).op, false, "zeros"};
    if (count != 3) name.fail(ErrorCode::argument, "takes a dtype and a shape");
    return make_memory(Tensor::zeros(dtype_from(arguments[1], name), shape_from(arguments[2], name))).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

PyMethodDef functions[] = {
    {"form_of", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&python_form_of)), METH_FASTCALL | METH_KEYWORDS,
     "form_of($module, operator, /, *arguments, **keywords)\n--\n\n"
     "The shape of the result, how many of its dimensions are those of the points, the arguments whose values the derivative reads, and "
     "whether it varies with them."},
    {"zeros", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&python_zeros)), METH_FASTCALL,
     "zeros($module, operator, dtype, shape, /)\n--\n\n"
     "An array of zeros that stands in for an argument whose values are not known."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_form_functions(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
}

}  // namespace strew::python
