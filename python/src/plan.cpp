// strew.Plan: a C type around the core's plan. It never changes, so any number of threads may call it.
#include "plan.h"

#include <cstddef>

#include "base/text.h"
#include "saved.h"
#include "text.h"
#include "vectorcall.h"

namespace strew::python {
namespace {

struct PlanObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  PyObject* function;  // the one that made it
  Planned planned;
  Signature signature;

  [[nodiscard]] const Callable& callable() const { return *reinterpret_cast<const Callable*>(function); }
};

PyTypeObject* plan_type = nullptr;

const PlanObject& self_of(PyObject* object) { return *reinterpret_cast<const PlanObject*>(object); }

// None counts as an omitted argument. For an operator in place, `out` is its first argument.
Slots complete(const PlanObject& self, Slots slots) {
  const SlotsOf at = self.callable().slots();
  const bool in_place = self.callable().in_place;
  PyObject *&first = slots.given[0], *const out = slots.given[at.out()];
  if (!at.has_input()) return slots;
  if (in_place) first = out;
  if (first == Py_None) first = nullptr;
  if (first == nullptr && (in_place || out == nullptr || out == Py_None)) {
    self.signature.fail(in_place ? "writes into an array: pass it as out="
                                 : "takes an array to start from as base=, or one to write into as out=");
  }
  return slots;
}

PyObject* vectorcall(PyObject* object, PyObject* const* arguments, std::size_t flags, PyObject* keywords) {
  try {
    const PlanObject& self = self_of(object);
    const Slots slots = self.signature.assign(arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flags)), keywords);
    return apply_plan(self.callable(), self.planned, complete(self, slots)).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <nb::object (*get)(const PlanObject&)>
PyObject* getter(PyObject* object, void* unused) {
  return getter_of<PlanObject, get>(object, unused);
}
template <nb::object (*get)(const PlanObject&)>
PyObject* printed(PyObject* object) {
  return getter<get>(object, nullptr);
}

// The shape that `out` must have. NumPy's operators may use a part of it only.
const Dims& out_dims(const PlanObject& self) { return self.planned.input ? self.planned.input->shape : self.planned.plan.out_shape(); }

std::string operator_of(const PlanObject& self) { return cat(self.callable().module(), ".", self.callable().name()); }

nb::object operator_name_of(const PlanObject& self) { return text(operator_of(self)); }
nb::object nbytes_of(const PlanObject& self) { return integer(self.planned.plan.nbytes()); }
nb::object updates_shape_of(const PlanObject& self) { return tuple_of(self.planned.updates.shape); }
nb::object updates_dtype_of(const PlanObject& self) { return text(to_string(self.planned.updates.dtype)); }
nb::object out_shape_of(const PlanObject& self) { return tuple_of(out_dims(self)); }
nb::object out_dtype_of(const PlanObject& self) { return text(to_string(self.planned.plan.out_dtype())); }
nb::object description_of(const PlanObject& self) {
  std::string words = self.planned.plan.describe();
  words.pop_back();  // the end of the last line
  return text(words);
}
nb::object reduced(const PlanObject& self) {
  return tuple_of({import_function("strew._core.restore_plan"), saved(self.callable(), self.planned)});
}
nb::object representation_of(const PlanObject& self) {
  const Plan& plan = self.planned.plan;
  return text(cat("<plan of ", operator_of(self), ": ", to_string(self.planned.updates.dtype), " ", bracketed(self.planned.updates.shape),
                  " into ", to_string(plan.out_dtype()), " ", bracketed(out_dims(self)), ", ", plan.nbytes(), " bytes>"));
}

// The function that restores it, and with what.
PyObject* reduce(PyObject* object, PyObject*) { return getter<&reduced>(object, nullptr); }

// It never changes, so a copy is the plan itself.
PyObject* copy(PyObject* object, PyObject*) {
  Py_INCREF(object);
  return object;
}

void deallocate(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  auto* const self = reinterpret_cast<PlanObject*>(object);
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  Py_DECREF(self->function);
  self->planned.~Planned();
  self->signature.~Signature();
  PyObject_Free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyMemberDef members[] = {
    vectorcall_member(offsetof(PlanObject, vectorcall)), weak_references_member(offsetof(PlanObject, weak_references)), {}};
PyMethodDef methods[] = {
    {"__reduce__", &reduce, METH_NOARGS, nullptr}, {"__copy__", &copy, METH_NOARGS, nullptr}, {"__deepcopy__", &copy, METH_O, nullptr}, {}};
PyGetSetDef getters[] = {
    {"operator", &getter<&operator_name_of>, nullptr, "The operator that it was made for.", nullptr},
    {"nbytes", &getter<&nbytes_of>, nullptr, "Bytes that it holds.", nullptr},
    {"updates_shape", &getter<&updates_shape_of>, nullptr, "The shape of the updates, or the one that they are broadcast to.", nullptr},
    {"updates_dtype", &getter<&updates_dtype_of>, nullptr, "The dtype of the updates.", nullptr},
    {"out_shape", &getter<&out_shape_of>, nullptr, "The shape of what they are scattered into.", nullptr},
    {"out_dtype", &getter<&out_dtype_of>, nullptr, "The dtype of what they are scattered into.", nullptr},
    {},
};

constexpr const char* documentation =
    "The indices of a scatter, read and checked once, to be applied many times.\n\n"
    "plan(updates, out=x) steps updates into x and returns it. plan(updates, base=x) does so on a copy of x.\n"
    "An operator that starts from zeros needs neither. It keeps none of the arrays that it was made from, never\n"
    "changes, and may be called from any number of threads. Made by the plan function of an operator:\n\n"
    ">>> import numpy, strew\n"
    ">>> force, cell = numpy.zeros(3), numpy.array([2, 0, 2])\n"
    ">>> plan = strew.pytorch.index_add_.plan(force, 0, cell)\n"
    ">>> for step in range(3):\n"
    "...     result = plan(numpy.array([1.0, 2.0, 4.0]), out=force)\n"
    ">>> force\n"
    "array([ 6.,  0., 15.])\n";

PyType_Slot type_slots[] = {
    {Py_tp_doc, const_cast<char*>(documentation)},
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_new, reinterpret_cast<void*>(&refuse_to_construct)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(&printed<&representation_of>)},
    {Py_tp_str, reinterpret_cast<void*>(&printed<&description_of>)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, nullptr},
};
PyType_Spec spec = {"strew._core.Plan", sizeof(PlanObject), 0, Py_TPFLAGS_DEFAULT | vectorcall_flag, type_slots};

}  // namespace

void add_plan_type(nb::module_& module) {
  const nb::object type = checked(PyType_FromSpec(&spec));
  plan_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  module.attr("Plan") = type;
}

nb::object make_plan(const Callable& function, const Slots& slots) { return plan_object(function, plan_call(function, slots)); }

nb::object plan_object(const Callable& callable, Planned planned) {
  std::string name = cat(callable.name(), " plan");
  PlanObject* const self = PyObject_New(PlanObject, plan_type);
  if (self == nullptr) throw nb::python_error();
  self->vectorcall = &vectorcall;
  self->weak_references = nullptr;
  self->function = reinterpret_cast<PyObject*>(const_cast<Callable*>(&callable));
  Py_INCREF(self->function);
  ::new (&self->planned) Planned(std::move(planned));
  ::new (&self->signature) Signature(std::move(name));
  nb::object object = nb::steal(reinterpret_cast<PyObject*>(self));
  const SlotsOf at = callable.slots();
  self->signature.add(callable.op->parameters[at.updates()].name, at.updates(), true, true);
  if (at.has_input() && !callable.in_place) self->signature.add("base", 0, false, false);
  self->signature.add("out", at.out(), false, false);
  self->signature.add("threads", at.threads(), false, false);
  return object;
}

}  // namespace strew::python
