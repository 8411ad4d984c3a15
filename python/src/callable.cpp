// strew._core.Operator: a C type, so that a call reaches the core without Python code in between.
#include "callable.h"

#include <cstddef>

#include "base/text.h"
#include "call.h"
#include "index_key.h"
#include "literals.h"
#include "pieces.h"
#include "plan.h"
#include "text.h"
#include "vectorcall.h"

namespace strew::python {
namespace {

PyTypeObject* callable_type = nullptr;

const Callable& self_of(PyObject* object) { return *reinterpret_cast<const Callable*>(object); }

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

// The result of a call in which an array cannot be used, from the function in Python that takes over such calls on arrays of its library;
// Py_NotImplemented if none does.
nb::object call_elsewhere(PyObject* object, const Slots& slots) {
  const Callable& self = self_of(object);
  nb::object result = not_implemented();
  const Library* asked = nullptr;
  for (std::size_t slot = 0; slot < self.slots().end(); ++slot) {
    if (slots.given[slot] == nullptr) continue;
    each_part(slots.given[slot], [&](PyObject* part) {
      const Library* const library = result.ptr() == Py_NotImplemented ? library_of(part) : nullptr;
      if (library == nullptr || library == asked) return;
      asked = library;
      result = call_bridge(*library, object, self.signature.names(slots));
    });
  }
  return result;
}

// Asks the libraries of the arrays of data whether they take part in a gradient. The first that records one takes over the call.
nb::object call_recorded(PyObject* object, Slots& slots) {
  const Callable& self = self_of(object);
  for (std::size_t slot = 0; slot < self.slots().parameters(); ++slot) {
    if (!is_data(self.op->parameters[slot].type) || slots.given[slot] == nullptr) continue;
    const std::optional<Marked> found = marked(slots.given[slot]);
    if (!found) continue;
    if (found->is_recorded) return call_bridge(*found->library, object, self.signature.names(slots));
    slots.is_free[slot] = !found->is_marked;
  }
  return not_implemented();
}

nb::object call_or_elsewhere(PyObject* object, Slots& slots) {
  nb::object result = call_recorded(object, slots);
  if (result.ptr() != Py_NotImplemented) return result;
  try {
    return call(self_of(object), slots);
  } catch (const ArrayError&) {
    result = call_elsewhere(object, slots);
    if (result.ptr() == Py_NotImplemented) throw;
  } catch (const Error& error) {
    // A library may be converting types, as torch.autocast does.
    if (error.code() == ErrorCode::dtype) result = call_elsewhere(object, slots);
    if (result.ptr() == Py_NotImplemented) throw;
  }
  return result;
}

PyObject* vectorcall(PyObject* object, PyObject* const* arguments, std::size_t flags, PyObject* keywords) {
  try {
    const Callable& self = self_of(object);
    Slots slots = self.signature.assign(arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flags)), keywords);
    switch (self.makes) {
      case Makes::plan: return make_plan(self, slots).release().ptr();
      case Makes::pieces: return make_pieces(self, slots).release().ptr();
      case Makes::call: break;
    }
    return call_or_elsewhere(object, slots).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <nb::object (*get)(const Callable&)>
PyObject* getter(PyObject* object, void* unused) {
  return getter_of<Callable, get>(object, unused);
}

// The attribute of the operator that the function is; empty for the operator itself.
std::string_view attribute_of(Makes makes) {
  constexpr std::string_view names[] = {"", "plan", "pieces"};
  return names[static_cast<std::size_t>(makes)];
}
std::string path(const Callable& self) { return self.makes == Makes::call ? self.name() : cat(self.name(), ".", attribute_of(self.makes)); }

nb::object name_of(const Callable& self) { return self.makes == Makes::call ? text(self.name()) : text(attribute_of(self.makes)); }
nb::object path_of(const Callable& self) { return text(path(self)); }
nb::object dialect_of(const Callable& self) { return text(self.op->dialect); }
nb::object module_of(const Callable& self) { return text(self.module()); }
nb::object summary_of(const Callable& self) { return text(self.op->summary); }
nb::object in_place_of(const Callable& self) { return nb::bool_(self.in_place); }
nb::object returns_nothing_of(const Callable& self) { return nb::bool_(self.returns_nothing()); }

nb::object names(DtypeSet set) {
  std::vector<nb::object> list;
  for (const DtypeInfo& row : dtypes) {
    if (set.has(row.dtype)) list.push_back(text(row.name));
  }
  return tuple_of(list);
}
nb::object dtypes_of(const Callable& self) { return names(self.op->dtypes); }
nb::object index_dtypes_of(const Callable& self) { return names(self.op->index_dtypes); }

// A default as the Python object that stands for it in the signature.
nb::object default_of(const Parameter& parameter) {
  const std::string_view fallback = *parameter.fallback;
  if (takes_none(parameter)) return nb::none();
  switch (parameter.type) {
    case Parameter::word: return text(fallback);
    case Parameter::boolean: return nb::bool_(fallback == "true");
    default: return checked(PyLong_FromString(std::string(fallback).c_str(), nullptr, 10));
  }
}

// (name, type, is it keyword-only, (default,) or ()) for each parameter of the operator.
nb::object parameters_of(const Callable& self) {
  std::vector<nb::object> list;
  for (std::size_t i = 0; i < self.op->parameters.size(); ++i) {
    const Parameter& parameter = self.op->parameters[i];
    if (!self.takes(i)) continue;
    const bool is_optional = parameter.fallback && !parameter.must_be_said;
    const nb::object fallback = is_optional ? tuple_of({default_of(parameter)}) : checked(PyTuple_New(0));
    const std::string type = cat(to_string(parameter.type), parameter.must_be_said ? " or None" : "");
    list.push_back(tuple_of({text(parameter.name), text(type), nb::bool_(parameter.keyword_only), fallback}));
  }
  return tuple_of(list);
}

// {name: another name} of the parameters that have two.
nb::object also_of(const Callable& self) {
  nb::object names = checked(PyDict_New());
  for (const Parameter& parameter : self.op->parameters) {
    if (self.makes != Makes::call || parameter.also.empty()) continue;
    if (PyDict_SetItem(names.ptr(), text(parameter.name).ptr(), text(parameter.also).ptr()) != 0) throw nb::python_error();
  }
  return names;
}

nb::object other_function(const Callable& self, PyObject* function, Makes makes, const char* who) {
  if (function != nullptr) return nb::borrow(function);
  PyErr_SetString(PyExc_AttributeError,
                  cat(self.module(), ".", path(self), " has no ", attribute_of(makes), ": only operators that ", who).c_str());
  throw nb::python_error();
}
nb::object plan_of(const Callable& self) { return other_function(self, self.plan, Makes::plan, "scatter have one"); }
nb::object pieces_of(const Callable& self) {
  return other_function(self, self.pieces, Makes::pieces, "scatter into their first argument take pieces");
}

nb::object documented(const Callable& self, const char* function) {
  return call(import_function(function).ptr(), {reinterpret_cast<PyObject*>(const_cast<Callable*>(&self))});
}
nb::object doc_of(const Callable& self) { return documented(self, "strew._docs.docstring"); }
nb::object signature_of(const Callable& self) { return documented(self, "strew._docs.signature"); }

PyObject* represent(PyObject* object) {
  try {
    return documented(self_of(object), "strew._docs.representation").release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// A name is enough to find it again.
PyObject* reduce(PyObject* object, PyObject*) { return getter<&path_of>(object, nullptr); }

// As an attribute of a class it stays a plain function.
PyObject* unbound(PyObject* object, PyObject*, PyObject*) {
  Py_INCREF(object);
  return object;
}

// Attributes that the class has as well are not in its table of getters: help() would find the getter.
PyObject* attribute(PyObject* object, PyObject* name) {
  if (PyUnicode_Check(name) == 0) return PyObject_GenericGetAttr(object, name);  // says what is wrong with it
  if (PyUnicode_CompareWithASCIIString(name, "__module__") == 0) return getter<&module_of>(object, nullptr);
  if (PyUnicode_CompareWithASCIIString(name, "__signature__") == 0) return getter<&signature_of>(object, nullptr);
  return PyObject_GenericGetAttr(object, name);
}

void deallocate(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  if (self_of(object).weak_references != nullptr) PyObject_ClearWeakRefs(object);
  Py_XDECREF(self_of(object).plan);
  Py_XDECREF(self_of(object).pieces);
  self_of(object).signature.~Signature();
  PyObject_Free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyMemberDef members[] = {
    vectorcall_member(offsetof(Callable, vectorcall)), weak_references_member(offsetof(Callable, weak_references)), {}};
PyMethodDef methods[] = {{"__reduce__", &reduce, METH_NOARGS, nullptr}, {}};
PyGetSetDef getters[] = {
    {"__name__", &getter<&name_of>, nullptr, nullptr, nullptr},
    {"__qualname__", &getter<&path_of>, nullptr, nullptr, nullptr},
    {"__doc__", &getter<&doc_of>, nullptr, nullptr, nullptr},
    {"dialect", &getter<&dialect_of>, nullptr, "The dialect that it belongs to.", nullptr},
    {"summary", &getter<&summary_of>, nullptr, "What it does, in one sentence.", nullptr},
    {"in_place", &getter<&in_place_of>, nullptr, "Whether it writes into its first argument.", nullptr},
    {"returns_nothing", &getter<&returns_nothing_of>, nullptr, "Whether a call returns None.", nullptr},
    {"dtypes", &getter<&dtypes_of>, nullptr, "What the data may be.", nullptr},
    {"index_dtypes", &getter<&index_dtypes_of>, nullptr, "What the indices may be.", nullptr},
    {"plan", &getter<&plan_of>, nullptr, "Makes a Plan from the arguments without the updates.", nullptr},
    {"pieces", &getter<&pieces_of>, nullptr, "Makes Pieces from the arguments without the indices and the updates.", nullptr},
    {"parameters", &getter<&parameters_of>, nullptr, "Name, type, keyword-only, and the default as a tuple of one or none.", nullptr},
    {"also_named", &getter<&also_of>, nullptr, "Another name of a parameter, by its name, where it has one.", nullptr},
    {},
};

PyType_Slot type_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_new, reinterpret_cast<void*>(&refuse_to_construct)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(&represent)},
    {Py_tp_getattro, reinterpret_cast<void*>(&attribute)},
    {Py_tp_descr_get, reinterpret_cast<void*>(&unbound)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, nullptr},
};
PyType_Spec spec = {"strew._core.Operator", sizeof(Callable), 0, Py_TPFLAGS_DEFAULT | vectorcall_flag, type_slots};

nb::object make(const Operator& op, bool in_place, Makes makes, PyObject* plan = nullptr, PyObject* pieces = nullptr) {
  Callable* const self = PyObject_New(Callable, callable_type);
  if (self == nullptr) throw nb::python_error();
  self->vectorcall = &vectorcall;
  self->weak_references = nullptr;
  self->op = &op;
  self->in_place = in_place;
  self->makes = makes;
  self->plan = plan;
  self->pieces = pieces;
  Py_XINCREF(plan);
  Py_XINCREF(pieces);
  ::new (&self->signature) Signature();
  nb::object object = nb::steal(reinterpret_cast<PyObject*>(self));
  self->signature.set_name(path(*self));
  const SlotsOf slots = self->slots();
  for (std::size_t i = 0; i < slots.parameters(); ++i) {
    const Parameter& parameter = op.parameters[i];
    if (!self->takes(i)) continue;
    self->signature.add(parameter.name, i, !parameter.keyword_only, !parameter.fallback || parameter.must_be_said);
  }
  for (std::size_t i = 0; i < slots.parameters(); ++i) {
    if (makes == Makes::call && !op.parameters[i].also.empty()) self->signature.add(op.parameters[i].also, i, false, false);
  }
  if (!in_place && makes == Makes::call) self->signature.add("out", slots.out(), false, false);
  if (makes == Makes::plan) self->signature.add("dtype", slots.dtype(), false, false);
  self->signature.add("threads", slots.threads(), false, false);
  return object;
}

}  // namespace

std::string Callable::name() const { return cat(op->name, in_place && op->in_place ? "_" : ""); }

bool Callable::takes(std::size_t parameter) const {
  const bool is_updates = parameter == slots().updates();
  switch (makes) {
    case Makes::plan: return !is_updates;
    case Makes::pieces: return !is_updates && !slots().is_index(parameter);
    case Makes::call: break;
  }
  return true;
}

std::string Callable::module() const { return op->dialect == "strew" ? std::string("strew") : cat("strew.", op->dialect); }
bool Callable::returns_nothing() const { return op->writes_first_argument() && literals_of(*op).returns_nothing; }

void add_callable_type(nb::module_& module) {
  const nb::object type = checked(PyType_FromSpec(&spec));
  callable_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  module.attr("Operator") = type;
}

nb::object make_callable(const Operator& op, bool in_place) {
  const nb::object plan = op.scatters() ? make(op, in_place, Makes::plan) : nb::object();
  const nb::object pieces = op.scatters() && in_place ? make(op, in_place, Makes::pieces) : nb::object();
  return make(op, in_place, Makes::call, plan.ptr(), pieces.ptr());
}

const Callable* as_operator(PyObject* object) {
  if (Py_TYPE(object) != callable_type) return nullptr;
  const Callable& callable = self_of(object);
  return callable.makes == Makes::call ? &callable : nullptr;
}
const Callable* as_plan_function(PyObject* object) {
  return Py_TYPE(object) == callable_type && self_of(object).makes == Makes::plan ? &self_of(object) : nullptr;
}

}  // namespace strew::python
