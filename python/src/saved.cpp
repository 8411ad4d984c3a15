// A saved plan: the function that makes such plans, its arguments without memory, and the place of each point.
#include "saved.h"

#include "base/text.h"
#include "core/core.h"
#include "dialects/views.h"
#include "index_key.h"
#include "lock.h"
#include "plan.h"
#include "text.h"
#include "values.h"

namespace strew::python {
namespace {

constexpr std::int64_t format = 1;  // version of the format; changes with its content
constexpr std::size_t fields = 6;   // format, function, arguments, dtype, threads, places

nb::object real(double value) { return checked(PyFloat_FromDouble(value)); }

struct Saver {
  // A tensor is saved as its dtype and shape.
  nb::object operator()(const ConstTensorRef& tensor) const { return tuple_of({text(to_string(tensor.dtype)), tuple_of(tensor.shape)}); }
  nb::object operator()(bool value) const { return nb::bool_(value); }
  nb::object operator()(std::int64_t value) const { return integer(value); }
  nb::object operator()(std::uint64_t value) const { return checked(PyLong_FromUnsignedLongLong(value)); }
  nb::object operator()(double value) const { return real(value); }
  nb::object operator()(std::complex<double> value) const { return checked(PyComplex_FromDoubles(value.real(), value.imag())); }
  nb::object operator()(const Number& number) const { return std::visit(*this, static_cast<const Number::variant&>(number)); }
  nb::object operator()(const std::string& word) const { return text(word); }
  nb::object operator()(const Dims& shape) const { return tuple_of(shape); }
  nb::object operator()(const IndexKey& key) const {
    std::vector<nb::object> parts;
    for (const numpy::Index& index : key) parts.push_back(part(index));
    return tuple_of(parts);
  }

  // A part of a key, as a caller could write it.
  nb::object operator()(const numpy::Slice& slice) const {
    const auto bound = [](const std::optional<std::int64_t>& at) { return at ? integer(*at) : nb::none(); };
    return checked(PySlice_New(bound(slice.start).ptr(), bound(slice.stop).ptr(), bound(slice.step).ptr()));
  }
  nb::object operator()(numpy::Ellipsis) const { return nb::borrow(Py_Ellipsis); }
  nb::object operator()(numpy::NewAxis) const { return nb::none(); }
  nb::object part(const numpy::Index& index) const {
    // Masks are stored by value; those with dimensions as the equivalent indices.
    const auto* const tensor = std::get_if<ConstTensorRef>(&index);
    if (tensor != nullptr && tensor->dtype == Dtype::bool_) return nb::bool_(*static_cast<const bool*>(tensor->data));
    return std::visit(*this, index);
  }
};

// Reads the saved arguments of one plan.
class Restorer {
 public:
  explicit Restorer(const Callable& function) : function_(function) {}

  SmallVector<Argument, 8> arguments(PyObject* dict) const {
    if (PyDict_CheckExact(dict) == 0) at("the saved plan").fail_array(cat("must have a dict of arguments, got ", type_name(dict)));
    SmallVector<Argument, 8> list;
    for (const Parameter& parameter : function_.op->parameters) {
      const nb::object value = nb::borrow(PyDict_GetItemWithError(dict, text(parameter.name).ptr()));
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      if (!value.is_valid()) continue;
      Argument& argument = list.emplace_back();
      argument.name = parameter.name;
      read(parameter, value.ptr(), argument);
    }
    if (PyDict_Size(dict) != static_cast<Py_ssize_t>(list.size()))
      at("the saved plan").fail_array("has arguments that the operator does not take");
    return list;
  }

  // The list of places, a view of the bytes object.
  ConstTensorRef places(PyObject* object) const {
    const ArgumentName name = at("places");
    require_pair(object, name, "a dtype and bytes");
    PyObject* const bytes = PyTuple_GetItem(object, 1);
    if (PyBytes_CheckExact(bytes) == 0) name.fail(ErrorCode::dtype, cat("must be bytes, got ", type_name(bytes)));
    const Dtype dtype = dtype_from(PyTuple_GetItem(object, 0), name);
    const std::int64_t size = PyBytes_Size(bytes), each = size_of(dtype);
    if (size % each != 0) name.fail(ErrorCode::shape, cat("must be whole numbers of ", each, " bytes, got ", size, " bytes"));
    return {PyBytes_AsString(bytes), dtype, {size / each}};
  }

  [[nodiscard]] ArgumentName at(std::string_view argument) const { return {function_.op, function_.in_place, argument}; }

 private:
  void read(const Parameter& parameter, PyObject* value, Argument& argument) const {
    const ArgumentName name = at(parameter.name);
    switch (parameter.type) {
      case Parameter::tensor:
      case Parameter::target:
      case Parameter::indices: argument.value = tensor(value, name, is_written(parameter)); break;
      case Parameter::integer: argument.value = Number(integer_from(value, name)); break;
      case Parameter::boolean: argument.value = Number(boolean_from(value, name)); break;
      case Parameter::word: argument.value = word_from(value, name); break;
      case Parameter::shape: argument.value = shape_from(value, name); break;
      case Parameter::index_key:
      case Parameter::columns: argument.value = key(value, name); break;
      case Parameter::number: {
        const auto number = number_from(value, name);
        if (!number) name.fail(ErrorCode::dtype, cat("must be a number, got ", type_name(value)));
        argument.value = *number;
        break;
      }
      case Parameter::updates:
      case Parameter::source: name.fail_array("is not part of a plan");
    }
  }

  [[nodiscard]] bool is_written(const Parameter& parameter) const {
    return function_.in_place && &parameter == &function_.op->parameters.front();
  }

  // A placeholder with only what describing an op needs. The placeholder of an output has dense strides; it is never written.
  static ConstTensorRef tensor(PyObject* object, const ArgumentName& name, bool dense = false) {
    require_pair(object, name, "a dtype and a shape");
    const Dtype dtype = dtype_from(PyTuple_GetItem(object, 0), name);
    ConstTensorRef like = stand_in(dtype, shape_from(PyTuple_GetItem(object, 1), name));
    if (dense) like.strides = dense_strides(like.shape);
    check_view(name.operator_name().c_str(), std::string(name.argument).c_str(), like);
    return like;
  }

  static IndexKey key(PyObject* object, const ArgumentName& name) {
    if (PyTuple_CheckExact(object) == 0) name.fail(ErrorCode::dtype, cat("must be a tuple, got ", type_name(object)));
    IndexKey key;
    each_part(object, [&](PyObject* item) {
      if (auto part = plain_part(item, name)) return key.push_back(*std::move(part));
      ConstTensorRef like = tensor(item, name);
      if (like.dtype == Dtype::bool_) name.fail(ErrorCode::dtype, "of a plan contain no masks");
      key.push_back(std::move(like));
    });
    return key;
  }

  static void require_pair(PyObject* object, const ArgumentName& name, const char* what) {
    if (PyTuple_CheckExact(object) == 0 || PyTuple_Size(object) != 2)
      name.fail(ErrorCode::dtype, cat("must be a tuple of ", what, ", got ", type_name(object)));
  }

  const Callable& function_;
};

}  // namespace

nb::object saved(const Callable& function, const Planned& planned) {
  nb::object arguments = checked(PyDict_New());
  const auto save = [&](std::string_view name, const nb::object& value) {
    if (PyDict_SetItem(arguments.ptr(), text(name).ptr(), value.ptr()) != 0) throw nb::python_error();
  };
  if (planned.input) save(function.op->parameters.front().name, Saver{}(*planned.input));
  for (const Argument& argument : planned.kept) save(argument.name, std::visit(Saver{}, argument.value));
  const Tensor places = without_lock(planned.plan.nbytes(), [&] { return planned.plan.places(); });
  const auto size = static_cast<Py_ssize_t>(places.size() * size_of(places.dtype()));
  const nb::object bytes = checked(PyBytes_FromStringAndSize(static_cast<const char*>(places.data()), size));
  return tuple_of({integer(format), nb::borrow(reinterpret_cast<PyObject*>(const_cast<Callable*>(&function))), arguments,
                   text(to_string(planned.updates.dtype)), planned.threads == 0 ? nb::none() : integer(planned.threads),
                   tuple_of({text(to_string(places.dtype())), bytes})});
}

nb::object restore_plan(std::span<PyObject* const> saved) {
  const auto fail = [](const char* sentence) {
    PyErr_SetString(PyExc_TypeError, sentence);
    throw nb::python_error();
  };
  const Callable* const function = saved.size() == fields ? as_plan_function(saved[1]) : nullptr;
  if (function == nullptr) fail("restore_plan() takes the saved form of a plan");
  return with_own_errors(*function, [&] {
    const Restorer restorer(*function);
    if (const std::int64_t got = integer_from(saved[0], restorer.at("format")); got != format)
      restorer.at("the saved plan").fail_array(cat("has format ", got, ", this version of Strew reads ", format));
    RunOptions options;
    if (saved[4] != Py_None) options.threads = threads_from(saved[4], restorer.at("threads"));
    const Dtype dtype = dtype_from(saved[3], restorer.at("dtype"));
    SmallVector<Argument, 8> arguments = restorer.arguments(saved[2]);
    const ConstTensorRef places = restorer.places(saved[5]);
    return plan_object(*function, plan_arguments(*function, std::move(arguments), dtype, options, places));
  });
}

}  // namespace strew::python
