// vjp, jvp, vjp_jvp and winners: each takes an operator, arrays beside its arguments, and the arguments of a call.
#include "gradient.h"

#include <algorithm>
#include <list>

#include "base/text.h"
#include "call.h"
#include "gradient/operator_gradient.h"
#include "object.h"
#include "text.h"

namespace strew::python {
namespace {

[[noreturn]] void fail(const std::string& sentence) {
  PyErr_SetObject(PyExc_TypeError, text(sentence).ptr());
  throw nb::python_error();
}

const Callable& operator_from(PyObject* object, const char* function) {
  const Callable* const callable = as_operator(object);
  if (callable == nullptr) fail(cat(function, "() takes an operator of Strew, such as strew.pytorch.scatter_add, got ", type_name(object)));
  return *callable;
}

// A copy of a dict, which holds references: code that runs while one value is read may change the dict of the caller.
nb::object copy_of_dict(PyObject* dict) { return checked(PyDict_Copy(dict)); }

// The arguments of the operator: a tuple, and a dict or None.
struct OperatorArguments {
  nb::object keywords;
  Slots slots;
};
OperatorArguments arguments_from(const Callable& callable, PyObject* arguments, PyObject* keywords, PyObject* threads,
                                 const char* function) {
  if (PyTuple_Check(arguments) == 0) fail(cat(function, "() takes the arguments of the operator as a tuple, got ", type_name(arguments)));
  if (keywords != Py_None && PyDict_Check(keywords) == 0)
    fail(cat(function, "() takes the keywords of the operator as a dict, got ", type_name(keywords)));
  std::vector<PyObject*> given;
  const Py_ssize_t count = PyTuple_Size(arguments);
  for (Py_ssize_t i = 0; i < count; ++i) given.push_back(PyTuple_GetItem(arguments, i));
  nb::object names;
  nb::object held = keywords == Py_None ? nb::none() : copy_of_dict(keywords);
  if (keywords != Py_None && PyDict_Size(held.ptr()) > 0) {
    keywords = held.ptr();
    names = checked(PyTuple_New(PyDict_Size(keywords)));
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0, next = 0;
    while (PyDict_Next(keywords, &at, &key, &value) != 0) {
      if (PyUnicode_Check(key) == 0) fail("keywords must be strings");
      Py_INCREF(key);
      if (PyTuple_SetItem(names.ptr(), next++, key) != 0) throw nb::python_error();
      given.push_back(value);
    }
  }
  Slots slots = callable.signature.assign(given.data(), static_cast<std::size_t>(count), names.ptr());
  slots.given[callable.slots().out()] = nullptr;  // where the output went says nothing about its derivative
  if (threads != Py_None) slots.given[callable.slots().threads()] = threads;
  return {std::move(held), slots};
}

// The name of a parameter as the registry has it; the alias of one counts as well.
std::string_view parameter_named(const Callable& callable, PyObject* name, const char* function) {
  if (PyUnicode_Check(name) == 0) fail(cat(function, "() takes names of parameters as strings, got ", type_name(name)));
  const std::string_view text = utf8_of(name);
  for (const Parameter& parameter : callable.op->parameters) {
    if (parameter.name == text || (!parameter.also.empty() && parameter.also == text)) return parameter.name;
  }
  fail(cat(callable.name(), "() has no parameter '", text, "'"));
}

std::vector<std::string_view> wanted_from(const Callable& callable, PyObject* names, const char* function) {
  if (PyTuple_Check(names) == 0) fail(cat(function, "() takes the wanted parameters as a tuple of names, got ", type_name(names)));
  std::vector<std::string_view> wanted;
  for (Py_ssize_t i = 0; i < PyTuple_Size(names); ++i) {
    const std::string_view name = parameter_named(callable, PyTuple_GetItem(names, i), function);
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end())
      fail(cat(function, "() takes each wanted parameter once, got '", name, "' twice"));
    wanted.push_back(name);
  }
  return wanted;
}

// Arrays beside the arguments, with their names in messages.
class BesideArrays {
 public:
  // Returns the number of the array; none if it is None.
  std::optional<std::size_t> add(std::string_view name, PyObject* object) {
    if (object == Py_None) return std::nullopt;
    all_.push_back({names_.emplace_back(name), object});
    return all_.size() - 1;
  }
  [[nodiscard]] std::span<const Beside> all() const { return all_; }

 private:
  std::list<std::string> names_;
  std::vector<Beside> all_;
};

std::optional<ConstTensorRef> view_of(std::span<const ConstTensorRef> views, std::optional<std::size_t> number) {
  return number ? std::optional(views[*number]) : std::nullopt;
}

// A dict of tangents by the names of parameters.
struct TangentArrays {
  struct One {
    std::string_view parameter;
    std::optional<std::size_t> number;
  };
  std::vector<One> all;
  nb::object held;

  TangentArrays(const Callable& callable, PyObject* tangents, BesideArrays& beside, const char* function) {
    if (PyDict_Check(tangents) == 0) fail(cat(function, "() takes tangents as a dict by names of parameters, got ", type_name(tangents)));
    held = copy_of_dict(tangents);
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(held.ptr(), &at, &key, &value) != 0) {
      const std::string_view name = parameter_named(callable, key, function);
      if (const auto number = beside.add(cat("the tangent of ", name), value)) all.push_back({name, number});
    }
  }
  [[nodiscard]] SmallVector<Argument, 2> among(std::span<const ConstTensorRef> views) const {
    SmallVector<Argument, 2> tangents;
    for (const One& one : all) tangents.push_back({one.parameter, views[*one.number]});
    return tangents;
  }
};

// One array for each wanted parameter, in the library of its argument; the cotangent itself where nothing changes it.
nb::object handed_over(const Callable& callable, Derived derived, std::span<const std::string_view> wanted, PyObject* cotangent) {
  std::vector<nb::object> arrays;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!derived.tensors[i]) {
      arrays.push_back(nb::borrow(cotangent));
      continue;
    }
    std::size_t slot = 0;
    while (callable.op->parameters[slot].name != wanted[i]) ++slot;
    arrays.push_back(hand_over(derived.libraries[slot], std::move(*derived.tensors[i])));
  }
  return tuple_of(arrays);
}

nb::object python_vjp(nb::handle of, nb::handle cotangent, nb::handle names, nb::handle arguments, nb::handle keywords, nb::handle result,
                      nb::handle threads) {
  const Callable& callable = operator_from(of.ptr(), "vjp");
  const OperatorArguments own = arguments_from(callable, arguments.ptr(), keywords.ptr(), threads.ptr(), "vjp");
  const std::vector<std::string_view> wanted = wanted_from(callable, names.ptr(), "vjp");
  BesideArrays beside;
  if (!beside.add("the cotangent", cotangent.ptr())) fail("vjp() takes the cotangent of the output as an array, got None");
  const auto known = beside.add("the result", result.ptr());
  const Derive work = [&](std::span<const Argument> given, std::span<const ConstTensorRef> views, const RunOptions& options) {
    return vjp({*callable.op, callable.in_place, given, options}, views[0], wanted, view_of(views, known));
  };
  return handed_over(callable, derive_call(callable, own.slots, beside.all(), work), wanted, cotangent.ptr());
}

nb::object python_jvp(nb::handle of, nb::handle tangents, nb::handle arguments, nb::handle keywords, nb::handle result,
                      nb::handle threads) {
  const Callable& callable = operator_from(of.ptr(), "jvp");
  const OperatorArguments own = arguments_from(callable, arguments.ptr(), keywords.ptr(), threads.ptr(), "jvp");
  BesideArrays beside;
  const TangentArrays by_name(callable, tangents.ptr(), beside, "jvp");
  const auto known = beside.add("the result", result.ptr());
  const Derive work = [&](std::span<const Argument> given, std::span<const ConstTensorRef> views, const RunOptions& options) {
    std::vector<std::optional<Tensor>> made;
    made.emplace_back(jvp({*callable.op, callable.in_place, given, options}, by_name.among(views), view_of(views, known)));
    return made;
  };
  Derived derived = derive_call(callable, own.slots, beside.all(), work);
  return hand_over(derived.first, std::move(*derived.tensors[0]));
}

nb::object python_vjp_jvp(nb::handle of, nb::handle cotangent, nb::handle cotangent_tangent, nb::handle tangents, nb::handle names,
                          nb::handle arguments, nb::handle keywords, nb::handle threads) {
  const Callable& callable = operator_from(of.ptr(), "vjp_jvp");
  const OperatorArguments own = arguments_from(callable, arguments.ptr(), keywords.ptr(), threads.ptr(), "vjp_jvp");
  const std::vector<std::string_view> wanted = wanted_from(callable, names.ptr(), "vjp_jvp");
  BesideArrays beside;
  if (!beside.add("the cotangent", cotangent.ptr())) fail("vjp_jvp() takes the cotangent of the output as an array, got None");
  const auto further = beside.add("the tangent of the cotangent", cotangent_tangent.ptr());
  const TangentArrays by_name(callable, tangents.ptr(), beside, "vjp_jvp");
  const Derive work = [&](std::span<const Argument> given, std::span<const ConstTensorRef> views, const RunOptions& options) {
    return vjp_jvp({*callable.op, callable.in_place, given, options}, views[0], view_of(views, further), by_name.among(views), wanted);
  };
  return handed_over(callable, derive_call(callable, own.slots, beside.all(), work), wanted, cotangent.ptr());
}

// winners(operator, *arguments, **keywords)
PyObject* python_winners(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  try {
    if (count == 0) fail("winners() takes an operator of Strew first, such as strew.pytorch.scatter, then its arguments");
    const Callable& callable = operator_from(arguments[0], "winners");
    Slots slots = callable.signature.assign(arguments + 1, static_cast<std::size_t>(count - 1), keywords);
    slots.given[callable.slots().out()] = nullptr;
    for (std::size_t slot = 0; slot < callable.slots().parameters(); ++slot)
      slots.is_free[slot] = is_data(callable.op->parameters[slot].type);
    const Derive work = [&](std::span<const Argument> given, std::span<const ConstTensorRef>, const RunOptions& options) {
      std::vector<std::optional<Tensor>> made;
      made.emplace_back(winners({*callable.op, callable.in_place, given, options}));
      return made;
    };
    Derived derived = derive_call(callable, slots, {}, work);
    return hand_over(derived.first, std::move(*derived.tensors[0])).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// Functions of the binding library translate C++ exceptions themselves; Strew's need set_python_error().
template <auto function, class... Handles>
nb::object guarded(Handles... handles) {
  try {
    return function(handles...);
  } catch (...) {
    set_python_error();
    throw nb::python_error();
  }
}

template <auto function>
struct Guarded;
template <class... Handles, nb::object (*function)(Handles...)>
struct Guarded<function> {
  static nb::object call(Handles... handles) { return guarded<function>(handles...); }
};

PyMethodDef functions[] = {
    {"winners", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&python_winners)), METH_FASTCALL | METH_KEYWORDS,
     "winners($module, operator, /, *arguments, **keywords)\n--\n\n"
     "For each update of an assignment, whether it is the one that stays; the values are not read."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_gradient_functions(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
  module.def("vjp", &Guarded<&python_vjp>::call, nb::arg("operator"), nb::arg("cotangent").none(), nb::arg("wanted"), nb::arg("arguments"),
             nb::arg("keywords").none() = nb::none(), nb::arg("result").none() = nb::none(), nb::arg("threads").none() = nb::none(),
             "Returns the cotangents of the wanted parameters of a call from that of its output.");
  module.def("jvp", &Guarded<&python_jvp>::call, nb::arg("operator"), nb::arg("tangents"), nb::arg("arguments"),
             nb::arg("keywords").none() = nb::none(), nb::arg("result").none() = nb::none(), nb::arg("threads").none() = nb::none(),
             "Returns the tangent of the output of a call from those of its parameters.");
  module.def("vjp_jvp", &Guarded<&python_vjp_jvp>::call, nb::arg("operator"), nb::arg("cotangent").none(),
             nb::arg("cotangent_tangent").none(), nb::arg("tangents"), nb::arg("wanted"), nb::arg("arguments"),
             nb::arg("keywords").none() = nb::none(), nb::arg("threads").none() = nb::none(),
             "Returns the derivative of vjp() along tangents of the parameters and of the cotangent.");
}

}  // namespace strew::python
